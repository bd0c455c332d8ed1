// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include <memory>
#include <new>

#include "proto/wire/codec/byte_codecs.h"
#include "proto/wire/codec/component_count.h"

namespace sluice::codec {
namespace {

// Higher levels cost several times as much and gain 1 % (decisions.md).
constexpr int level = 1;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// One plane: bits from `shift` on of one component, of all rows.
template <typename Word>
void write_plane(const std::vector<Word>& words, std::size_t component, int component_count,
                 unsigned shift, std::span<std::byte> plane) {
  with_component_count(component_count, [&](auto components) {
    for (std::size_t row = 0; row < plane.size(); ++row) {
      plane[row] = static_cast<std::byte>(words[row * components + component] >> shift);
    }
  });
}

template <typename Word>
Words from_planes(std::span<const std::byte> planes, std::size_t rows, int component_count) {
  std::vector<Word> words(planes.size() / sizeof(Word));
  with_component_count(component_count, [&](auto components) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < components; ++c) {
        std::uint32_t word = 0;
        for (std::size_t byte = 0; byte < sizeof(Word); ++byte) {
          word |= std::to_integer<std::uint32_t>(planes[(c * sizeof(Word) + byte) * rows + row])
                  << (8 * byte);
        }
        words[row * components + c] = static_cast<Word>(word);
      }
    }
  });
  return words;
}

}  // namespace

std::vector<std::byte> encode_planes_zstd(const Words& residual, int component_count) {
  return std::visit(
      [&]<typename Word>(const std::vector<Word>& words) {
        const auto components = static_cast<std::size_t>(component_count);
        const std::size_t rows = words.size() / components;
        const std::size_t plane_count = components * sizeof(Word);
        std::vector<std::byte> plane(rows);
        // The most bytes that zstd may need for the planes, were each of them compressed alone.
        const std::size_t most = plane_count * ZSTD_compressBound(rows);
        const auto bytes = std::make_unique_for_overwrite<std::byte[]>(most);
        const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
        if (!context) {
          throw std::bad_alloc();
        }
        (void)ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
        (void)ZSTD_CCtx_setPledgedSrcSize(context.get(), plane_count * rows);
        ZSTD_outBuffer out{.dst = bytes.get(), .size = most, .pos = 0};
        for (std::size_t number = 0; number < plane_count; ++number) {
          write_plane(words, number / sizeof(Word), component_count,
                      static_cast<unsigned>(8 * (number % sizeof(Word))), plane);
          ZSTD_inBuffer in{.src = plane.data(), .size = rows, .pos = 0};
          const bool is_last = number + 1 == plane_count;
          const std::size_t left =
              ZSTD_compressStream2(context.get(), &out, &in, is_last ? ZSTD_e_end : ZSTD_e_flush);
          if (ZSTD_isError(left) != 0U || left != 0) {
            throw std::bad_alloc();  // The buffer is large enough: only memory can be wanting.
          }
        }
        return std::vector(bytes.get(), bytes.get() + out.pos);
      },
      residual);
}

std::optional<Words> decode_planes_zstd(std::span<const std::byte> bytes, const Shape& shape) {
  const auto components = static_cast<std::size_t>(shape.component_count);
  const bool is_narrow = bytes_of_word(shape.bits) == sizeof(std::uint16_t);
  const std::size_t size = shape.row_count * components * bytes_of_word(shape.bits);
  // Before anything is allocated: a block of zstd has 4 bytes at least, and 128 KiB of content at
  // most; and the frame says its size.
  if (size / (std::size_t{1} << 15U) > bytes.size() ||
      ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != size) {
    return std::nullopt;
  }
  std::vector<std::byte> planes(size);
  const std::size_t written =
      ZSTD_decompress(planes.data(), planes.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(written) != 0U || written != size) {
    return std::nullopt;
  }
  return is_narrow ? from_planes<std::uint16_t>(planes, shape.row_count, shape.component_count)
                   : from_planes<std::uint32_t>(planes, shape.row_count, shape.component_count);
}

}  // namespace sluice::codec
