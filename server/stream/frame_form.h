// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "proto/wire/codec/quantization.h"
#include "server/stream/frame_selection.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

/// How arrays are written. Quantised ones depend on `bits` and `box` alone, whatever the codec.
struct Encoding {
  v1::Codec codec = v1::CODEC_F32;  ///< CODEC_F32 or a quantised one.
  int bits = 0;                     ///< Of a quantised codec, in [8, 24]; else 0.
  std::optional<codec::Box> box;    ///< Where positions are quantised, if not in the domain.

  [[nodiscard]] bool is_quantized() const { return codec != v1::CODEC_F32; }
  friend auto operator<=>(const Encoding&, const Encoding&) = default;
};

/// What a reader wants of each frame.
struct FrameForm {
  FrameSelection selection;
  Encoding encoding;

  friend auto operator<=>(const FrameForm&, const FrameForm&) = default;
};

/// Key frames come at least this often: those whose index is a multiple of it.
inline constexpr std::uint64_t key_interval = 60;

/// What a reader has when a frame is sent to it, as far as that shapes the frame's bytes. There are
/// few variants, so that readers of all ages share them.
struct FrameVariant {
  int history = 0;          ///< Of the frames right before, in [0, 2]: 0 makes a key.
  bool wants_order = true;  ///< FIELD_ORDER was not sent for this epoch yet.

  friend auto operator<=>(const FrameVariant&, const FrameVariant&) = default;
};

/// The variant that frame `index` in `form` really has for a reader that could take `variant`:
/// readers that differ in nothing that matters get the same one.
[[nodiscard]] FrameVariant canonical(FrameVariant variant, std::uint64_t index,
                                     const FrameForm& form);

}  // namespace sluice::stream
