// SPDX-License-Identifier: Apache-2.0
// STL: a soup of triangles. Binary is 80 bytes of anything, a uint32 count, then 50 bytes a
// triangle (normal, three corners, two bytes of attributes), little-endian floats. Text is lines of
// keywords, in capitals or not, in solids that are read as one surface.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <tuple>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/mesh_text.h"
#include "solver/geometry/text_encoding.h"

namespace sluice::geometry::mesh_readers {
namespace {

constexpr std::size_t header_size = 84, record_size = 50;

// Gives equal corners one vertex, in order of first use. Sorted, not hashed: no input is slow.
TriangleMesh weld(const std::vector<Vec3>& corners) {
  std::vector<std::int32_t> order(corners.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](std::int32_t i) -> const Vec3& {
    return corners[static_cast<std::size_t>(i)];
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
    const auto key = [&](std::int32_t k) { return std::tuple(at(k).x(), at(k).y(), at(k).z(), k); };
    return key(i) < key(j);
  });
  std::vector<std::int32_t> first_use(corners.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && at(order[i]) == at(order[i - 1]);
    first_use[static_cast<std::size_t>(order[i])] =
        same ? first_use[static_cast<std::size_t>(order[i - 1])] : order[i];
  }
  TriangleMesh mesh;
  std::vector<std::int32_t> vertex_of(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto first = static_cast<std::size_t>(first_use[i]);
    if (first == i) {
      vertex_of[i] = static_cast<std::int32_t>(mesh.vertices.size());
      mesh.vertices.push_back(corners[i]);
    } else {
      vertex_of[i] = vertex_of[first];
    }
  }
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
    mesh.triangles.push_back({vertex_of[i], vertex_of[i + 1], vertex_of[i + 2]});
  }
  return mesh;
}

// Facets as a surface; those that have a corner twice have no area and are left out.
SurfaceFile to_surface(const std::vector<Vec3>& corners) {
  SurfaceFile file;
  static_cast<TriangleMesh&>(file) = weld(corners);
  const std::size_t count = std::erase_if(file.triangles, [](const TriangleIndices& t) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
  });
  if (count > 0) {
    file.remarks.push_back(std::to_string(count) +
                           " facets with two corners in one place are left out");
  }
  return file;
}

Result<SurfaceFile> read_binary(std::string_view bytes, std::size_t triangle_count) {
  if (3 * triangle_count > max_vertex_count) return mesh_error("STL: too many triangles");
  std::vector<Vec3> corners;
  corners.reserve(3 * triangle_count);
  for (std::size_t i = 0; i < triangle_count; ++i) {
    const std::size_t start = header_size + i * record_size;
    std::array<float, 12> values;
    std::memcpy(values.data(), bytes.data() + start, sizeof values);
    for (std::size_t corner = 1; corner <= 3; ++corner) {
      const Vec3 position{values[3 * corner], values[3 * corner + 1], values[3 * corner + 2]};
      if (!position.allFinite()) {
        return mesh_error("STL byte " + std::to_string(start + 12 * corner) +
                          ": a coordinate is not a finite number");
      }
      corners.push_back(position);
    }
  }
  SurfaceFile file = to_surface(corners);
  // A stray byte or two are a known fault of exporters; what could be a triangle is worth a word.
  const std::size_t trailing = bytes.size() - header_size - triangle_count * record_size;
  if (trailing >= record_size) {
    file.remarks.push_back("its header counts " + std::to_string(triangle_count) +
                           " triangles; the " + std::to_string(trailing) +
                           " bytes after them are left out");
  }
  return file;
}

std::string lower_case(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return lower;
}

// The keyword of a line in lower case, one word also where it was written as two: "End Facet".
std::string keyword_of(std::string_view& rest) {
  std::string keyword = lower_case(mesh_text::next_word(rest));
  if (keyword == "end") keyword += lower_case(mesh_text::next_word(rest));
  return keyword;
}

Result<SurfaceFile> read_ascii(std::string_view text) {
  std::vector<Vec3> corners;
  mesh_text::LineReader lines(text);
  const auto error = [&](const std::string& message) {
    return mesh_error("STL line " + std::to_string(lines.line_number()) + ": " + message);
  };
  std::size_t facet_start = 0;
  bool is_ended = false;
  while (const auto line = lines.next()) {
    std::string_view rest = *line;
    const std::string keyword = keyword_of(rest);
    if (keyword.empty()) continue;
    is_ended = keyword == "endsolid" || (is_ended && keyword != "solid");
    if (keyword == "facet") {
      if (corners.size() % 3 != 0) return error("a facet starts before the last has 3 vertices");
      facet_start = corners.size();
    }
    if (keyword == "endfacet" && corners.size() != facet_start + 3) {
      return error("a facet needs 3 vertices, found " +
                   std::to_string(corners.size() - facet_start));
    }
    if (keyword != "vertex") continue;
    Vec3 position;
    for (double& coordinate : position) {
      const std::string_view word = mesh_text::next_word(rest);
      const auto value = mesh_text::to_number<double>(word);
      if (!value || !std::isfinite(*value)) {
        return error("a vertex needs three finite numbers, found " + quoted(word));
      }
      coordinate = *value;
    }
    if (corners.size() == max_vertex_count) return error("too many vertices");
    corners.push_back(position);
  }
  if (corners.size() % 3 != 0) return error("the file ends within a facet");
  SurfaceFile file = to_surface(corners);
  if (!is_ended && !corners.empty()) {
    file.remarks.emplace_back("it ends without the line 'endsolid': it may have been cut short");
  }
  return file;
}

// Whether bytes are what a text could have: then the four of them that a binary file has its count
// in are letters, and mean no number.
bool is_printable(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return std::isprint(static_cast<unsigned char>(c)) != 0 ||
           mesh_text::blanks.find(c) != std::string_view::npos ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

bool starts_as_text(std::string_view text) {
  const std::string_view word = mesh_text::next_word(text);
  return lower_case(word.substr(0, 5)) == "solid" || lower_case(word) == "facet";
}

}  // namespace

Result<SurfaceFile> read_stl(std::string_view bytes) {
  // Binary files may start with "solid" too, and have a few bytes too many. The size tells them: as
  // a count, the letters of a text would need gigabytes.
  std::uint32_t count = 0;
  if (bytes.size() >= header_size) std::memcpy(&count, bytes.data() + 80, sizeof count);
  const std::size_t needed = header_size + std::size_t{count} * record_size;
  if (bytes.size() == needed || (count > 0 && bytes.size() > needed)) {
    return read_binary(bytes, count);
  }
  const Result<std::string_view> text = mesh_text::without_byte_order_mark(bytes);
  if (!text) return text.error();
  std::string_view letters = text.value();
  letters = letters.substr(0, letters.find_last_not_of('\0') + 1);  // Some pad their text.
  if (starts_as_text(letters)) {
    const bool has_letters_only = letters.find('\0') == std::string_view::npos;
    if (has_letters_only) return read_ascii(letters);
  } else if (bytes.size() < header_size || is_printable(bytes.substr(0, header_size)) ||
             mesh_text::is_of_known_format(letters)) {
    return mesh_error("not an STL file: it " + mesh_text::start_of(letters));
  }
  return mesh_error(
      "STL byte 80: " + std::to_string(count) + " triangles need " + std::to_string(needed) +
      " bytes, the file has " + std::to_string(bytes.size()) +
      (bytes.size() > needed ? ": the count is wrong" : ": it may have been cut short"));
}

}  // namespace sluice::geometry::mesh_readers
