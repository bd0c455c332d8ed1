// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "server/store/store_error.h"
#include "server/stream/frame_record.h"
#include "server/stream/frame_selection.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

inline constexpr std::size_t axes = 3;  ///< Of positions and velocities.

/// One array of a frame, decoded into numbers.
struct FloatArray {
  v1::ArrayDescriptor descriptor;  ///< Its codec is CODEC_F32.
  std::vector<float> values;       ///< `count` * `component_count`, row by row.
};

/// A frame with its arrays decoded into numbers.
struct FloatFrame {
  v1::FrameHeader header;  ///< The header without its arrays.
  std::vector<FloatArray> arrays;
};

/// Reads the selected arrays of a stored frame, then the derived ones that are selected: the speed
/// of each body with a velocity. `corrupt` if `messages` are not a whole frame of CODEC_F32.
[[nodiscard]] store::Result<FloatFrame> read_arrays(const FrameMessages& messages,
                                                    const FrameSelection& selection);

/// Makes the messages of a frame of CODEC_F32.
[[nodiscard]] FrameMessages write_arrays(FloatFrame frame);

/// Makes the messages of a frame from arrays that are encoded already.
class FrameWriter {
 public:
  /// Adds an array: sets `byte_count` of its descriptor and cuts `bytes` into chunks.
  void add(v1::ArrayDescriptor descriptor, std::span<const std::byte> bytes);

  /// Returns the messages: `header` with the arrays that were added, then their chunks.
  [[nodiscard]] FrameMessages finish(v1::FrameHeader header) &&;

 private:
  v1::FrameHeader header_;  // Holds the arrays only.
  FrameMessages chunks_;
};

/// Makes the error for a stored frame that does not have the form of frame_record.h.
[[nodiscard]] store::Error damaged_frame();

}  // namespace sluice::stream
