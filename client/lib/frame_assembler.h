// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "client/lib/array_decoder.h"
#include "sluice/frame.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::client {

/// Puts headers and chunks of one stream together to frames, and trusts none of them. Pure: no
/// network, no clock.
///
/// Every function throws `Error` of kind `data_loss` for what cannot be right: descriptors whose
/// sizes disagree, chunks out of order or beyond their array, a wrong CRC32C, a header in the
/// middle of a frame. The stream is of no use then.
class FrameAssembler {
 public:
  /// Begins a frame; gives it back at once if it has no bytes at all.
  std::optional<Frame> add(const v1::FrameHeader& header);

  /// Adds a piece; gives the frame back with its last one.
  std::optional<Frame> add(const v1::FrameChunk& chunk);

  /// Whether a frame has begun and is not whole.
  [[nodiscard]] bool in_frame() const noexcept { return frame_.has_value(); }

 private:
  void begin_array();
  void end_array();
  std::optional<Frame> take_if_whole();

  ArrayDecoder decoder_;
  std::optional<Frame> frame_;
  std::vector<v1::ArrayDescriptor> descriptors_;  // Of the frame.
  std::size_t array_{0};                          // The array that the next chunk belongs to.
  std::size_t offset_{0};                         // Bytes of it that are there:
  std::vector<float> values_;                     // those of float32,
  std::vector<std::byte> bytes_;                  // or those that are coded.
};

}  // namespace sluice::client
