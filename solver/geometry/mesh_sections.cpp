// SPDX-License-Identifier: Apache-2.0
// All lengths are in cells. u and v are the coordinates along axes (axis + 1) % 3 and
// (axis + 2) % 3, rows of faces run along u.
#include "solver/geometry/mesh_sections.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sluice::geometry {
namespace {

constexpr std::int32_t most_cells = 4096;

// Rows are summed over differences of v, which must cancel where an outline closes. Multiples of
// 1 / quanta of a cell, up to 8192 cells in size, are exact, and so are their sums.
constexpr double quanta = 1099511627776;  // 2^40 a cell
double rounded(double v) { return std::nearbyint(v * quanta) / quanta; }

// The number of planes 0 to `last` at or below x: a vertex there counts as above them.
std::int32_t planes_below(double x, std::int32_t last) {
  return static_cast<std::int32_t>(std::clamp(std::floor(x), -1.0, static_cast<double>(last))) + 1;
}

struct Point {
  double u, v;
};

// Sums over the segments in a column of a row, signed by dv of the segment.
struct Coverage {
  double height = 0;  // The height of segments here: they cover so much of each face at less u.
  double area = 0;    // The area between them and the lower u end of this face.
};

// A plane of faces while segments are added.
class Coverages {
 public:
  Coverages(std::int32_t columns, std::int32_t rows)
      : columns_(columns),
        rows_(rows),
        cells_(static_cast<std::size_t>(columns + 1) * static_cast<std::size_t>(rows)) {}

  // With the inside at its left.
  void add_segment(Point a, Point b) {
    double sign = 1;
    if (a.v > b.v) {
      std::swap(a, b);
      sign = -1;
    }
    a.v = rounded(a.v);
    b.v = rounded(b.v);
    if (a.v == b.v || b.v <= 0 || a.v >= rows_) return;
    const double slope = (b.u - a.u) / (b.v - a.v);
    const auto at = [&](double v) { return Point{a.u + (v - a.v) * slope, v}; };
    Point from = a.v < 0 ? at(0) : a;
    const Point end = b.v > rows_ ? at(rows_) : b;
    for (auto row = static_cast<std::int32_t>(from.v); from.v < end.v; ++row) {
      const Point to = row + 1 < end.v ? at(row + 1) : end;
      add_in_row(row, from, to, sign);
      from = to;
    }
  }

  void sum_up(std::span<double> fractions) const {
    for (std::int32_t row = 0; row < rows_; ++row) {
      double covered = cell(row, columns_).height;
      for (std::int32_t column = columns_ - 1; column >= 0; --column) {
        const Coverage& here = cell(row, column);
        const double fraction = covered + here.area;
        covered += here.height;
        fractions[index(row, column, columns_)] = std::clamp(fraction, 0.0, 1.0);
      }
    }
  }

 private:
  static std::size_t index(std::int32_t row, std::int32_t column, std::int32_t row_size) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(row_size) +
           static_cast<std::size_t>(column);
  }
  // The last of a row is for what lies beyond.
  Coverage& cell(std::int32_t row, std::int32_t column) {
    return cells_[index(row, column, columns_ + 1)];
  }
  [[nodiscard]] const Coverage& cell(std::int32_t row, std::int32_t column) const {
    return cells_[index(row, column, columns_ + 1)];
  }

  // A segment within a row, upwards if sign is 1, downwards if -1.
  void add_in_row(std::int32_t row, Point a, Point b, double sign) {
    if (a.u > b.u) {
      std::swap(a, b);
      sign = -sign;
    }
    if (b.u <= 0) return;  // It covers no face of the lattice.
    const auto at = [&](double u) {
      return Point{u, rounded(a.v + (u - a.u) / (b.u - a.u) * (b.v - a.v))};
    };
    Point from = a.u < 0 ? at(0) : a;
    for (auto column = static_cast<std::int32_t>(std::min<double>(from.u, columns_));; ++column) {
      const bool is_last = column == columns_ || b.u <= column + 1;
      const Point to = is_last ? b : at(column + 1);
      const double height = sign * (to.v - from.v);
      Coverage& here = cell(row, column);
      here.height += height;
      here.area += height * ((from.u + to.u) / 2 - column);
      if (is_last) return;
      from = to;
    }
  }

  std::int32_t columns_, rows_;
  std::vector<Coverage> cells_;
};

}  // namespace

void MeshSections::build(const TriangleMesh& mesh, const FaceLattice& lattice) {
  assert(lattice.cell_size > 0);
  assert(std::ranges::all_of(lattice.counts, [](auto n) { return n >= 1 && n <= most_cells; }));
  counts_ = lattice.counts;
  vertices_.clear();
  for (const Vec3& vertex : mesh.vertices) {
    assert(vertex.allFinite());
    vertices_.emplace_back((vertex - lattice.origin) / lattice.cell_size);
  }
  triangles_ = mesh.triangles;
  for (std::size_t axis = 0; axis < 3; ++axis)
    list_crossings(axis);
}

void MeshSections::list_crossings(std::size_t axis) {
  struct Range {
    std::int32_t begin, end;
  };
  // The planes above the lowest corner that are not above the highest.
  const auto crossed = [&](const TriangleIndices& triangle) -> Range {
    const auto below = [&](std::size_t corner) {
      const auto vertex = static_cast<std::size_t>(triangle[corner]);
      assert(vertex < vertices_.size());
      return planes_below(vertices_[vertex][static_cast<Eigen::Index>(axis)], counts_[axis]);
    };
    const auto [begin, end] = std::minmax({below(0), below(1), below(2)});
    return {begin, end};
  };
  auto& [first, triangles] = axes_[axis];
  // A counting sort: first[i + 2] is the number in plane i, then the place of the next one of plane
  // i + 1, which ends as first[i + 2].
  first.assign(static_cast<std::size_t>(counts_[axis]) + 3, 0);
  for (const TriangleIndices& triangle : triangles_) {
    const Range planes = crossed(triangle);
    for (std::int32_t plane = planes.begin; plane < planes.end; ++plane)
      ++first[static_cast<std::size_t>(plane) + 2];
  }
  for (std::size_t i = 2; i < first.size(); ++i)
    first[i] += first[i - 1];
  triangles.resize(first.back());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const Range planes = crossed(triangles_[t]);
    for (std::int32_t plane = planes.begin; plane < planes.end; ++plane)
      triangles[first[static_cast<std::size_t>(plane) + 1]++] = static_cast<std::int32_t>(t);
  }
}

void MeshSections::fractions(int axis, std::int32_t plane, std::span<double> fractions) const {
  assert(axis >= 0 && axis < 3 && plane >= 0 && plane <= counts_[static_cast<std::size_t>(axis)]);
  assert(fractions.size() == face_count(axis));
  const int along_u = (axis + 1) % 3, along_v = (axis + 2) % 3;
  // The same bits for both triangles of an edge, so that the outline closes.
  const auto crossing = [&](const Vec3& lower, const Vec3& upper) -> Point {
    const double part = (plane - lower[axis]) / (upper[axis] - lower[axis]);
    return {lower[along_u] + part * (upper[along_u] - lower[along_u]),
            lower[along_v] + part * (upper[along_v] - lower[along_v])};
  };
  Coverages coverages{counts_[static_cast<std::size_t>(along_u)],
                      counts_[static_cast<std::size_t>(along_v)]};
  const auto& [first, triangles] = axes_[static_cast<std::size_t>(axis)];
  for (std::size_t i = first[static_cast<std::size_t>(plane)];
       i < first[static_cast<std::size_t>(plane) + 1]; ++i) {
    const TriangleIndices& triangle = triangles_[static_cast<std::size_t>(triangles[i])];
    // Around a triangle that is counterclockwise from outside, the inside is left of the way from
    // the edge that goes down through the plane to that which goes up.
    Point down{}, up{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const Vec3& a = vertices_[static_cast<std::size_t>(triangle[corner])];
      const Vec3& b = vertices_[static_cast<std::size_t>(triangle[(corner + 1) % 3])];
      if (a[axis] >= plane && b[axis] < plane) down = crossing(b, a);
      if (a[axis] < plane && b[axis] >= plane) up = crossing(a, b);
    }
    coverages.add_segment(down, up);
  }
  coverages.sum_up(fractions);
}

}  // namespace sluice::geometry
