// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/vtk_cells.h"

#include <array>
#include <limits>
#include <utility>

#include "solver/geometry/mesh_readers.h"

namespace sluice::geometry::vtk {
namespace {

using mesh_readers::max_vertex_count;
using mesh_readers::mesh_error;
using mesh_text::FileCursor;

// Cell types of VTK's file format (vtkCellType.h).
constexpr std::int64_t vertex_type = 1, poly_vertex_type = 2, line_type = 3, poly_line_type = 4,
                       triangle_type = 5, tet_type = 10, quadratic_line_type = 21,
                       quadratic_triangle_type = 22, quadratic_tet_type = 24;

std::string name_of_type(std::int64_t type) {
  std::string number = "cell type " + std::to_string(type);
  switch (type) {
    case 6:
      return number + ", a strip of triangles";
    case 7:
      return number + ", a polygon";
    case 8:
      return number + ", a pixel";
    case 9:
      return number + ", a quadrangle";
    case 11:
      return number + ", a voxel";
    case 12:
      return number + ", a hexahedron";
    case 13:
      return number + ", a wedge";
    case 14:
      return number + ", a pyramid";
    case 25:
      return number + ", a hexahedron of second order";
    case 42:
      return number + ", a polyhedron";
    case 69:
      return number + ", a triangle of any order";
    case 71:
      return number + ", a tetrahedron of any order";
    default:
      return number;
  }
}

struct CellShape {
  std::int64_t point_count;
  std::int64_t corner_count;  // The first of its points.
};

// The shape of a cell type with a fixed number of points that may stand in a file.
std::optional<CellShape> shape_of(std::int64_t type) {
  switch (type) {
    case vertex_type:
      return CellShape{1, 1};
    case line_type:
      return CellShape{2, 2};
    case triangle_type:
      return CellShape{3, 3};
    case tet_type:
      return CellShape{4, 4};
    case quadratic_line_type:
      return CellShape{3, 2};
    case quadratic_triangle_type:
      return CellShape{6, 3};
    case quadratic_tet_type:
      return CellShape{10, 4};
    default:
      return std::nullopt;
  }
}

template <typename T, typename Wanted>
std::optional<Wanted> next_as(FileCursor& cursor) {
  const std::optional<T> value = cursor.number<T>();
  if (!value) return std::nullopt;
  return static_cast<Wanted>(*value);
}

template <typename Wanted>
std::optional<Wanted> next(FileCursor& cursor, Type type) {
  switch (type) {
    case Type::int8:
      return next_as<std::int8_t, Wanted>(cursor);
    case Type::uint8:
      return next_as<std::uint8_t, Wanted>(cursor);
    case Type::int16:
      return next_as<std::int16_t, Wanted>(cursor);
    case Type::uint16:
      return next_as<std::uint16_t, Wanted>(cursor);
    case Type::int32:
      return next_as<std::int32_t, Wanted>(cursor);
    case Type::uint32:
      return next_as<std::uint32_t, Wanted>(cursor);
    case Type::int64:
      return next_as<std::int64_t, Wanted>(cursor);
    case Type::uint64:
      return next_as<std::uint64_t, Wanted>(cursor);
    case Type::float32:
      return next_as<float, Wanted>(cursor);
    case Type::float64:
      return next_as<double, Wanted>(cursor);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Type> type_of_legacy_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Type>, 13> names{
      {{"char", Type::int8},
       {"unsigned_char", Type::uint8},
       {"short", Type::int16},
       {"unsigned_short", Type::uint16},
       {"int", Type::int32},
       {"unsigned_int", Type::uint32},
       {"long", Type::int64},
       {"unsigned_long", Type::uint64},
       {"vtktypeint64", Type::int64},
       {"vtktypeuint64", Type::uint64},
       {"vtkIdType", Type::int32},  // VTK writes its ids as 32 bits here.
       {"float", Type::float32},
       {"double", Type::float64}}};
  for (const auto& [known, type] : names) {
    if (known == name) return type;
  }
  return std::nullopt;
}

std::optional<double> next_real(FileCursor& cursor, Type type) {
  if (!cursor.is_binary()) return cursor.number<double>();
  return next<double>(cursor, type);
}

std::optional<std::int64_t> next_integer(FileCursor& cursor, Type type) {
  if (!is_integer(type)) return std::nullopt;
  return next<std::int64_t>(cursor, type);  // A number beyond 2^63 becomes negative: no index.
}

Result<volume_readers::Cells> sort_cells(Grid grid) {
  const auto error = [](std::size_t cell, const std::string& message) {
    return mesh_error("VTK cell " + std::to_string(cell) + ": " + message);
  };
  if (grid.types.size() != grid.ends.size()) {
    return mesh_error("VTK: " + std::to_string(grid.ends.size()) + " cells, but " +
                      std::to_string(grid.types.size()) + " types of cells");
  }
  volume_readers::Cells cells;
  const auto point_count = static_cast<std::int64_t>(grid.points.size());
  const auto entry_count = static_cast<std::int64_t>(grid.connectivity.size());
  std::int64_t begin = 0;
  for (std::size_t c = 0; c < grid.types.size(); ++c) {
    const std::int64_t type = grid.types[c], end = grid.ends[c];
    if (end < begin || end > entry_count) {
      return error(c, "its points end at entry " + std::to_string(end) + " of " +
                          std::to_string(entry_count) + " and begin at " + std::to_string(begin));
    }
    const std::int64_t first = std::exchange(begin, end);
    const std::int64_t point_total = end - first;
    if (type == poly_vertex_type || type == poly_line_type) continue;
    const auto shape = shape_of(type);
    if (!shape) return error(c, volume_readers::only_linear(name_of_type(type)));
    if (point_total != shape->point_count) {
      return error(c, "a cell of type " + std::to_string(type) + " has " +
                          std::to_string(shape->point_count) + " points, found " +
                          std::to_string(point_total));
    }
    if (shape->corner_count < 3) continue;
    if (shape->point_count > shape->corner_count) ++cells.high_order_count;
    TetIndices corners{};
    for (std::int64_t i = 0; i < shape->corner_count; ++i) {
      const std::int64_t point = grid.connectivity[static_cast<std::size_t>(first + i)];
      if (point < 0 || point >= point_count) {
        return error(c, "it names point " + std::to_string(point) + ", but there are " +
                            std::to_string(point_count));
      }
      corners[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(point);
    }
    if (cells.tets.size() == max_vertex_count || cells.triangles.size() == max_vertex_count) {
      return error(c, "too many cells");
    }
    if (shape->corner_count == 4) {
      cells.tets.push_back(corners);
    } else {
      cells.triangles.push_back({corners[0], corners[1], corners[2]});
    }
  }
  cells.vertices = std::move(grid.points);
  return cells;
}

}  // namespace sluice::geometry::vtk
