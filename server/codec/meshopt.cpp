// SPDX-License-Identifier: Apache-2.0
#include <meshoptimizer.h>

#include <cassert>
#include <cstring>

#include "server/codec/byte_codecs.h"

namespace sluice::codec {
namespace {

std::size_t vertex_bytes(std::size_t row_bytes) { return (row_bytes + 3) / 4 * 4; }

template <typename Word>
Words from_vertices(std::span<const std::byte> vertices, std::size_t rows, std::size_t components) {
  std::vector<Word> words(rows * components);
  const std::size_t row_bytes = components * sizeof(Word);
  const std::size_t stride = vertex_bytes(row_bytes);
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(words.data() + row * components, vertices.data() + row * stride, row_bytes);
  }
  return words;
}

}  // namespace

std::vector<std::byte> encode_meshopt(const Words& residual, int component_count) {
  const auto components = static_cast<std::size_t>(component_count);
  const std::size_t rows = count(residual) / components;
  if (rows == 0) {
    return {};
  }
  return std::visit(
      [&]<typename Word>(const std::vector<Word>& words) {
        const std::size_t row_bytes = components * sizeof(Word);
        const std::size_t stride = vertex_bytes(row_bytes);
        std::vector<std::byte> vertices(rows * stride);
        for (std::size_t row = 0; row < rows; ++row) {
          std::memcpy(vertices.data() + row * stride, words.data() + row * components, row_bytes);
        }
        std::vector<std::byte> bytes(meshopt_encodeVertexBufferBound(rows, stride));
        // Version 0 is what this library writes unless it is told otherwise.
        const std::size_t size =
            meshopt_encodeVertexBuffer(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                       vertices.data(), rows, stride);
        assert(size > 0);
        bytes.resize(size);
        return bytes;
      },
      residual);
}

std::optional<Words> decode_meshopt(std::span<const std::byte> bytes, const Shape& shape) {
  const auto components = static_cast<std::size_t>(shape.component_count);
  const bool is_narrow = bytes_of_word(shape.bits) == sizeof(std::uint16_t);
  if (shape.row_count == 0) {
    return bytes.empty() ? std::optional(is_narrow ? Words(std::vector<std::uint16_t>())
                                                   : Words(std::vector<std::uint32_t>()))
                         : std::nullopt;
  }
  const std::size_t stride = vertex_bytes(components * bytes_of_word(shape.bits));
  // Before anything is allocated: a block of 16 vertices has 2 bits a byte of a vertex at least.
  if (bytes.size() / stride < shape.row_count / 64) {
    return std::nullopt;
  }
  std::vector<std::byte> vertices(shape.row_count * stride);
  if (meshopt_decodeVertexBuffer(vertices.data(), shape.row_count, stride,
                                 reinterpret_cast<const unsigned char*>(bytes.data()),
                                 bytes.size()) != 0) {
    return std::nullopt;
  }
  return is_narrow ? from_vertices<std::uint16_t>(vertices, shape.row_count, components)
                   : from_vertices<std::uint32_t>(vertices, shape.row_count, components);
}

}  // namespace sluice::codec
