// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/geometry/vtk_cells.h"
#include "solver/result.h"

/// Private to the readers of VTK XML files (VTK File Formats, "XML File Formats"):
///
///   <VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt32"
///   compressor="...">
///     <UnstructuredGrid> <Piece NumberOfPoints="n" ...>
///       <Points>  one DataArray with 3 n numbers
///       <Cells>   DataArrays by Name: connectivity, offsets (ends), types
///     <AppendedData encoding="raw"> _ the bytes of arrays, by their offset from behind the _
///
/// A reader of tags, not of XML at large: appended raw bytes are no XML. It skips what it does not
/// know.
namespace sluice::geometry::vtk {

/// An array, not yet decoded.
struct XmlArray {
  std::string_view section;  ///< The tag that it stands in: Points, Cells, Polys, Strips.
  std::string_view name;
  std::optional<Type> type;
  std::int64_t component_count = 1;
  std::string_view format;   ///< ascii, binary (base64) or appended.
  std::string_view content;  ///< For ascii and binary: the text in the element.
  std::string_view offset;   ///< For appended: the attribute `offset`.
  std::size_t position = 0;  ///< [bytes] Where `content`, or the element's end, is in the file.
};

struct XmlPiece {
  std::optional<std::int64_t> point_count, cell_count;  ///< The counts that the piece claims.
  std::vector<XmlArray> arrays;                         ///< Arrays of Points, Cells, Polys, Strips.
};

/// A file, its arrays not yet decoded. Views are of the file's bytes.
class XmlFile {
 public:
  /// `type` is what the file must be: UnstructuredGrid or PolyData. Errors: `invalid_mesh`.
  [[nodiscard]] static Result<XmlFile> read(std::string_view bytes, std::string_view type);

  [[nodiscard]] const std::vector<XmlPiece>& pieces() const { return pieces_; }

  /// Returns an array's numbers. Errors: `invalid_mesh`. Not const: counts the bytes that arrays
  /// take of the file, at most the file's size, so that many arrays cannot all be the same bytes,
  /// and the numbers that compressed ones become, at most 256 times the file's size and 8 MiB.
  [[nodiscard]] Result<std::vector<double>> reals(const XmlArray& array);
  [[nodiscard]] Result<std::vector<std::int64_t>> integers(const XmlArray& array);

  /// An error at a place in the file: "VTK line 7: ...".
  [[nodiscard]] Error error_at(std::size_t position, const std::string& message) const;

 private:
  template <typename Number>
  Result<std::vector<Number>> numbers(const XmlArray& array);
  template <typename Number>
  Result<std::vector<Number>> text_numbers(const XmlArray& array) const;
  Result<std::string> decoded(const XmlArray& array, Type type);
  Result<std::string> decompressed(class ByteSource& source, const XmlArray& array, Type type);
  std::optional<Error> count_decompressed(const XmlArray& array, Type type,
                                          std::uint64_t block_count, std::uint64_t block_size,
                                          std::uint64_t last_size);
  std::optional<std::string> take(class ByteSource& source, std::uint64_t size);
  std::optional<std::uint64_t> header_number(class ByteSource& source) const;

  std::string_view bytes_;
  mesh_text::NumberForm byte_order_ = mesh_text::NumberForm::little_endian;
  bool has_long_headers_ = false;  // UInt64, not UInt32.
  std::string_view compressor_;    // Empty: none.
  std::vector<XmlPiece> pieces_;
  std::optional<std::string_view> appended_;
  bool is_appended_base64_ = false;
  std::uint64_t taken_total_ = 0;         // [bytes] Counted after decoding, not as base64.
  std::uint64_t decompressed_total_ = 0;  // [bytes] Counted as numbers in memory.
};

/// The points of a piece: three finite numbers each.
[[nodiscard]] Result<std::vector<Vec3>> points_of(XmlFile& file, const XmlPiece& piece);

/// The integers of the array of that name in a section of a piece; empty where it has none.
[[nodiscard]] Result<std::vector<std::int64_t>> integers_of(XmlFile& file, const XmlPiece& piece,
                                                            std::string_view section,
                                                            std::string_view name);

}  // namespace sluice::geometry::vtk
