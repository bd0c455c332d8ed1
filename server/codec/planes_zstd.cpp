// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include <memory>
#include <new>

#include "server/codec/byte_codecs.h"

namespace sluice::codec {
namespace {

// Higher levels cost several times as much and gain 1 % (README.md).
constexpr int level = 1;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

template <typename Word>
void write_plane(const std::vector<Word>& words, std::size_t component, std::size_t components,
                 unsigned shift, std::byte* plane) {
  for (std::size_t at = component; at < words.size(); at += components) {
    *plane++ = static_cast<std::byte>(words[at] >> shift);
  }
}

template <typename Word>
void read_plane(const std::byte* plane, std::size_t component, std::size_t components,
                unsigned shift, std::vector<Word>& words) {
  for (std::size_t at = component; at < words.size(); at += components) {
    words[at] = static_cast<Word>(words[at] | (std::to_integer<unsigned>(*plane++) << shift));
  }
}

template <typename Word>
Words from_planes(std::span<const std::byte> planes, std::size_t rows, std::size_t components) {
  std::vector<Word> words(rows * components);
  const std::byte* plane = planes.data();
  for (std::size_t component = 0; component < components; ++component) {
    for (unsigned byte = 0; byte < sizeof(Word); ++byte, plane += rows) {
      read_plane(plane, component, components, 8 * byte, words);
    }
  }
  return words;
}

}  // namespace

std::vector<std::byte> encode_planes_zstd(const Words& residual, int component_count) {
  const auto components = static_cast<std::size_t>(component_count);
  const std::size_t rows = count(residual) / components;
  if (rows == 0) {
    return {};
  }
  return std::visit(
      [&]<typename Word>(const std::vector<Word>& words) {
        const std::size_t plane_count = components * sizeof(Word);
        std::vector<std::byte> plane(rows);
        // What zstd may need at most for each plane, were it compressed alone.
        std::vector<std::byte> bytes(plane_count * ZSTD_compressBound(rows));
        const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
        if (!context) {
          throw std::bad_alloc();
        }
        (void)ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
        (void)ZSTD_CCtx_setPledgedSrcSize(context.get(), plane_count * rows);
        ZSTD_outBuffer out{.dst = bytes.data(), .size = bytes.size(), .pos = 0};
        for (std::size_t number = 0; number < plane_count; ++number) {
          write_plane(words, number / sizeof(Word), components,
                      static_cast<unsigned>(8 * (number % sizeof(Word))), plane.data());
          ZSTD_inBuffer in{.src = plane.data(), .size = rows, .pos = 0};
          const bool is_last = number + 1 == plane_count;
          const std::size_t left =
              ZSTD_compressStream2(context.get(), &out, &in, is_last ? ZSTD_e_end : ZSTD_e_flush);
          if (ZSTD_isError(left) != 0U || left != 0) {
            throw std::bad_alloc();  // The buffer is large enough: only memory can be wanting.
          }
        }
        bytes.resize(out.pos);
        return bytes;
      },
      residual);
}

std::optional<Words> decode_planes_zstd(std::span<const std::byte> bytes, const Shape& shape) {
  const auto components = static_cast<std::size_t>(shape.component_count);
  const bool is_narrow = bytes_of_word(shape.bits) == sizeof(std::uint16_t);
  const std::size_t size = shape.row_count * components * bytes_of_word(shape.bits);
  if (size == 0) {
    return bytes.empty() ? std::optional(is_narrow ? Words(std::vector<std::uint16_t>())
                                                   : Words(std::vector<std::uint32_t>()))
                         : std::nullopt;
  }
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
  return is_narrow ? from_planes<std::uint16_t>(planes, shape.row_count, components)
                   : from_planes<std::uint32_t>(planes, shape.row_count, components);
}

}  // namespace sluice::codec
