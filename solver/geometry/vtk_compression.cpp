// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/vtk_compression.h"

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>

#include <cstdint>
#include <limits>

namespace sluice::geometry::vtk {
namespace {

// The memory that liblzma may use to decode: its largest preset needs 65 MiB.
constexpr std::uint64_t lzma_memory_bytes = std::uint64_t{80} << 20;

const std::uint8_t* bytes_of(std::string_view block) {
  return reinterpret_cast<const std::uint8_t*>(block.data());
}

std::uint8_t* bytes_of(std::string& block) { return reinterpret_cast<std::uint8_t*>(block.data()); }

bool decompress_zlib(std::string_view block, std::string& out) {
  auto size = static_cast<uLongf>(out.size());
  return ::uncompress(bytes_of(out), &size, bytes_of(block), static_cast<uLong>(block.size())) ==
             Z_OK &&
         size == out.size();
}

bool decompress_lz4(std::string_view block, std::string& out) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (block.size() > most || out.size() > most) return false;
  const int size = ::LZ4_decompress_safe(block.data(), out.data(), static_cast<int>(block.size()),
                                         static_cast<int>(out.size()));
  return size >= 0 && static_cast<std::size_t>(size) == out.size();
}

bool decompress_lzma(std::string_view block, std::string& out) {
  std::uint64_t memory = lzma_memory_bytes;
  std::size_t read = 0, written = 0;
  return ::lzma_stream_buffer_decode(&memory, 0, nullptr, bytes_of(block), &read, block.size(),
                                     bytes_of(out), &written, out.size()) == LZMA_OK &&
         written == out.size();
}

}  // namespace

std::optional<Compression> compression_of(std::string_view compressor) {
  if (compressor == "vtkZLibDataCompressor") return Compression::zlib;
  if (compressor == "vtkLZ4DataCompressor") return Compression::lz4;
  if (compressor == "vtkLZMADataCompressor") return Compression::lzma;
  return std::nullopt;
}

std::optional<std::string> decompress(Compression compression, std::string_view block,
                                      std::size_t size) {
  std::string out(size, '\0');
  bool is_good = false;
  switch (compression) {
    case Compression::zlib:
      is_good = decompress_zlib(block, out);
      break;
    case Compression::lz4:
      is_good = decompress_lz4(block, out);
      break;
    case Compression::lzma:
      is_good = decompress_lzma(block, out);
      break;
  }
  if (!is_good) return std::nullopt;
  return out;
}

}  // namespace sluice::geometry::vtk
