// SPDX-License-Identifier: Apache-2.0
// All lengths are in cells, from the block's origin.
#include "solver/geometry/cell_parts.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solver/geometry/cut_polygon.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::geometry {
namespace {

constexpr std::int64_t cell_parts_grain = 2;  // Layers.

// Nearer to none or all of a cell is rounding.
constexpr double least_part = 1e-7;

// Sums over the pieces in a cell, signed by their normals along x; places are from its least
// corner.
struct Cover {
  double area = 0;             // Across x: they cover so much of each cell at less x.
  double area_y = 0;           // Its integrals of y
  double area_z = 0;           // and of z.
  double volume = 0;           // Between them and the side of least x of this cell.
  Vec3 moment = Vec3::Zero();  // Its integral of the place.

  // A part of an area, of which `at` is the middle.
  void add(double part, const Vec3& at) {
    area += part;
    area_y += part * at[1];
    area_z += part * at[2];
    volume += part * at[0];
    moment += part * at[0] * Vec3(0.5 * at[0], at[1], at[2]);
  }
};

class Layer {
 public:
  Layer(std::int32_t columns, std::int32_t rows, double bottom)
      : columns_(columns),
        rows_(rows),
        bottom_(bottom),
        cells_(static_cast<std::size_t>(columns + 1) * static_cast<std::size_t>(rows)) {}

  void add(const ConvexPolygon& in_layer) {
    slice(in_layer, 1, rows_, [&](std::int32_t row, const ConvexPolygon& in_row) {
      if (row == rows_) return;
      slice(in_row, 0, columns_, [&](std::int32_t column, const ConvexPolygon& piece) {
        Cover& cover = cell(row, column);
        const Vec3 origin(column, row, bottom_);
        const Vec3 a = piece.corners[0] - origin;
        for (std::size_t i = 2; i < piece.count; ++i) {
          const Vec3 b = piece.corners[i - 1] - origin, c = piece.corners[i] - origin;
          const double area = 0.5 * ((b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]));
          // Exact for what is quadratic.
          for (const Vec3& middle : {Vec3((a + b) / 2), Vec3((b + c) / 2), Vec3((c + a) / 2)})
            cover.add(area / 3, middle);
        }
      });
    });
  }

  void sum_up(std::span<CellPart> parts) {
    for (std::int32_t row = 0; row < rows_; ++row) {
      Cover beyond = cell(row, columns_);
      for (std::int32_t column = columns_ - 1; column >= 0; --column) {
        const Cover& here = cell(row, column);
        const double volume = beyond.area + here.volume;
        const Vec3 moment = here.moment + Vec3(0.5 * beyond.area, beyond.area_y, beyond.area_z) -
                            Vec3::Constant(0.5 * volume);
        beyond.area += here.area;
        beyond.area_y += here.area_y;
        beyond.area_z += here.area_z;
        CellPart& part = parts[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                               static_cast<std::size_t>(column)];
        if (volume < least_part) {
          part = {};
        } else if (volume > 1 - least_part) {
          part = {1, Vec3f::Zero()};
        } else {
          part = {static_cast<float>(volume), moment.cast<float>()};
        }
      }
    }
  }

 private:
  // The last of a row is for what lies beyond.
  Cover& cell(std::int32_t row, std::int32_t column) {
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_ + 1) +
                  static_cast<std::size_t>(column)];
  }

  std::int32_t columns_, rows_;
  double bottom_;
  std::vector<Cover> cells_;
};

}  // namespace

void find_cell_parts(std::span<const Vec3> vertices, std::span<const TriangleIndices> triangles,
                     const CellBlock& block, std::span<CellPart> parts) {
  const auto [columns, rows, layers] = block.counts;
  const auto layer_size = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  assert(parts.size() == layer_size * static_cast<std::size_t>(layers));
  const auto corner = [&](const TriangleIndices& triangle, std::size_t i) -> Vec3 {
    const Vec3& vertex = vertices[static_cast<std::size_t>(triangle[i])];
    return (vertex - block.origin).cwiseQuotient(block.cell_size);
  };
  // By layer, the triangles that reach into it.
  std::vector<std::vector<std::uint32_t>> in_layer(static_cast<std::size_t>(layers));
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const double a = corner(triangles[t], 0)[2], b = corner(triangles[t], 1)[2],
                 c = corner(triangles[t], 2)[2];
    const double first = std::max(0.0, std::floor(std::min({a, b, c})));
    const double end = std::min<double>(layers, std::floor(std::max({a, b, c})) + 1);
    for (double layer = first; layer < end; ++layer)
      in_layer[static_cast<std::size_t>(layer)].push_back(static_cast<std::uint32_t>(t));
  }
  parallel::parallel_for(0, layers, cell_parts_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const auto bottom = static_cast<double>(k);
      Layer layer(columns, rows, bottom);
      for (const std::uint32_t t : in_layer[static_cast<std::size_t>(k)]) {
        ConvexPolygon piece;
        for (std::size_t i = 0; i < 3; ++i)
          piece.add(corner(triangles[t], i));
        const Extent extent = extent_of(piece, 2);
        if (extent.least < bottom) cut_off(2, bottom, piece);
        if (extent.most > bottom + 1) piece = cut_off(2, bottom + 1, piece);
        if (piece.count > 2) layer.add(piece);
      }
      layer.sum_up(parts.subspan(static_cast<std::size_t>(k) * layer_size, layer_size));
    }
  });
}

}  // namespace sluice::geometry
