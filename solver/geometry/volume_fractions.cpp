// SPDX-License-Identifier: Apache-2.0
// All lengths are in cells, from the block's origin.
#include "solver/geometry/volume_fractions.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solver/parallel/parallel_for.h"

namespace sluice::geometry {
namespace {

constexpr std::int64_t grain = 2;  // Layers.

// Nearer to none or all of a cell is rounding.
constexpr double least_part = 1e-7;

// A convex piece of a triangle. Each of six cuts adds at most one corner.
struct Piece {
  std::array<Vec3, 10> corners;
  std::size_t count = 0;

  void add(const Vec3& corner) { corners[count++] = corner; }
};

struct Range {
  double least, most;
};

Range range_of(const Piece& piece, int axis) {
  Range range{piece.corners[0][axis], piece.corners[0][axis]};
  for (std::size_t i = 1; i < piece.count; ++i) {
    range.least = std::min(range.least, piece.corners[i][axis]);
    range.most = std::max(range.most, piece.corners[i][axis]);
  }
  return range;
}

// Cuts off what is below `bound`, which stays in `piece` what is above.
Piece cut_off(int axis, double bound, Piece& piece) {
  Piece below, above;
  for (std::size_t i = 0; i < piece.count; ++i) {
    const Vec3& a = piece.corners[i];
    const Vec3& b = piece.corners[i + 1 < piece.count ? i + 1 : 0];
    if (a[axis] <= bound) below.add(a);
    if (a[axis] >= bound) above.add(a);
    if ((a[axis] < bound && b[axis] > bound) || (a[axis] > bound && b[axis] < bound)) {
      Vec3 between = a + (bound - a[axis]) / (b[axis] - a[axis]) * (b - a);
      between[axis] = bound;
      below.add(between);
      above.add(between);
    }
  }
  piece = above;
  return below;
}

// Calls visit(cell, piece) for the parts of a piece in each of `count` slices across an axis, and
// for what is beyond the last one with cell = count. What is before the first is left out.
template <typename Visit>
void slice(Piece piece, int axis, std::int32_t count, const Visit& visit) {
  const Range range = range_of(piece, axis);
  if (range.most <= 0) return;
  if (range.least < 0) cut_off(axis, 0, piece);
  auto cell = static_cast<std::int32_t>(
      std::clamp(range.least, 0.0, static_cast<double>(count)));
  for (; cell < count && range.most > cell + 1; ++cell)
    visit(cell, cut_off(axis, cell + 1, piece));
  visit(cell, piece);
}

// What pieces in a cell do, signed by their normals along x.
struct Cover {
  double area = 0;    // Across x: they cover so much of each cell at less x.
  double volume = 0;  // Between them and the side of least x of this one.
};

class Layer {
 public:
  Layer(std::int32_t columns, std::int32_t rows)
      : columns_(columns),
        rows_(rows),
        cells_(static_cast<std::size_t>(columns + 1) * static_cast<std::size_t>(rows)) {}

  void add(const Piece& in_layer) {
    slice(in_layer, 1, rows_, [&](std::int32_t row, const Piece& in_row) {
      if (row == rows_) return;
      slice(in_row, 0, columns_, [&](std::int32_t column, const Piece& piece) {
        Cover& cover = cell(row, column);
        const Vec3& a = piece.corners[0];
        for (std::size_t i = 2; i < piece.count; ++i) {
          const Vec3 &b = piece.corners[i - 1], &c = piece.corners[i];
          const double area =
              0.5 * ((b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]));
          cover.area += area;
          cover.volume += area * ((a[0] + b[0] + c[0]) / 3 - column);
        }
      });
    });
  }

  void sum_up(std::span<float> fractions) {
    for (std::int32_t row = 0; row < rows_; ++row) {
      double covered = cell(row, columns_).area;
      for (std::int32_t column = columns_ - 1; column >= 0; --column) {
        const Cover& here = cell(row, column);
        const double part = covered + here.volume;
        covered += here.area;
        const double snapped = part < least_part ? 0 : part > 1 - least_part ? 1 : part;
        fractions[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)] = static_cast<float>(snapped);
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
  std::vector<Cover> cells_;
};

}  // namespace

void volume_fractions(std::span<const Vec3> vertices, std::span<const TriangleIndices> triangles,
                      const CellBlock& block, std::span<float> fractions) {
  const auto [columns, rows, layers] = block.counts;
  const auto layer_size = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  assert(fractions.size() == layer_size * static_cast<std::size_t>(layers));
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
  parallel::parallel_for(0, layers, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      Layer layer(columns, rows);
      for (const std::uint32_t t : in_layer[static_cast<std::size_t>(k)]) {
        Piece piece;
        for (std::size_t i = 0; i < 3; ++i)
          piece.add(corner(triangles[t], i));
        const Range range = range_of(piece, 2);
        const auto bottom = static_cast<double>(k);
        if (range.least < bottom) cut_off(2, bottom, piece);
        if (range.most > bottom + 1) piece = cut_off(2, bottom + 1, piece);
        if (piece.count > 2) layer.add(piece);
      }
      layer.sum_up(fractions.subspan(static_cast<std::size_t>(k) * layer_size, layer_size));
    }
  });
}

}  // namespace sluice::geometry
