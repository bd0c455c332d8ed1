// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::geometry::vtk {

enum class Compression { zlib, lz4, lzma };

/// Returns the compression that a file's attribute `compressor` stands for (vtkZLibDataCompressor,
/// vtkLZ4DataCompressor, vtkLZMADataCompressor), if it is one of these.
[[nodiscard]] std::optional<Compression> compression_of(std::string_view compressor);

/// Returns a block of exactly `size` bytes; nothing if it is damaged or of another size.
[[nodiscard]] std::optional<std::string> decompress(Compression compression, std::string_view block,
                                                    std::size_t size);

}  // namespace sluice::geometry::vtk
