// SPDX-License-Identifier: Apache-2.0
// Arrays in binary, inline or appended, are a header and their bytes. Without a compressor the
// header is the number of bytes. With one it is
//
//   block-count block-size last-block-size (0: as the others) compressed-size x block-count
//
// and the blocks follow. Its numbers are UInt32 or UInt64, as the file says.
#include "solver/geometry/vtk_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "solver/geometry/byte_source.h"
#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/text_encoding.h"
#include "solver/geometry/vtk_compression.h"

namespace sluice::geometry::vtk {
namespace {

using mesh_readers::max_vertex_count;
using mesh_readers::mesh_error;
using mesh_readers::quoted;
using mesh_text::NumberForm;

// Arrays may become this many bytes in memory, and this many more for each byte of the file: a type
// that is one byte in the file becomes a number of eight.
constexpr std::uint64_t decompressed_at_least = std::uint64_t{8} << 20;
constexpr std::uint64_t decompressed_per_byte = 256;

struct Tag {
  std::string_view name;        // With a leading / if it closes.
  std::string_view attributes;  // All that stands after the name.
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(mesh_text::blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(mesh_text::blanks) + 1 - first);
}

// The value of name="value" or name='value', if the tag has it.
std::optional<std::string_view> attribute(const Tag& tag, std::string_view name) {
  std::string_view rest = tag.attributes;
  while (true) {
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view found = trimmed(rest.substr(0, equals));
    const std::size_t open = rest.find_first_of("\"'", equals);
    if (open == std::string_view::npos) return std::nullopt;
    const std::size_t close = rest.find(rest[open], open + 1);
    if (close == std::string_view::npos) return std::nullopt;
    if (found == name) return rest.substr(open + 1, close - open - 1);
    rest.remove_prefix(close + 1);
  }
}

std::optional<std::int64_t> integer_attribute(const Tag& tag, std::string_view name) {
  const auto text = attribute(tag, name);
  return text ? mesh_text::to_number<std::int64_t>(trimmed(*text)) : std::nullopt;
}

std::optional<Type> type_of_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Type>, 10> names{{{"Int8", Type::int8},
                                                                     {"UInt8", Type::uint8},
                                                                     {"Int16", Type::int16},
                                                                     {"UInt16", Type::uint16},
                                                                     {"Int32", Type::int32},
                                                                     {"UInt32", Type::uint32},
                                                                     {"Int64", Type::int64},
                                                                     {"UInt64", Type::uint64},
                                                                     {"Float32", Type::float32},
                                                                     {"Float64", Type::float64}}};
  for (const auto& [known, type] : names) {
    if (known == name) return type;
  }
  return std::nullopt;
}

// Goes through a file tag by tag.
class TagReader {
 public:
  explicit TagReader(std::string_view bytes) : bytes_(bytes) {}

  // Goes past the next tag that is no comment.
  std::optional<Tag> next() {
    while (true) {
      const std::size_t open = bytes_.find('<', position_);
      if (open == std::string_view::npos) return std::nullopt;
      const bool is_comment = bytes_.substr(open).starts_with("<!--");
      const std::string_view end = is_comment ? "-->" : ">";
      const std::size_t close = bytes_.find(end, open);
      if (close == std::string_view::npos) return std::nullopt;
      position_ = close + end.size();
      if (is_comment) continue;
      std::string_view text = bytes_.substr(open + 1, close - open - 1);
      const std::size_t name_end = text.find_first_of(" \t\r\n/", 1);
      const std::string_view name = text.substr(0, name_end);
      text.remove_prefix(name.size());
      return Tag{name, text};
    }
  }

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::string_view rest() const { return bytes_.substr(position_); }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

XmlArray array_of(const Tag& tag, std::string_view section, const TagReader& tags) {
  XmlArray array;
  array.section = section;
  array.name = attribute(tag, "Name").value_or("");
  array.type = type_of_name(attribute(tag, "type").value_or(""));
  array.component_count = integer_attribute(tag, "NumberOfComponents").value_or(1);
  array.format = attribute(tag, "format").value_or("ascii");
  const bool has_content = !trimmed(tag.attributes).ends_with('/');
  array.content = has_content ? tags.rest().substr(0, tags.rest().find('<')) : std::string_view{};
  array.offset = attribute(tag, "offset").value_or("");
  array.position = tags.position();
  return array;
}

template <typename Number>
std::optional<Number> from_bytes(std::string_view bytes, Type type, NumberForm order) {
  mesh_text::FileCursor cursor(bytes);
  cursor.set_form(order);
  if constexpr (std::is_same_v<Number, double>) {
    return next_real(cursor, type);
  } else {
    return next_integer(cursor, type);
  }
}

std::size_t size_of(Type type) {
  switch (type) {
    case Type::int8:
    case Type::uint8:
      return 1;
    case Type::int16:
    case Type::uint16:
      return 2;
    case Type::int32:
    case Type::uint32:
    case Type::float32:
      return 4;
    case Type::int64:
    case Type::uint64:
    case Type::float64:
      return 8;
  }
  return 1;
}

}  // namespace

Error XmlFile::error_at(std::size_t position, const std::string& message) const {
  const std::string_view before = bytes_.substr(0, position);
  const auto line = 1 + std::count(before.begin(), before.end(), mesh_text::line_end_of(bytes_));
  return mesh_error("VTK line " + std::to_string(line) + ": " + message);
}

Result<XmlFile> XmlFile::read(std::string_view bytes, std::string_view type) {
  XmlFile file;
  file.bytes_ = bytes;
  TagReader tags(bytes);
  std::string_view section;
  bool has_file = false, is_whole = false;
  while (const std::optional<Tag> tag = tags.next()) {
    if (tag->name == "VTKFile") {
      const std::string_view found = attribute(*tag, "type").value_or("");
      if (found != type) {
        return file.error_at(tags.position(), "the type of the file must be " + std::string(type) +
                                                  ", found " + quoted(found));
      }
      has_file = true;
      if (attribute(*tag, "byte_order") == "BigEndian") file.byte_order_ = NumberForm::big_endian;
      file.has_long_headers_ = attribute(*tag, "header_type") == "UInt64";
      file.compressor_ = attribute(*tag, "compressor").value_or("");
    } else if (tag->name == "/VTKFile") {
      is_whole = true;
    } else if (tag->name == "Piece") {
      file.pieces_.push_back({integer_attribute(*tag, "NumberOfPoints"),
                              integer_attribute(*tag, "NumberOfCells"),
                              {}});
    } else if (tag->name == "Points" || tag->name == "Cells" || tag->name == "Polys" ||
               tag->name == "Strips") {
      section = trimmed(tag->attributes).ends_with('/') ? std::string_view{} : tag->name;
    } else if (tag->name.starts_with('/') && tag->name.substr(1) == section) {
      section = {};
    } else if (tag->name == "DataArray" && !section.empty() && !file.pieces_.empty()) {
      file.pieces_.back().arrays.push_back(array_of(*tag, section, tags));
    } else if (tag->name == "AppendedData") {
      file.is_appended_base64_ = attribute(*tag, "encoding") != "raw";  // VTK reads it so too.
      const std::size_t mark = tags.rest().find('_');
      if (mark == std::string_view::npos) {
        return file.error_at(tags.position(), "AppendedData has no _ before its bytes");
      }
      // Its bytes are no XML: whether the file is whole, the arrays that are needed tell.
      file.appended_ = tags.rest().substr(mark + 1);
      is_whole = true;
      break;
    }
  }
  if (!has_file) {
    return mesh_error("VTK: the file has no tag <VTKFile type=\"" + std::string(type) + "\">: it " +
                      mesh_text::start_of(bytes));
  }
  if (!is_whole) return mesh_error("VTK: the file ends before </VTKFile>");
  return file;
}

std::optional<std::uint64_t> XmlFile::header_number(ByteSource& source) const {
  const Type type = has_long_headers_ ? Type::uint64 : Type::uint32;
  const auto bytes = source.take(size_of(type));
  if (!bytes) return std::nullopt;
  const auto value = from_bytes<std::int64_t>(*bytes, type, byte_order_);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<Error> XmlFile::count_decompressed(const XmlArray& array, Type type,
                                                 std::uint64_t block_count,
                                                 std::uint64_t block_size,
                                                 std::uint64_t last_size) {
  if (block_count == 0) return std::nullopt;
  const std::uint64_t most = decompressed_at_least + decompressed_per_byte * bytes_.size();
  const std::uint64_t grows = sizeof(double) / size_of(type);
  const std::uint64_t left = (most - decompressed_total_) / grows;
  const std::uint64_t last = last_size > 0 ? last_size : block_size;
  if (last > left || (block_count > 1 && block_size > (left - last) / (block_count - 1))) {
    return error_at(array.position, "the arrays claim to decompress to more than " +
                                        std::to_string(most) + " bytes of numbers, " +
                                        std::to_string(decompressed_per_byte) + " times the file");
  }
  decompressed_total_ += grows * ((block_count - 1) * block_size + last);
  return std::nullopt;
}

std::optional<std::string> XmlFile::take(ByteSource& source, std::uint64_t size) {
  taken_total_ += size;
  return taken_total_ <= bytes_.size() ? source.take(size) : std::nullopt;
}

Result<std::string> XmlFile::decompressed(ByteSource& source, const XmlArray& array, Type type) {
  const auto error = [&](const std::string& message) { return error_at(array.position, message); };
  const auto compression = compression_of(compressor_);
  if (!compression) {
    return error("the compressor " + quoted(compressor_) +
                 " is not one of vtkZLibDataCompressor, vtkLZ4DataCompressor, "
                 "vtkLZMADataCompressor");
  }
  const auto block_count = header_number(source), block_size = header_number(source),
             last_size = header_number(source);
  if (!block_count || !block_size || !last_size || *block_count > source.most_left() ||
      *last_size > *block_size) {
    return error("an array has no header of compressed blocks that fits it");
  }
  if (const auto fault = count_decompressed(array, type, *block_count, *block_size, *last_size)) {
    return *fault;
  }
  std::vector<std::uint64_t> compressed_sizes;
  for (std::uint64_t i = 0; i < *block_count; ++i) {
    const auto size = header_number(source);
    if (!size) return error("an array ends within the header of its compressed blocks");
    compressed_sizes.push_back(*size);
  }
  std::string bytes;
  for (std::uint64_t i = 0; i < *block_count; ++i) {
    const bool is_last = i + 1 == *block_count;
    const std::uint64_t size = is_last && *last_size > 0 ? *last_size : *block_size;
    const auto block = take(source, compressed_sizes[i]);
    const auto whole = block ? decompress(*compression, *block, size) : std::nullopt;
    if (!whole)
      return error("compressed block " + std::to_string(i) +
                   " of an array is damaged, or is another's");
    bytes += *whole;
  }
  return bytes;
}

Result<std::string> XmlFile::decoded(const XmlArray& array, Type type) {
  ByteSource source(array.content, true);
  if (array.format == "appended") {
    const auto offset = mesh_text::to_number<std::uint64_t>(trimmed(array.offset));
    if (!appended_) return error_at(array.position, "the file has no AppendedData");
    if (!offset || *offset > appended_->size()) {
      return error_at(array.position,
                      "the offset " + quoted(array.offset) + " is not a place in AppendedData");
    }
    source = ByteSource(appended_->substr(*offset), is_appended_base64_);
  } else if (array.format != "binary") {
    return error_at(array.position, "the format " + quoted(array.format) +
                                        " is not one of ascii, binary, appended");
  }
  if (!compressor_.empty()) return decompressed(source, array, type);
  const auto size = header_number(source);
  auto bytes = size && *size <= source.most_left() ? take(source, *size) : std::nullopt;
  if (!bytes) {
    return error_at(array.position,
                    "the array " + quoted(array.name) + " of " +
                        (size ? std::to_string(*size) : std::string("unknown")) +
                        " bytes goes on after the file's end, overlaps another, or is no "
                        "base64");
  }
  return *std::move(bytes);
}

template <typename Number>
Result<std::vector<Number>> XmlFile::text_numbers(const XmlArray& array) const {
  std::vector<Number> values;
  std::string_view rest = array.content;
  for (auto word = mesh_text::next_word(rest); !word.empty(); word = mesh_text::next_word(rest)) {
    const auto value = mesh_text::to_number<Number>(word);
    if (!value) {
      const auto at = static_cast<std::size_t>(word.data() - bytes_.data());
      const char* const kind = std::is_same_v<Number, double> ? "a number" : "an integer";
      return error_at(at, fmt::format("expected {}, found {}", kind, quoted(word)));
    }
    values.push_back(*value);
  }
  return values;
}

template <typename Number>
Result<std::vector<Number>> XmlFile::numbers(const XmlArray& array) {
  if (array.format == "ascii") return text_numbers<Number>(array);
  if (!array.type || (!std::is_same_v<Number, double> && !is_integer(*array.type))) {
    return error_at(array.position,
                    "the array " + quoted(array.name) + " has a type that it cannot have");
  }
  const Result<std::string> bytes = decoded(array, *array.type);
  if (!bytes) return bytes.error();
  const std::size_t size = size_of(*array.type);
  if (bytes.value().size() % size != 0) {
    return error_at(array.position, "the array " + quoted(array.name) + " has " +
                                        std::to_string(bytes.value().size()) +
                                        " bytes, which is no whole number of its type");
  }
  std::vector<Number> values;
  values.reserve(bytes.value().size() / size);
  for (std::size_t at = 0; at < bytes.value().size(); at += size) {
    const std::string_view one = std::string_view(bytes.value()).substr(at, size);
    values.push_back(from_bytes<Number>(one, *array.type, byte_order_).value_or(Number{}));
  }
  return values;
}

Result<std::vector<double>> XmlFile::reals(const XmlArray& array) { return numbers<double>(array); }

Result<std::vector<std::int64_t>> XmlFile::integers(const XmlArray& array) {
  return numbers<std::int64_t>(array);
}

Result<std::vector<Vec3>> points_of(XmlFile& file, const XmlPiece& piece) {
  std::vector<Vec3> points;
  const auto array = std::find_if(piece.arrays.begin(), piece.arrays.end(),
                                  [](const XmlArray& a) { return a.section == "Points"; });
  if (array == piece.arrays.end()) return points;
  const auto error = [&](const std::string& message) {
    return file.error_at(array->position, message);
  };
  if (array->component_count != 3) return error("points need 3 components");
  const Result<std::vector<double>> values = file.reals(*array);
  if (!values) return values.error();
  const std::size_t count = values.value().size() / 3;
  if (values.value().size() % 3 != 0) return error("the last point has fewer than three numbers");
  if (count > max_vertex_count) return error("too many points");
  if (piece.point_count && *piece.point_count != static_cast<std::int64_t>(count)) {
    return error("the piece claims " + std::to_string(*piece.point_count) +
                 " points, its array has " + std::to_string(count));
  }
  points.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* const at = &values.value()[3 * i];
    const Vec3 point{at[0], at[1], at[2]};
    if (!point.allFinite()) {
      return error("point " + std::to_string(i) + " needs three finite numbers");
    }
    points.push_back(point);
  }
  return points;
}

Result<std::vector<std::int64_t>> integers_of(XmlFile& file, const XmlPiece& piece,
                                              std::string_view section, std::string_view name) {
  const XmlArray* found = nullptr;
  for (const XmlArray& array : piece.arrays) {
    if (array.section != section || array.name != name) continue;
    if (found != nullptr) {
      return file.error_at(array.position,
                           "a second array " + quoted(name) + " of " + std::string(section));
    }
    found = &array;
  }
  if (found == nullptr) return std::vector<std::int64_t>{};
  return file.integers(*found);
}

}  // namespace sluice::geometry::vtk
