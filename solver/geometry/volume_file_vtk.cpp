// SPDX-License-Identifier: Apache-2.0
// VTK legacy unstructured grids (VTK File Formats, "Simple Legacy Formats"):
//
//   # vtk DataFile Version x.y
//   title
//   ASCII | BINARY                     numbers of the latter are big-endian
//   DATASET UNSTRUCTURED_GRID
//   POINTS n type                      then 3 n numbers
//   CELLS n size                       before 5.0: then n x (point-count points), as int
//   CELLS n+1 size                     from 5.0 on: then OFFSETS type, n+1 numbers,
//                                      CONNECTIVITY type, size numbers
//   CELL_TYPES n                       then n numbers, as int
//   FIELD name n                       skipped, with its n x
//                                      (name component-count tuple-count type, numbers)
//   METADATA                           skipped, up to an empty line
//   POINT_DATA | CELL_DATA             from here on nothing is of use
#include <cmath>
#include <string>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/text_encoding.h"
#include "solver/geometry/vtk_cells.h"

namespace sluice::geometry::volume_readers {
namespace {

using mesh_readers::max_vertex_count;
using mesh_readers::mesh_error;
using mesh_readers::quoted;
using mesh_text::FileCursor;
using mesh_text::NumberForm;
using mesh_text::to_number;
using vtk::Type;

using MaybeError = std::optional<Error>;

class VtkReader {
 public:
  explicit VtkReader(std::string_view bytes) : cursor_(bytes) {}

  Result<Cells> read() {
    if (auto error = read_header()) return *std::move(error);
    for (std::string_view keyword = cursor_.word(); !keyword.empty(); keyword = cursor_.word()) {
      if (keyword == "POINT_DATA" || keyword == "CELL_DATA") break;
      MaybeError error;
      if (keyword == "POINTS") {
        error = read_points();
      } else if (keyword == "CELLS") {
        error = has_offsets_ ? read_cells_with_offsets() : read_cells();
      } else if (keyword == "CELL_TYPES") {
        error = read_types();
      } else if (keyword == "FIELD") {
        error = skip_fields();
      } else if (keyword == "METADATA") {
        skip_metadata();
      } else {
        return here(
            "expected one of POINTS, CELLS, CELL_TYPES, FIELD, METADATA, POINT_DATA, CELL_DATA, "
            "found " +
            quoted(keyword));
      }
      if (error) return *std::move(error);
    }
    return vtk::sort_cells(std::move(grid_));
  }

 private:
  [[nodiscard]] Error here(const std::string& message) const {
    return mesh_error("VTK " + cursor_.where() + ": " + message);
  }

  MaybeError read_header() {
    constexpr std::string_view magic = "# vtk DataFile Version ";
    std::string_view first = cursor_.line();
    if (!first.starts_with(magic)) {
      return mesh_error("not a VTK file: it " + mesh_text::start_of(first));
    }
    first.remove_prefix(magic.size());
    const auto version = to_number<double>(mesh_text::next_word(first));
    if (!version || !(*version >= 1) || !(*version < 6)) {
      return here("the version must be from 1.0 to 5.x");
    }
    has_offsets_ = *version >= 5;
    cursor_.line();
    const std::string_view form = cursor_.word();
    if (form != "ASCII" && form != "BINARY") {
      return here("expected ASCII or BINARY, found " + quoted(form));
    }
    const std::string_view keyword = cursor_.word(), kind = cursor_.word();
    if (keyword != "DATASET" || kind != "UNSTRUCTURED_GRID") {
      return here("expected DATASET UNSTRUCTURED_GRID, found " + quoted(keyword) + " " +
                  quoted(kind));
    }
    cursor_.line();
    if (form == "BINARY") cursor_.set_form(NumberForm::big_endian);
    return std::nullopt;
  }

  // Words of a line with keywords, which is text in binary files too.
  std::optional<std::uint64_t> next_count() { return to_number<std::uint64_t>(cursor_.word()); }

  MaybeError read_points() {
    if (!grid_.points.empty()) return here("a second section POINTS");
    const auto count = next_count();
    if (!count) return here("expected the number of points");
    const auto type = vtk::type_of_legacy_name(cursor_.word());
    if (!type) return here("unknown type of numbers after POINTS");
    cursor_.line();
    for (std::uint64_t i = 0; i < *count; ++i) {
      Vec3 point;
      for (double& coordinate : point) {
        const auto value = vtk::next_real(cursor_, *type);
        if (!value || !std::isfinite(*value)) return here("a point needs three finite numbers");
        coordinate = *value;
      }
      if (grid_.points.size() == max_vertex_count) return here("too many points");
      grid_.points.push_back(point);
    }
    return std::nullopt;
  }

  MaybeError start_cells(std::uint64_t& count, std::uint64_t& size) {
    if (!grid_.ends.empty()) return here("a second section CELLS");
    const auto given_count = next_count(), given_size = next_count();
    if (!given_count || !given_size) return here("expected the number of cells and their size");
    count = *given_count;
    size = *given_size;
    cursor_.line();
    return std::nullopt;
  }

  MaybeError read_cells() {
    std::uint64_t count = 0, size = 0;
    if (auto error = start_cells(count, size)) return error;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto point_count = cursor_.number<std::int32_t>();
      if (!point_count || *point_count < 1) {
        return here("expected the number of points of a cell, 1 or more");
      }
      for (std::int32_t p = 0; p < *point_count; ++p) {
        const auto point = cursor_.number<std::int32_t>();
        if (!point) return here("expected a point of a cell");
        grid_.connectivity.push_back(*point);
      }
      grid_.ends.push_back(static_cast<std::int64_t>(grid_.connectivity.size()));
    }
    const std::uint64_t found = grid_.ends.size() + grid_.connectivity.size();
    if (found != size) {
      return here("CELLS claims a size of " + std::to_string(size) + ", found " +
                  std::to_string(found));
    }
    return std::nullopt;
  }

  MaybeError read_integers(std::string_view keyword, std::uint64_t count,
                           std::vector<std::int64_t>& values) {
    const std::string_view found = cursor_.word();
    if (found != keyword)
      return here("expected " + std::string(keyword) + ", found " + quoted(found));
    const auto type = vtk::type_of_legacy_name(cursor_.word());
    if (!type || !vtk::is_integer(*type)) {
      return here("expected a type of integers after " + std::string(keyword));
    }
    cursor_.line();
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto value = vtk::next_integer(cursor_, *type);
      if (!value) return here("expected an integer of " + std::string(keyword));
      values.push_back(*value);
    }
    return std::nullopt;
  }

  MaybeError read_cells_with_offsets() {
    std::uint64_t count = 0, size = 0;
    if (auto error = start_cells(count, size)) return error;
    std::vector<std::int64_t> offsets;
    if (auto error = read_integers("OFFSETS", count, offsets)) return error;
    if (!offsets.empty() && offsets.front() != 0) return here("the first of OFFSETS must be 0");
    if (!offsets.empty()) grid_.ends.assign(offsets.begin() + 1, offsets.end());
    return read_integers("CONNECTIVITY", size, grid_.connectivity);
  }

  MaybeError read_types() {
    if (!grid_.types.empty()) return here("a second section CELL_TYPES");
    const auto count = next_count();
    if (!count) return here("expected the number of cells");
    cursor_.line();
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto type = cursor_.number<std::int32_t>();
      if (!type) return here("expected the type of a cell");
      grid_.types.push_back(*type);
    }
    return std::nullopt;
  }

  MaybeError skip_fields() {
    cursor_.word();
    const auto field_count = next_count();
    if (!field_count) return here("expected the number of arrays of FIELD");
    for (std::uint64_t f = 0; f < *field_count; ++f) {
      cursor_.word();
      const auto component_count = next_count(), tuple_count = next_count();
      const std::string_view type_name = cursor_.word();
      const auto type = vtk::type_of_legacy_name(type_name);
      if (!component_count || !tuple_count || !type) {
        return here("an array of FIELD needs components, tuples and a type of numbers, found " +
                    quoted(type_name));
      }
      cursor_.line();
      // Neither product is formed: it could overflow. An array of no components ends at once.
      for (std::uint64_t t = 0; t < *tuple_count && *component_count > 0; ++t) {
        for (std::uint64_t c = 0; c < *component_count; ++c) {
          if (!vtk::next_real(cursor_, *type)) return here("expected a number of FIELD");
        }
      }
    }
    return std::nullopt;
  }

  void skip_metadata() {
    cursor_.line();
    while (!cursor_.rest().empty() && !cursor_.line().empty()) {
    }
  }

  FileCursor cursor_;
  bool has_offsets_ = false;
  vtk::Grid grid_;
};

}  // namespace

Result<Cells> read_vtk(std::string_view bytes) { return VtkReader(bytes).read(); }

}  // namespace sluice::geometry::volume_readers
