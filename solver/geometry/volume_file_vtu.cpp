// SPDX-License-Identifier: Apache-2.0
// VTK XML unstructured grids (VTK File Formats, "XML File Formats") whose arrays are text:
//
//   <VTKFile type="UnstructuredGrid"> <UnstructuredGrid>
//     <Piece NumberOfPoints="n" NumberOfCells="m">
//       <Points>  a DataArray of NumberOfComponents="3", format="ascii": 3 n numbers
//       <Cells>   three DataArrays by Name: connectivity, offsets (ends), types
//
// A reader of tags, not of XML at large: it needs no entities, and skips what it does not know.
#include <cmath>
#include <string>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/vtk_cells.h"

namespace sluice::geometry::volume_readers {
namespace {

using mesh_readers::max_vertex_count;
using mesh_readers::mesh_error;
using mesh_readers::quoted;
using mesh_text::FileCursor;

using MaybeError = std::optional<Error>;

struct Tag {
  std::string_view name;        // With a leading / if it closes.
  std::string_view attributes;  // All that stands after the name.
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
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

class Reader {
 public:
  explicit Reader(std::string_view bytes) : cursor_(bytes) {}

  Result<Cells> read() {
    std::string_view parent;
    bool is_grid = false;
    bool is_whole = false;
    int piece_count = 0;
    while (const std::optional<Tag> tag = next_tag()) {
      if (tag->name == "VTKFile") {
        const auto type = attribute(*tag, "type");
        if (type != "UnstructuredGrid") {
          return here("the type of the file must be UnstructuredGrid, found " +
                      quoted(type.value_or("")));
        }
        is_grid = true;
      } else if (tag->name == "/VTKFile") {
        is_whole = true;
      } else if (tag->name == "Piece") {
        if (++piece_count > 1) return here("only files of one piece are allowed, found a second");
      } else if (tag->name == "Points" || tag->name == "Cells") {
        parent = tag->name;
      } else if (tag->name == "/Points" || tag->name == "/Cells") {
        parent = {};
      } else if (tag->name == "DataArray" && !parent.empty()) {
        if (auto error = read_array(*tag, parent == "Points")) return *std::move(error);
      }
    }
    if (!is_grid) return mesh_error("VTU: the file has no tag <VTKFile type=\"UnstructuredGrid\">");
    if (!is_whole) return mesh_error("VTU: the file ends before </VTKFile>");
    return vtk::sort_cells(std::move(grid_));
  }

 private:
  [[nodiscard]] Error here(const std::string& message) const {
    return mesh_error("VTU " + cursor_.where() + ": " + message);
  }

  // Goes past the next tag that is no comment.
  std::optional<Tag> next_tag() {
    while (true) {
      const std::size_t open = cursor_.rest().find('<');
      if (open == std::string_view::npos) return std::nullopt;
      cursor_.skip(open);
      const bool is_comment = cursor_.rest().starts_with("<!--");
      const std::string_view end = is_comment ? "-->" : ">";
      const std::size_t close = cursor_.rest().find(end);
      if (close == std::string_view::npos) return std::nullopt;
      std::string_view text = cursor_.rest().substr(1, close - 1);
      cursor_.skip(close + end.size());
      if (is_comment) continue;
      const std::size_t name_end = text.find_first_of(" \t\r\n/", 1);
      const std::string_view name = text.substr(0, name_end);
      text.remove_prefix(name.size());
      return Tag{name, text};
    }
  }

  // The next word of an array; empty where the tag that ends it begins.
  std::string_view next_word() {
    const std::size_t next = cursor_.rest().find_first_not_of(" \t\r\v\f\n");
    if (next == std::string_view::npos || cursor_.rest()[next] == '<') return {};
    return cursor_.word_before('<');
  }

  MaybeError read_array(const Tag& tag, bool is_points) {
    const auto format = attribute(tag, "format");
    if (format != "ascii") {
      return here("only arrays in the format ascii are allowed, found " +
                  quoted(format.value_or("none")));
    }
    if (is_points) return read_points(tag);
    const auto name = attribute(tag, "Name");
    if (name == "connectivity") return read_integers(grid_.connectivity);
    if (name == "offsets") return read_integers(grid_.ends);
    if (name == "types") return read_integers(grid_.types);
    return std::nullopt;
  }

  MaybeError read_points(const Tag& tag) {
    if (attribute(tag, "NumberOfComponents") != "3") return here("points need 3 components");
    Vec3 point;
    int have = 0;
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
      const auto value = mesh_text::to_number<double>(word);
      if (!value || !std::isfinite(*value)) {
        return here("a point needs three finite numbers, found " + quoted(word));
      }
      point[have] = *value;
      if (++have < 3) continue;
      have = 0;
      if (grid_.points.size() == max_vertex_count) return here("too many points");
      grid_.points.push_back(point);
    }
    if (have != 0) return here("the last point has fewer than three numbers");
    return std::nullopt;
  }

  MaybeError read_integers(std::vector<std::int64_t>& values) {
    if (!values.empty()) return here("a second array of this name");
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
      const auto value = mesh_text::to_number<std::int64_t>(word);
      if (!value) return here("expected an integer, found " + quoted(word));
      values.push_back(*value);
    }
    return std::nullopt;
  }

  FileCursor cursor_;
  vtk::Grid grid_;
};

}  // namespace

Result<Cells> read_vtu(std::string_view bytes) { return Reader(bytes).read(); }

}  // namespace sluice::geometry::volume_readers
