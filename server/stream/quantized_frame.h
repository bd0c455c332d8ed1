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

/// The box and the order of rows that hold for all frames of an epoch.
struct EpochFrame {
  codec::Box domain;  ///< Box in which positions are quantised unless a reader asks for another.
  /// For each body of particles, its rows in the Hilbert order of the epoch's first frame.
  std::map<std::string, std::vector<std::int32_t>> order;
};

/// Makes an epoch's EpochFrame from `first`, the positions in its first frame, and its layout.
[[nodiscard]] EpochFrame settle_epoch(const FloatFrame& first, const v1::Layout& layout);

/// One quantised array of a frame.
struct QuantizedArray {
  v1::ArrayDescriptor descriptor;  ///< Body, field, count and component count.
  /// Unset for an array that cannot be quantised (a value is not finite); `values` then holds it.
  std::optional<codec::Quantization> quantization;
  codec::Words words;
  std::vector<float> values;
};

/// A frame with quantised arrays, rows of particles in the epoch's order. It depends on the frame,
/// the epoch and the encoding only, not on the reader.
struct QuantizedFrame {
  v1::FrameHeader header;  ///< The header without its arrays.
  std::vector<QuantizedArray> arrays;
};

[[nodiscard]] QuantizedFrame quantize_frame(FloatFrame frame, const EpochFrame& epoch,
                                            const Encoding& encoding);

[[nodiscard]] std::size_t byte_count(const QuantizedFrame& frame);

/// Encodes `frame`. Each array is predicted from the two frames that the reader has, `previous` and
/// the one before it, `before`, if they were quantised in the same way. Null: the reader lacks
/// that frame; `before` is null if `previous` is. If not null, `order` is sent as FIELD_ORDER.
[[nodiscard]] FrameMessages encode_frame(const QuantizedFrame& frame, const FrameForm& form,
                                         const QuantizedFrame* previous,
                                         const QuantizedFrame* before, const EpochFrame* order);

}  // namespace sluice::stream
