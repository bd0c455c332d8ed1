// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/session/error.h"
#include "server/store/shared_bytes.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::session {

/// A complete frame in the form in which it is stored.
struct AssembledFrame {
  v1::FrameHeader header;
  store::SharedBytes record;  ///< The frame's record (server/stream/frame_record.h).
};

/// Assembles a worker's frames from a header and then the chunks of its arrays, in order, without a
/// gap and with right checksums. Anything else is an error, after which the worker must not be
/// trusted. Not thread-safe.
class FrameAssembler {
 public:
  /// Frames above `max_frame_bytes` are refused.
  explicit FrameAssembler(std::int64_t max_frame_bytes) : max_frame_bytes_(max_frame_bytes) {}

  /// Begins a frame. Returns it at once if its arrays have no bytes.
  Result<std::optional<AssembledFrame>> begin(v1::FrameHeader header);
  /// Takes the next chunk. Returns the frame if it is complete now.
  Result<std::optional<AssembledFrame>> add(v1::FrameChunk chunk);

 private:
  std::optional<AssembledFrame> finish_if_whole();

  std::int64_t max_frame_bytes_;
  bool begun_ = false;
  v1::FrameHeader header_;
  int array_ = 0;            // The array that the next chunk belongs to.
  std::int64_t offset_ = 0;  // The offset in that array at which the next chunk begins.
  std::string record_;
};

/// Assembles a checkpoint from its pieces. Not thread-safe.
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
