// SPDX-License-Identifier: Apache-2.0
// PLY 1.0: a text header that lists elements and their properties, then the values, element after
// element, as text or binary of either byte order.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/mesh_text.h"
#include "solver/geometry/text_encoding.h"

namespace sluice::geometry::mesh_readers {
namespace {

using mesh_text::next_word;
using mesh_text::to_number;

enum class Type { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

std::optional<Type> to_type(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Type>, 18> names{{{"char", Type::int8},
                                                                     {"int8", Type::int8},
                                                                     {"uchar", Type::uint8},
                                                                     {"uint8", Type::uint8},
                                                                     {"short", Type::int16},
                                                                     {"int16", Type::int16},
                                                                     {"ushort", Type::uint16},
                                                                     {"uint16", Type::uint16},
                                                                     {"int", Type::int32},
                                                                     {"int32", Type::int32},
                                                                     {"uint", Type::uint32},
                                                                     {"uint32", Type::uint32},
                                                                     {"int64", Type::int64},
                                                                     {"uint64", Type::uint64},
                                                                     {"float", Type::float32},
                                                                     {"float32", Type::float32},
                                                                     {"double", Type::float64},
                                                                     {"float64", Type::float64}}};
  for (const auto& [known, type] : names) {
    if (known == name) return type;
  }
  return std::nullopt;
}

struct Property {
  std::string_view name;
  Type type;                        // The type of the value, or of a list's entries.
  std::optional<Type> length_type;  // The type of a list's length, if it is a list.
};

struct Element {
  std::string_view name;
  std::uint64_t count;
  std::vector<Property> properties;
};

enum class Format { ascii, binary_little_endian, binary_big_endian };

struct Header {
  Format format = Format::ascii;
  std::vector<Element> elements;
};

// Reads one value after another from text. Line structure does not matter, but is told in errors.
class TextValues {
 public:
  explicit TextValues(const mesh_text::LineReader& lines) : lines_(lines) {}
  std::optional<double> next(Type /*type*/) {
    std::string_view word;
    while ((word = next_word(line_)).empty()) {
      const auto line = lines_.next();
      if (!line) return std::nullopt;
      line_ = *line;
    }
    return to_number<double>(word);
  }
  [[nodiscard]] std::string where() const { return "line " + std::to_string(lines_.line_number()); }

 private:
  mesh_text::LineReader lines_;
  std::string_view line_;
};

class BinaryValues {
 public:
  BinaryValues(std::string_view bytes, std::size_t offset, bool is_big_endian)
      : bytes_(bytes), offset_(offset), is_big_endian_(is_big_endian) {}
  std::optional<double> next(Type type) {
    switch (type) {
      case Type::int8:
        return take<std::int8_t>();
      case Type::uint8:
        return take<std::uint8_t>();
      case Type::int16:
        return take<std::int16_t>();
      case Type::uint16:
        return take<std::uint16_t>();
      case Type::int32:
        return take<std::int32_t>();
      case Type::uint32:
        return take<std::uint32_t>();
      case Type::int64:
        return take<std::int64_t>();
      case Type::uint64:
        return take<std::uint64_t>();
      case Type::float32:
        return take<float>();
      case Type::float64:
        return take<double>();
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string where() const { return "byte " + std::to_string(offset_); }

 private:
  template <typename T>
  std::optional<double> take() {
    if (bytes_.size() - offset_ < sizeof(T)) return std::nullopt;
    std::array<char, sizeof(T)> raw;
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset_), sizeof(T), raw.begin());
    if (is_big_endian_) std::reverse(raw.begin(), raw.end());
    offset_ += sizeof(T);
    return static_cast<double>(std::bit_cast<T>(raw));
  }

  std::string_view bytes_;
  std::size_t offset_;
  bool is_big_endian_;
};

Error error_at(const std::string& where, const std::string& message) {
  return mesh_error("PLY " + where + ": " + message);
}

Result<Header> read_header(mesh_text::LineReader& lines) {
  Header header;
  bool has_format = false;
  const auto error = [&](const std::string& message) {
    return error_at("line " + std::to_string(lines.line_number()), message);
  };
  const auto first = lines.next();
  std::string_view magic = first.value_or(std::string_view{});
  if (next_word(magic) != "ply") {
    return mesh_error("not a PLY file: it " + mesh_text::start_of(first.value_or("")));
  }
  while (const auto line = lines.next()) {
    std::string_view rest = *line;
    const std::string_view keyword = next_word(rest);
    if (keyword == "end_header") {
      if (!has_format) return error("the header has no format line");
      return header;
    }
    if (keyword == "format") {
      const std::string_view name = next_word(rest);
      if (name == "binary_little_endian") {
        header.format = Format::binary_little_endian;
      } else if (name == "binary_big_endian") {
        header.format = Format::binary_big_endian;
      } else if (name != "ascii") {
        return error("format " + quoted(name) +
                     " is not one of ascii, binary_little_endian, binary_big_endian");
      }
      has_format = true;
    } else if (keyword == "element") {
      const std::string_view name = next_word(rest);
      const auto count = to_number<std::uint64_t>(next_word(rest));
      if (!count) return error("element " + quoted(name) + " has no count");
      header.elements.push_back({name, *count, {}});
    } else if (keyword == "property") {
      if (header.elements.empty()) return error("a property before the first element");
      Property property{};
      std::string_view type_name = next_word(rest);
      if (type_name == "list") {
        const std::string_view length_name = next_word(rest);
        property.length_type = to_type(length_name);
        if (!property.length_type) return error("unknown type " + quoted(length_name));
        type_name = next_word(rest);
      }
      const auto type = to_type(type_name);
      if (!type) return error("unknown type " + quoted(type_name));
      property.type = *type;
      property.name = next_word(rest);
      header.elements.back().properties.push_back(property);
    } else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty()) {
      return error("unknown header line " + quoted(*line));
    }
  }
  return error("the header has no end_header");
}

template <typename Values>
class BodyReader {
 public:
  explicit BodyReader(Values values) : values_(std::move(values)) {}

  Result<SurfaceFile> read(const Header& header) {
    for (const Element& element : header.elements) {
      // Nothing in the file backs such elements, so nothing bounds their number.
      if (element.properties.empty() && element.count > 0) {
        return mesh_error("PLY: element " + quoted(element.name) + " has no properties");
      }
      for (std::uint64_t i = 0; i < element.count; ++i) {
        if (auto error = read_element(element)) return *std::move(error);
      }
    }
    for (const std::int32_t index : polygons_.corners) {
      if (static_cast<std::size_t>(index) >= vertices_.size()) {
        return mesh_error("PLY: a face names vertex " + std::to_string(index) + ", but there are " +
                          std::to_string(vertices_.size()));
      }
    }
    return from_polygons(std::move(vertices_), polygons_);
  }

 private:
  Error here(const std::string& message) const { return error_at(values_.where(), message); }

  std::optional<Error> read_element(const Element& element) {
    const bool is_vertex = element.name == "vertex";
    Vec3 position = Vec3::Constant(std::nan(""));
    for (const Property& property : element.properties) {
      if (property.length_type) {
        const bool is_corners = element.name == "face" && (property.name == "vertex_indices" ||
                                                           property.name == "vertex_index");
        if (auto error = read_list(property, *property.length_type, is_corners)) return error;
        continue;
      }
      const auto value = values_.next(property.type);
      if (!value)
        return here("expected " + quoted(property.name) + " of a " + quoted(element.name));
      if (is_vertex && property.name == "x") position.x() = *value;
      if (is_vertex && property.name == "y") position.y() = *value;
      if (is_vertex && property.name == "z") position.z() = *value;
    }
    if (!is_vertex) return std::nullopt;
    if (!position.allFinite()) return here("a vertex needs finite x, y and z");
    if (vertices_.size() == max_vertex_count) return here("too many vertices");
    vertices_.push_back(position);
    return std::nullopt;
  }

  std::optional<Error> read_list(const Property& property, Type length_type, bool is_corners) {
    const auto length = values_.next(length_type);
    if (!length || !(*length >= 0) || *length != std::floor(*length)) {
      return here("expected the length of list " + quoted(property.name));
    }
    const auto count = static_cast<std::uint64_t>(std::min(*length, 0x1p62));
    if (is_corners && count < 3) return here("a face needs at least 3 corners");
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto value = values_.next(property.type);
      if (!value) return here("expected an entry of list " + quoted(property.name));
      if (!is_corners) continue;
      if (!(*value >= 0) || *value != std::floor(*value) ||
          *value >= static_cast<double>(max_vertex_count)) {
        return here("a face corner must be an index of a vertex, found " + std::to_string(*value));
      }
      polygons_.corners.push_back(static_cast<std::int32_t>(*value));
    }
    if (is_corners) polygons_.close();
    return std::nullopt;
  }

  Values values_;
  std::vector<Vec3> vertices_;
  Polygons polygons_;
};

}  // namespace

Result<SurfaceFile> read_ply(std::string_view bytes) {
  mesh_text::LineReader lines(bytes, mesh_text::line_end_of(bytes));
  const Result<Header> header = read_header(lines);
  if (!header) return header.error();
  const Format format = header.value().format;
  if (format != Format::ascii) {
    const std::size_t offset = bytes.size() - lines.rest().size();
    return BodyReader(BinaryValues(bytes, offset, format == Format::binary_big_endian))
        .read(header.value());
  }
  lines.read_text();
  return BodyReader(TextValues(lines)).read(header.value());
}

}  // namespace sluice::geometry::mesh_readers
