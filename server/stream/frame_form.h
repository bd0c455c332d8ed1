// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "proto/wire/codec/quantization.h"
#include "server/stream/frame_selection.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

/// How arrays are encoded. The integers of quantised arrays depend on `bits` and `box` only.
struct Encoding {
  v1::Codec codec = v1::CODEC_F32;  ///< CODEC_F32 or a quantised codec.
  int bits = 0;                     ///< Bits per number, in [8, 24]; 0 for CODEC_F32.
  std::optional<codec::Box> box;    ///< Box in which positions are quantised; unset: the domain.

  [[nodiscard]] bool is_quantized() const { return codec != v1::CODEC_F32; }
  friend auto operator<=>(const Encoding&, const Encoding&) = default;
};

/// The arrays of each frame that a reader wants, and their encoding.
struct FrameForm {
  FrameSelection selection;
  Encoding encoding;

  friend auto operator<=>(const FrameForm&, const FrameForm&) = default;
};

/// Interval of key frames: at least each frame whose index is a multiple of it is a key.
inline constexpr std::uint64_t key_interval = 60;

/// What a reader has received before a frame, as far as it changes the frame's bytes. There are few
/// variants, so that readers that joined at different times share encoded frames.
struct FrameVariant {
  int history = 0;          ///< Number of directly preceding frames, in [0, 2]; 0 makes a key.
  bool wants_order = true;  ///< FIELD_ORDER was not sent for this epoch yet.

  friend auto operator<=>(const FrameVariant&, const FrameVariant&) = default;
};

/// Returns the variant in which frame `index` is encoded in `form` for a reader with `variant`.
/// Readers whose difference does not change the bytes get the same variant.
[[nodiscard]] FrameVariant canonical(FrameVariant variant, std::uint64_t index,
                                     const FrameForm& form);

}  // namespace sluice::stream
