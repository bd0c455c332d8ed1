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

/// One array of a frame as numbers.
struct FloatArray {
  v1::ArrayDescriptor descriptor;  ///< Of CODEC_F32.
  std::vector<float> values;       ///< `count` * `component_count`, row by row.
};

/// A frame's arrays as numbers.
struct FloatFrame {
  v1::FrameHeader header;  ///< Without arrays.
  std::vector<FloatArray> arrays;
};

/// The selected arrays of a stored frame, then the derived ones: the speed wherever there is a
/// velocity. `corrupt` if `messages` are not a whole frame of CODEC_F32.
[[nodiscard]] store::Result<FloatFrame> read_arrays(const FrameMessages& messages,
                                                    const FrameSelection& selection);

/// The messages of a frame of CODEC_F32.
[[nodiscard]] FrameMessages write_arrays(FloatFrame frame);

/// Makes the messages of a frame out of arrays that are bytes already.
class FrameWriter {
 public:
  /// Adds an array; sets `byte_count` of its descriptor and cuts `bytes` into chunks.
  void add(v1::ArrayDescriptor descriptor, std::span<const std::byte> bytes);

  /// The messages: `header` with the arrays that were added, then their chunks.
  [[nodiscard]] FrameMessages finish(v1::FrameHeader header) &&;

 private:
  v1::FrameHeader header_;  // Its arrays alone.
  FrameMessages chunks_;
};

/// The error of a stored frame that is not what frame_record.h says.
[[nodiscard]] store::Error damaged_frame();

}  // namespace sluice::stream
