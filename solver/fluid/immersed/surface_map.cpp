// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/surface_map.h"

#include <algorithm>
#include <cmath>

#include "solver/geometry/predicates.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t surface_map_grain = 256;  // Triangles.

using PlanePoint = Eigen::Vector2d;

// Whether p is to the left of the way from a to b (1) or to its right (-1); where it is on it, p is
// taken to be moved a little up the first axis, and much less up the second. 0 if a is b.
int side_of(const PlanePoint& a, const PlanePoint& b, const PlanePoint& p) {
  const int side = geometry::orientation(a, b, p);
  if (side != 0) return side;
  if (a.y() != b.y()) return a.y() < b.y() ? -1 : 1;
  if (a.x() != b.x()) return a.x() < b.x() ? 1 : -1;
  return 0;
}

double twice_area(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

}  // namespace

void SurfaceMap::set(const CellFrame<3>& frame, std::span<const Vec3> positions,
                     std::span<const TriangleIndices> triangles) {
  vertices_.resize(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    vertices_[i] =
        (positions[i] - frame.origin.cast<double>()) / static_cast<double>(frame.cell_size);
  }
  const auto count = static_cast<std::int64_t>(triangles.size());
  const auto chunks = static_cast<std::size_t>((count + surface_map_grain - 1) / surface_map_grain);
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<std::vector<Found>> by_chunk(chunks);
    parallel::parallel_for(
        0, static_cast<std::int64_t>(chunks), 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t chunk = begin; chunk < end; ++chunk) {
            const std::int64_t last = std::min(count, (chunk + 1) * surface_map_grain);
            for (std::int64_t t = chunk * surface_map_grain; t < last; ++t) {
              add_triangle(static_cast<std::uint32_t>(t), triangles[static_cast<std::size_t>(t)],
                           axis, by_chunk[static_cast<std::size_t>(chunk)]);
            }
          }
        });
    std::vector<Found> found;
    for (const std::vector<Found>& of_chunk : by_chunk)
      found.insert(found.end(), of_chunk.begin(), of_chunk.end());
    sort(axis, found);
  }
}

void SurfaceMap::add_triangle(std::uint32_t triangle, const TriangleIndices& corners, int axis,
                              std::vector<Found>& found) const {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  std::array<PlanePoint, 3> at;
  std::array<double, 3> along{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3& x = vertices_[static_cast<std::size_t>(corners[i])];
    at[i] = PlanePoint(x[u], x[v]);
    along[i] = x[axis];
  }
  const auto [low_u, high_u] = std::minmax({at[0].x(), at[1].x(), at[2].x()});
  const auto [low_v, high_v] = std::minmax({at[0].y(), at[1].y(), at[2].y()});
  const auto first = [](double x) { return static_cast<std::int32_t>(std::ceil(2 * x)); };
  const auto last = [](double x) { return static_cast<std::int32_t>(std::floor(2 * x)); };
  for (std::int32_t j = first(low_v); j <= last(high_v); ++j) {
    for (std::int32_t i = first(low_u); i <= last(high_u); ++i) {
      if (i % 2 == 0 && j % 2 == 0) continue;
      const PlanePoint p(0.5 * i, 0.5 * j);
      const int side = side_of(at[0], at[1], p);
      if (side == 0 || side_of(at[1], at[2], p) != side || side_of(at[2], at[0], p) != side)
        continue;
      Crossing crossing;
      crossing.place.element = triangle;
      crossing.is_front = side > 0;
      const std::array<double, 3> areas{twice_area(at[1], at[2], p), twice_area(at[2], at[0], p),
                                        twice_area(at[0], at[1], p)};
      const double all = areas[0] + areas[1] + areas[2];
      for (std::size_t corner = 0; corner < 3; ++corner) {
        // A triangle that is seen from its edge, to rounding, is crossed in its middle.
        const double part = all != 0 ? std::clamp(areas[corner] / all, 0.0, 1.0) : 1.0 / 3;
        crossing.place.parts[corner] = part;
        crossing.at += part * along[corner];
      }
      found.push_back({{i, j}, crossing});
    }
  }
}

void SurfaceMap::sort(int axis, std::vector<Found>& found) {
  const auto a = static_cast<std::size_t>(axis);
  std::ranges::stable_sort(found, [](const Found& x, const Found& y) {
    if (x.line[1] != y.line[1]) return x.line[1] < y.line[1];
    if (x.line[0] != y.line[0]) return x.line[0] < y.line[0];
    return x.crossing.at < y.crossing.at;
  });
  std::vector<Crossing>& crossings = crossings_[a];
  crossings.resize(found.size());
  std::ranges::transform(found, crossings.begin(), &Found::crossing);
  lines_[a].clear();
  for (std::size_t n = 0; n < found.size();) {
    std::size_t end = n + 1;
    while (end < found.size() && found[end].line == found[n].line)
      ++end;
    lines_[a].push_back({found[n].line, std::span(crossings).subspan(n, end - n)});
    n = end;
  }
  Bounds& bounds = bounds_[a];
  bounds = {};
  if (found.empty()) {
    line_at_[a].clear();
    return;
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const auto [low, high] = std::ranges::minmax_element(
        lines_[a], {}, [k](const OnLine& on_line) { return on_line.line[k]; });
    bounds.first[k] = low->line[k];
    bounds.count[k] = high->line[k] - low->line[k] + 1;
  }
  line_at_[a].assign(
      static_cast<std::size_t>(bounds.count[0]) * static_cast<std::size_t>(bounds.count[1]), 0);
  for (std::size_t n = 0; n < lines_[a].size(); ++n) {
    const auto i = static_cast<std::size_t>(lines_[a][n].line[0] - bounds.first[0]);
    const auto j = static_cast<std::size_t>(lines_[a][n].line[1] - bounds.first[1]);
    line_at_[a][j * static_cast<std::size_t>(bounds.count[0]) + i] =
        static_cast<std::uint32_t>(n) + 1;
  }
}

auto SurfaceMap::crossings(int axis, const Line& line) const noexcept -> std::span<const Crossing> {
  const auto a = static_cast<std::size_t>(axis);
  const Bounds& bounds = bounds_[a];
  const std::int32_t i = line[0] - bounds.first[0], j = line[1] - bounds.first[1];
  if (i < 0 || i >= bounds.count[0] || j < 0 || j >= bounds.count[1]) return {};
  const std::uint32_t place =
      line_at_[a][static_cast<std::size_t>(j) * static_cast<std::size_t>(bounds.count[0]) +
                  static_cast<std::size_t>(i)];
  return place == 0 ? std::span<const Crossing>{} : lines_[a][place - 1].crossings;
}

}  // namespace sluice::fluid::grid
