// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/wire/codec/quantization.h"
#include "server/stream/frame_arrays.h"
#include "server/stream/frame_form.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

/// What holds for all frames of an epoch.
struct EpochFrame {
  codec::Box domain;  ///< Where positions are quantised unless a reader asks for another box.
  /// Of bodies of particles: their rows in the Hilbert order of the epoch's first frame.
  std::map<std::string, std::vector<std::int32_t>> order;
};

/// What `first`, the positions of an epoch's first frame, and its layout (or an empty one) settle.
[[nodiscard]] EpochFrame settle_epoch(const FloatFrame& first, const v1::Layout& layout);

/// One array of a frame, quantised.
struct QuantizedArray {
  v1::ArrayDescriptor descriptor;  ///< Body, field, count and component count.
  /// Nothing for an array that no codec holds (not finite): then `values` has it.
  std::optional<codec::Quantization> quantization;
  codec::Words words;
  std::vector<float> values;
};

/// The arrays of a frame, quantised, rows of particles in the epoch's order. The same for a frame
/// whenever and for whomever it is made.
struct QuantizedFrame {
  v1::FrameHeader header;  ///< Without arrays.
  std::vector<QuantizedArray> arrays;
};

[[nodiscard]] QuantizedFrame quantize_frame(FloatFrame frame, const EpochFrame& epoch,
                                            const Encoding& encoding);

[[nodiscard]] std::size_t byte_count(const QuantizedFrame& frame);

/// The messages of `frame`, each array predicted from what the reader has: from `previous` and
/// `before` (both may be null, `before` is null where `previous` is) as far as they were quantised
/// alike. `order` is for a reader that is to be told the order, else null.
[[nodiscard]] FrameMessages encode_frame(const QuantizedFrame& frame, const FrameForm& form,
                                         const QuantizedFrame* previous,
                                         const QuantizedFrame* before, const EpochFrame* order);

}  // namespace sluice::stream
