// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proto/wire/codec/quantization.h"

/// Encodes the residuals of at least one row as bytes, and back. Decoders take any bytes and return
/// nothing if the encoder would not write them for an array of that shape; they allocate no more
/// than the shape needs.
namespace sluice::codec {

/// The shape of an array, which a decoder must know.
struct Shape {
  std::size_t row_count = 0;  ///< Above 0 for the functions below.
  int component_count = 1;    ///< In [1, most_components].
  int bits = 16;              ///< In [least_bits, most_bits].
};

/// For CODEC_Q16_PLANES_ZSTD: byte planes (the lowest byte of component 0 of all rows, then its
/// next byte, then component 1 and so on) in one zstd frame (RFC 8878) of level 1. Each plane ends
/// with a block boundary, because planes differ in their statistics.
[[nodiscard]] std::vector<std::byte> encode_planes_zstd(const Words& residual, int component_count);
[[nodiscard]] std::optional<Words> decode_planes_zstd(std::span<const std::byte> bytes,
                                                      const Shape& shape);

/// For CODEC_Q16_MESHOPT: meshoptimizer's vertex codec, version 0. Each row is one vertex, padded
/// with zeros to a multiple of 4 bytes.
///
/// Source: meshoptimizer 0.18, src/vertexcodec.cpp; the format is that of the glTF extension
/// EXT_meshopt_compression, mode ATTRIBUTES.
[[nodiscard]] std::vector<std::byte> encode_meshopt(const Words& residual, int component_count);
[[nodiscard]] std::optional<Words> decode_meshopt(std::span<const std::byte> bytes,
                                                  const Shape& shape);

}  // namespace sluice::codec
