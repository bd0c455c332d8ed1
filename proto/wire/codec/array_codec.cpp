// SPDX-License-Identifier: Apache-2.0
#include "proto/wire/codec/array_codec.h"

#include <utility>

namespace sluice::codec {
namespace {

// The vertex codec takes differences of its own, byte by byte: on keys it does better without ours.
bool has_residual(ByteCodec codec, Predictor predictor) {
  return codec != ByteCodec::meshopt || predictor != Predictor::none;
}

std::vector<std::byte> encode_residual(const Words& residual, int component_count,
                                       ByteCodec codec) {
  if (count(residual) == 0) {
    return {};
  }
  return codec == ByteCodec::meshopt ? encode_meshopt(residual, component_count)
                                     : encode_planes_zstd(residual, component_count);
}

std::optional<Words> decode_residual(std::span<const std::byte> bytes, const Shape& shape,
                                     ByteCodec codec) {
  if (shape.row_count == 0) {
    if (!bytes.empty()) {
      return std::nullopt;
    }
    return bytes_of_word(shape.bits) == sizeof(std::uint16_t) ? Words(std::vector<std::uint16_t>())
                                                              : Words(std::vector<std::uint32_t>());
  }
  return codec == ByteCodec::meshopt ? decode_meshopt(bytes, shape)
                                     : decode_planes_zstd(bytes, shape);
}

}  // namespace

std::vector<std::byte> encode_array(const Words& words, int component_count, ByteCodec codec,
                                    Predictor predictor, History history) {
  if (!has_residual(codec, predictor)) {
    return encode_residual(words, component_count, codec);
  }
  return encode_residual(make_residual(words, predictor, component_count, history), component_count,
                         codec);
}

std::optional<Words> decode_array(std::span<const std::byte> bytes, const Shape& shape,
                                  ByteCodec codec, Predictor predictor, History history) {
  auto residual = decode_residual(bytes, shape, codec);
  if (!residual || !has_residual(codec, predictor)) {
    return residual;
  }
  return add_prediction(*std::move(residual), predictor, shape.component_count, history);
}

}  // namespace sluice::codec
