// SPDX-License-Identifier: Apache-2.0
// VTK XML unstructured grids: vtk_xml.h. Pieces are read as one grid.
#include <string>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/volume_readers.h"
#include "solver/geometry/vtk_cells.h"
#include "solver/geometry/vtk_xml.h"

namespace sluice::geometry::volume_readers {
namespace {

using MaybeError = std::optional<Error>;

MaybeError add_piece(vtk::XmlFile& file, const vtk::XmlPiece& piece, vtk::Grid& grid) {
  const Result<std::vector<Vec3>> points = vtk::points_of(file, piece);
  if (!points) return points.error();
  const auto connectivity = vtk::integers_of(file, piece, "Cells", "connectivity");
  if (!connectivity) return connectivity.error();
  const auto ends = vtk::integers_of(file, piece, "Cells", "offsets");
  if (!ends) return ends.error();
  const auto types = vtk::integers_of(file, piece, "Cells", "types");
  if (!types) return types.error();
  const auto point_count = static_cast<std::int64_t>(points.value().size());
  const auto first_point = static_cast<std::int64_t>(grid.points.size());
  const auto first_entry = static_cast<std::int64_t>(grid.connectivity.size());
  for (const std::int64_t point : connectivity.value()) {
    if (point < 0 || point >= point_count) {
      return mesh_readers::mesh_error("VTK: a cell names point " + std::to_string(point) +
                                      ", but there are " + std::to_string(point_count));
    }
    grid.connectivity.push_back(first_point + point);
  }
  for (const std::int64_t end : ends.value()) {
    if (end < 0 || end > static_cast<std::int64_t>(connectivity.value().size())) {
      return mesh_readers::mesh_error("VTK: the points of a cell end at entry " +
                                      std::to_string(end) + " of " +
                                      std::to_string(connectivity.value().size()));
    }
    grid.ends.push_back(first_entry + end);
  }
  if (piece.cell_count && *piece.cell_count != static_cast<std::int64_t>(types.value().size())) {
    return mesh_readers::mesh_error("VTK: a piece claims " + std::to_string(*piece.cell_count) +
                                    " cells, its array has " +
                                    std::to_string(types.value().size()) + " types");
  }
  grid.points.insert(grid.points.end(), points.value().begin(), points.value().end());
  grid.types.insert(grid.types.end(), types.value().begin(), types.value().end());
  return std::nullopt;
}

}  // namespace

Result<Cells> read_vtu(std::string_view bytes) {
  Result<vtk::XmlFile> file = vtk::XmlFile::read(bytes, "UnstructuredGrid");
  if (!file) return file.error();
  vtk::Grid grid;
  for (const vtk::XmlPiece& piece : file.value().pieces()) {
    if (auto error = add_piece(file.value(), piece, grid)) return *std::move(error);
  }
  return vtk::sort_cells(std::move(grid));
}

}  // namespace sluice::geometry::volume_readers
