// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ. Not tinyobjloader: it reads a malformed number as 0 and its messages have no line.
#include <cmath>
#include <string>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/mesh_text.h"

namespace sluice::geometry::mesh_readers {
namespace {

using mesh_text::next_word;
using mesh_text::to_number;

Error at_line(std::int64_t line, const std::string& message) {
  return mesh_error("OBJ line " + std::to_string(line) + ": " + message);
}

// v x y z [w] [r g b]
Result<Vec3> read_vertex(std::string_view rest, std::int64_t line) {
  Vec3 vertex;
  for (double& coordinate : vertex) {
    const std::string_view word = next_word(rest);
    const auto value = to_number<double>(word);
    if (!value || !std::isfinite(*value)) {
      return at_line(line, "a vertex needs three finite numbers, found " + quoted(word));
    }
    coordinate = *value;
  }
  return vertex;
}

// One corner of f: v, v/vt, v//vn or v/vt/vn; 1-based, or negative from the last vertex so far.
Result<std::int32_t> read_corner(std::string_view word, std::size_t vertex_count,
                                 std::int64_t line) {
  const auto count = static_cast<std::int64_t>(vertex_count);
  const auto given = to_number<std::int64_t>(word.substr(0, word.find('/')));
  if (!given) return at_line(line, "a face corner must be an index, found " + quoted(word));
  if (*given == 0 || *given > count || *given < -count) {
    return at_line(line, "a face names vertex " + std::to_string(*given) + ", but " +
                             std::to_string(count) + " are defined before it");
  }
  return static_cast<std::int32_t>(*given > 0 ? *given - 1 : count + *given);
}

}  // namespace

Result<TriangleMesh> read_obj(std::string_view text) {
  TriangleMesh mesh;
  mesh_text::LineReader lines(text);
  std::string joined;
  while (auto line = lines.next()) {
    const std::int64_t number = lines.line_number();
    // A backslash at the end goes on in the next line.
    joined.clear();
    while (line && line->find_last_not_of(mesh_text::blanks) != std::string_view::npos &&
           (*line)[line->find_last_not_of(mesh_text::blanks)] == '\\') {
      joined.append(line->substr(0, line->find_last_not_of(mesh_text::blanks))).push_back(' ');
      line = lines.next();
    }
    std::string_view rest = line.value_or(std::string_view{});
    if (!joined.empty()) rest = joined.append(rest);
    rest = rest.substr(0, rest.find('#'));

    const std::string_view keyword = next_word(rest);
    if (keyword == "v") {
      const Result<Vec3> vertex = read_vertex(rest, number);
      if (!vertex) return vertex.error();
      if (mesh.vertices.size() == max_vertex_count) return at_line(number, "too many vertices");
      mesh.vertices.push_back(vertex.value());
    } else if (keyword == "f") {
      TriangleIndices corners{};
      int corner_count = 0;
      for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
        const Result<std::int32_t> corner = read_corner(word, mesh.vertices.size(), number);
        if (!corner) return corner.error();
        if (corner_count >= 3) corners[1] = corners[2];
        corners[corner_count < 3 ? static_cast<std::size_t>(corner_count) : 2] = corner.value();
        if (++corner_count >= 3) mesh.triangles.push_back(corners);
      }
      if (corner_count < 3) {
        return at_line(number,
                       "a face needs at least 3 corners, found " + std::to_string(corner_count));
      }
    }
  }
  return mesh;
}

}  // namespace sluice::geometry::mesh_readers
