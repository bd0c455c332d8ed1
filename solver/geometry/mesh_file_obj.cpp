// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ. Not tinyobjloader: it reads a malformed number as 0 and its messages have no line.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

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
  if (*given == 0 || *given > static_cast<std::int64_t>(max_vertex_count) || *given < -count) {
    return at_line(line, "a face names vertex " + std::to_string(*given) + ", but " +
                             std::to_string(count) + " are defined before it");
  }
  return static_cast<std::int32_t>(*given > 0 ? *given - 1 : count + *given);
}

class ObjReader {
 public:
  Result<SurfaceFile> read(std::string_view text) {
    mesh_text::LineReader lines(text);
    std::string joined;
    while (auto line = lines.next()) {
      const std::int64_t number = lines.line_number();
      // A backslash at the end goes on in the next line.
      joined.clear();
      while (line && ends_with_backslash(*line)) {
        joined.append(line->substr(0, line->rfind('\\'))).push_back(' ');
        line = lines.next();
      }
      std::string_view rest = line.value_or(std::string_view{});
      if (!joined.empty()) rest = joined.append(rest);
      if (auto error = read_statement(rest.substr(0, rest.find('#')), number)) {
        return *std::move(error);
      }
    }
    if (auto error = check_corners()) return *std::move(error);
    return from_polygons(std::move(vertices_), polygons_);
  }

 private:
  // Where a comment ends with a backslash (C:\models\), nothing goes on.
  static bool ends_with_backslash(std::string_view line) {
    if (line.find('#') != std::string_view::npos) return false;
    const std::size_t last = line.find_last_not_of(mesh_text::blanks);
    return last != std::string_view::npos && line[last] == '\\';
  }

  std::optional<Error> read_statement(std::string_view rest, std::int64_t line) {
    const std::string_view keyword = next_word(rest);
    if (keyword == "v") {
      const Result<Vec3> vertex = read_vertex(rest, line);
      if (!vertex) return vertex.error();
      if (vertices_.size() == max_vertex_count) return at_line(line, "too many vertices");
      vertices_.push_back(vertex.value());
    } else if (keyword == "f") {
      return read_face(rest, line);
    }
    return std::nullopt;
  }

  std::optional<Error> read_face(std::string_view rest, std::int64_t line) {
    int corner_count = 0;
    for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
      const Result<std::int32_t> corner = read_corner(word, vertices_.size(), line);
      if (!corner) return corner.error();
      polygons_.corners.push_back(corner.value());
      ++corner_count;
      if (corner.value() > largest_.corner) largest_ = {corner.value(), line};
    }
    if (corner_count < 3) {
      return at_line(line,
                     "a face needs at least 3 corners, found " + std::to_string(corner_count));
    }
    polygons_.close();
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Error> check_corners() const {
    const std::int64_t needed = std::int64_t{largest_.corner} + 1;
    if (needed <= static_cast<std::int64_t>(vertices_.size())) return std::nullopt;
    return at_line(largest_.line, "a face names vertex " + std::to_string(needed) +
                                      ", but the file has " + std::to_string(vertices_.size()));
  }

  // The largest index that a face names, and where first: its vertex may stand after the face.
  struct Largest {
    std::int32_t corner = -1;
    std::int64_t line = 0;
  };

  std::vector<Vec3> vertices_;
  Polygons polygons_;
  Largest largest_;
};

}  // namespace

Result<SurfaceFile> read_obj(std::string_view text) { return ObjReader().read(text); }

}  // namespace sluice::geometry::mesh_readers
