// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "client/lib/array_decoder.h"
#include "sluice/frame.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::client {

/// Assembles frames from the headers and chunks of one stream, and checks all of them. No network,
/// no clock.
///
/// Every function throws `Error` of kind `data_loss` for data that cannot be right: descriptors
/// whose sizes disagree, chunks out of order or beyond their array, a wrong CRC32C, a header in the
/// middle of a frame. After that the stream is of no use.
class FrameAssembler {
 public:
  /// Begins a frame. Returns it at once if its arrays have no bytes.
  std::optional<Frame> add(const v1::FrameHeader& header);

  /// Adds a chunk. Returns the frame if it is complete now.
  std::optional<Frame> add(const v1::FrameChunk& chunk);

  /// Whether a frame has begun and is not complete.
  [[nodiscard]] bool in_frame() const noexcept { return frame_.has_value(); }

 private:
  void begin_array();
  void end_array();
  std::optional<Frame> take_if_whole();

  ArrayDecoder decoder_;
  std::optional<Frame> frame_;
  std::vector<v1::ArrayDescriptor> descriptors_;  // The arrays of the frame.
  std::size_t array_{0};                          // The array that the next chunk belongs to.
  std::size_t offset_{0};                         // Number of its bytes that have arrived.
  std::vector<float> values_;                     // Its content if its codec is CODEC_F32.
  std::vector<std::byte> bytes_;                  // Its content if it has another codec.
};

}  // namespace sluice::client
