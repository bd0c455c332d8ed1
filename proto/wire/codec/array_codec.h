// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "proto/wire/codec/byte_codecs.h"
#include "proto/wire/codec/residual.h"

namespace sluice::codec {

/// The codecs that turn residuals into bytes. The numbers are those of sluice.v1.Codec.
enum class ByteCodec {
  planes_zstd = 2,
  meshopt = 3,
};

/// Encodes an array; returns no bytes if it has no rows. Pre: `history` is as for make_residual.
[[nodiscard]] std::vector<std::byte> encode_array(const Words& words, int component_count,
                                                  ByteCodec codec, Predictor predictor,
                                                  History history);

/// Decodes the integers of an array. Nothing if encode_array does not write such bytes for this
/// shape, or if `history` is not the one that `predictor` needs.
[[nodiscard]] std::optional<Words> decode_array(std::span<const std::byte> bytes,
                                                const Shape& shape, ByteCodec codec,
                                                Predictor predictor, History history);

}  // namespace sluice::codec
