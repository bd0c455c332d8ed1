// SPDX-License-Identifier: Apache-2.0
#include <meshoptimizer.h>

#include <cassert>
#include <cstring>
#include <memory>

#include "proto/wire/codec/byte_codecs.h"
#include "proto/wire/codec/component_count.h"

namespace sluice::codec {
namespace {

constexpr std::size_t vertex_bytes(std::size_t row_bytes) { return (row_bytes + 3) / 4 * 4; }

template <typename Word>
std::vector<std::byte> to_vertices(const std::vector<Word>& words, int component_count) {
  std::vector<std::byte> vertices;
  with_component_count(component_count, [&](auto components) {
    const std::size_t row_bytes = components * sizeof(Word);
    const std::size_t rows = words.size() / components;
    const std::size_t stride = vertex_bytes(row_bytes);
    vertices.resize(rows * stride);
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(vertices.data() + row * stride, words.data() + row * components, row_bytes);
    }
  });
  return vertices;
}

template <typename Word>
Words from_vertices(std::span<const std::byte> vertices, std::size_t rows, int component_count) {
  std::vector<Word> words(rows * static_cast<std::size_t>(component_count));
  with_component_count(component_count, [&](auto components) {
    const std::size_t row_bytes = components * sizeof(Word);
    const std::size_t stride = vertex_bytes(row_bytes);
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(words.data() + row * components, vertices.data() + row * stride, row_bytes);
    }
  });
  return words;
}

}  // namespace

std::vector<std::byte> encode_meshopt(const Words& residual, int component_count) {
  return std::visit(
      [&]<typename Word>(const std::vector<Word>& words) {
        const auto components = static_cast<std::size_t>(component_count);
        const std::size_t rows = words.size() / components;
        const std::size_t stride = vertex_bytes(components * sizeof(Word));
        const std::vector<std::byte> vertices = to_vertices(words, component_count);
        const std::size_t most = meshopt_encodeVertexBufferBound(rows, stride);
        const auto bytes = std::make_unique_for_overwrite<unsigned char[]>(most);
        // Version 0 is what this library writes unless it is told otherwise.
        const std::size_t size =
            meshopt_encodeVertexBuffer(bytes.get(), most, vertices.data(), rows, stride);
        assert(size > 0);
        const auto* const begin = reinterpret_cast<const std::byte*>(bytes.get());
        return std::vector(begin, begin + size);
      },
      residual);
}

std::optional<Words> decode_meshopt(std::span<const std::byte> bytes, const Shape& shape) {
  const auto components = static_cast<std::size_t>(shape.component_count);
  const bool is_narrow = bytes_of_word(shape.bits) == sizeof(std::uint16_t);
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
  return is_narrow ? from_vertices<std::uint16_t>(vertices, shape.row_count, shape.component_count)
                   : from_vertices<std::uint32_t>(vertices, shape.row_count, shape.component_count);
}

}  // namespace sluice::codec
