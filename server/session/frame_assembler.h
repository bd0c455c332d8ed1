// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/session/error.h"
#include "server/store/shared_bytes.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::session {

/// A whole frame, as it is stored.
struct AssembledFrame {
  v1::FrameHeader header;
  store::SharedBytes record;  ///< stream/frame_record.h
};

/// Puts a worker's frames together: a header, then the chunks of its arrays, in order and without a
/// gap, each with its checksum. Anything else is an error, after which the worker is not to be
/// trusted. Not thread-safe.
class FrameAssembler {
 public:
  /// Frames above `max_frame_bytes` are refused.
  explicit FrameAssembler(std::int64_t max_frame_bytes) : max_frame_bytes_(max_frame_bytes) {}

  /// Begins a frame. A frame without bytes is whole at once.
  Result<std::optional<AssembledFrame>> begin(v1::FrameHeader header);
  /// Takes the next piece. The frame, once it is whole.
  Result<std::optional<AssembledFrame>> add(v1::FrameChunk chunk);

 private:
  std::optional<AssembledFrame> finish_if_whole();

  std::int64_t max_frame_bytes_;
  bool begun_ = false;
  v1::FrameHeader header_;
  int array_ = 0;            // Which the next chunk belongs to.
  std::int64_t offset_ = 0;  // Where it begins.
  std::string record_;
};

/// Puts a checkpoint together from its pieces. Not thread-safe.
class CheckpointAssembler {
 public:
  struct Piece {
    std::int64_t frame_index, byte_count, offset;
  };
  struct Whole {
    std::int64_t frame_index;
    std::string bytes;
  };
  explicit CheckpointAssembler(std::int64_t max_bytes) : max_bytes_(max_bytes) {}
  Result<std::optional<Whole>> add(const Piece& piece, std::string_view data);

 private:
  std::int64_t max_bytes_;
  std::int64_t frame_index_ = -1;
  std::int64_t byte_count_ = 0;
  std::string bytes_;
};

}  // namespace sluice::session
