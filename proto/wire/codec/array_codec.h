// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "proto/wire/codec/byte_codecs.h"
#include "proto/wire/codec/residual.h"

namespace sluice::codec {

/// How residuals become bytes. The values are those of sluice.v1.Codec.
enum class ByteCodec {
  planes_zstd = 2,
  meshopt = 3,
};

/// The bytes of an array; none where it has no rows. Pre: as of make_residual.
[[nodiscard]] std::vector<std::byte> encode_array(const Words& words, int component_count,
                                                  ByteCodec codec, Predictor predictor,
                                                  History history);

/// The integers of an array. Nothing for bytes that encode_array does not write for this shape,
/// or a history that is not the one `predictor` needs.
[[nodiscard]] std::optional<Words> decode_array(std::span<const std::byte> bytes,
                                                const Shape& shape, ByteCodec codec,
                                                Predictor predictor, History history);

}  // namespace sluice::codec
