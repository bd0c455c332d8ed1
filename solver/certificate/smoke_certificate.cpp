// SPDX-License-Identifier: Apache-2.0
#include "solver/certificate/smoke_certificate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "solver/certificate/obstacle_passage.h"

namespace sluice::certificate {
namespace {

constexpr double rounding_of_smoke = 1e-6;  // A part of all smoke.

// A bit beside those of the axes: the middle of the cell is in an obstacle or a volume.
constexpr std::uint8_t in_solid = 8;

using Cell = std::array<std::int64_t, 3>;

// [m^2] Twice the signed area of a triangle in the plane across `axis`.
double area(const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  return (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
}

// [m] Along `axis`, where the line through `point` along it meets a triangle; nothing where it
// passes by. A line within rounding of a side meets it, so that no line slips between two triangles
// with a side in common.
std::optional<double> meeting(const std::array<Vec3, 3>& corners, const Vec3& point, int axis) {
  const std::array<double, 3> parts{area(point, corners[1], corners[2], axis),
                                    area(corners[0], point, corners[2], axis),
                                    area(corners[0], corners[1], point, axis)};
  const double whole = area(corners[0], corners[1], corners[2], axis);
  double size = 0;
  for (const Vec3& corner : corners)
    size = std::max(size, (corner - point).squaredNorm());
  const double rounding = 1e-13 * size;
  if (!(std::abs(whole) > rounding)) return std::nullopt;  // Along the line: others are across.
  const double sign = whole > 0 ? 1 : -1;
  for (const double part : parts) {
    if (sign * part < -rounding) return std::nullopt;
  }
  return (parts[0] * corners[0][axis] + parts[1] * corners[1][axis] + parts[2] * corners[2][axis]) /
         (parts[0] + parts[1] + parts[2]);
}

// Whether the line along x through `point` goes up (1) or down (-1) through a directed edge's half
// of the plane, that of larger y; 0 where it passes by. Two triangles say the same of a side that
// they have in common, so that a closed surface has as many ways in as out.
int winding(const Vec3& from, const Vec3& to, const Vec3& point) {
  const bool is_reversed = to.z() < from.z();
  const Vec3& low = is_reversed ? to : from;
  const Vec3& high = is_reversed ? from : to;
  if (!(low.z() <= point.z() && point.z() < high.z())) return 0;
  if (!(area(low, high, point, 0) > 0)) return 0;
  return is_reversed ? -1 : 1;
}

// 1 where the line along x through `point` leaves by a triangle that faces outwards, -1 where it
// enters, 0 where it passes by.
int passage(const std::array<Vec3, 3>& corners, const Vec3& point) {
  return winding(corners[0], corners[1], point) + winding(corners[1], corners[2], point) +
         winding(corners[2], corners[0], point);
}

}  // namespace

SmokeCertificate::SmokeCertificate(const std::vector<geometry::Shape>& sources,
                                   const SmokeState& at_start)
    : lattice_(at_start.lattice),
      is_reached_(static_cast<std::size_t>(lattice_.cell_count())),
      is_closed_(is_reached_.size()) {
  for (std::size_t cell = 0; cell < is_reached_.size(); ++cell) {
    if (at_start.smoke[cell] > 0) reach(cell);
  }
  const Range all{{0, 0, 0}, {lattice_.counts[0], lattice_.counts[1], lattice_.counts[2]}};
  for (const geometry::Shape& source : sources) {
    Cell cell;
    for (cell[2] = all.begin[2]; cell[2] < all.end[2]; ++cell[2]) {
      for (cell[1] = all.begin[1]; cell[1] < all.end[1]; ++cell[1]) {
        for (cell[0] = all.begin[0]; cell[0] < all.end[0]; ++cell[0]) {
          if (depth_in(source, middle_of(cell)) >= 0) reach(index_of(cell));
        }
      }
    }
    allow(source.translation, source.translation, 0);  // Also where it is smaller than a cell.
  }
}

void SmokeCertificate::allow(const Vec3& from, const Vec3& to, double radius) {
  const Vec3 half = Vec3::Constant(radius) + 0.5 * lattice_.edges;
  const Range range = cells_within(from.cwiseMin(to) - half, from.cwiseMax(to) + half);
  Cell cell;
  for (cell[2] = range.begin[2]; cell[2] < range.end[2]; ++cell[2]) {
    for (cell[1] = range.begin[1]; cell[1] < range.end[1]; ++cell[1]) {
      for (cell[0] = range.begin[0]; cell[0] < range.end[0]; ++cell[0])
        reach(index_of(cell));
    }
  }
}

SmokeFindings SmokeCertificate::check(const SmokeState& state) {
  SmokeFindings findings;
  set_walls(state, findings);
  flood(state);
  double all = 0, beyond = 0;
  for (std::size_t cell = 0; cell < is_reached_.size(); ++cell) {
    if ((is_closed_[cell] & in_solid) != 0) continue;
    all += static_cast<double>(state.smoke[cell]);
    if (is_reached_[cell] == 0) beyond += static_cast<double>(state.smoke[cell]);
  }
  if (all > 0 && beyond > rounding_of_smoke * all) findings.beyond_part = beyond / all;
  return findings;
}

void SmokeCertificate::set_walls(const SmokeState& state, SmokeFindings& findings) {
  std::vector<Vec3> places;
  for (const scene::Obstacle& obstacle : state.obstacles)
    places.push_back(obstacle.shape.translation);
  if (std::exchange(has_walls_, true) && std::ranges::equal(last_vertices_, state.vertices) &&
      last_obstacles_ == places) {
    return;
  }
  last_vertices_.assign(state.vertices.begin(), state.vertices.end());
  last_obstacles_ = std::move(places);
  std::ranges::fill(is_closed_, std::uint8_t{0});
  for (const scene::Obstacle& obstacle : state.obstacles)
    close_by_obstacle(obstacle.shape);
  for (const auto& [a, b, c] : state.triangles) {
    close_by_triangle({state.vertices[static_cast<std::size_t>(a)],
                       state.vertices[static_cast<std::size_t>(b)],
                       state.vertices[static_cast<std::size_t>(c)]});
  }
  mark_volumes(state);
  findings.face_count = 3 * lattice_.cell_count();
  // Smoke that was walled in may have a way out now.
  for (std::size_t cell = 0; cell < is_reached_.size(); ++cell) {
    if (is_reached_[cell] != 0) front_.push_back(cell);
  }
}

void SmokeCertificate::close_by_obstacle(const geometry::Shape& shape) {
  Cell cell;
  for (cell[2] = 0; cell[2] < lattice_.counts[2]; ++cell[2]) {
    for (cell[1] = 0; cell[1] < lattice_.counts[1]; ++cell[1]) {
      for (cell[0] = 0; cell[0] < lattice_.counts[0]; ++cell[0]) {
        const Vec3 here = middle_of(cell);
        const double depth = depth_in(shape, here);
        if (depth > 0) is_closed_[index_of(cell)] |= in_solid;
        for (int axis = 0; axis < 3; ++axis) {
          // A depth changes by no more than the way goes.
          const double way = lattice_.edges[axis];
          if (depth < -way) continue;
          Vec3 next = here;
          next[axis] += way;
          if (depth > 0 || depth_along(shape, here, next) > 0)
            is_closed_[index_of(cell)] |= static_cast<std::uint8_t>(1 << axis);
        }
      }
    }
  }
}

void SmokeCertificate::close_by_triangle(const std::array<Vec3, 3>& corners) {
  const Vec3 lower = corners[0].cwiseMin(corners[1]).cwiseMin(corners[2]);
  const Vec3 upper = corners[0].cwiseMax(corners[1]).cwiseMax(corners[2]);
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 from = lower, to = upper;
    from[axis] -= lattice_.edges[axis];
    const Range range = cells_within(from, to);
    Cell cell;
    for (cell[2] = range.begin[2]; cell[2] < range.end[2]; ++cell[2]) {
      for (cell[1] = range.begin[1]; cell[1] < range.end[1]; ++cell[1]) {
        for (cell[0] = range.begin[0]; cell[0] < range.end[0]; ++cell[0]) {
          const Vec3 here = middle_of(cell);
          const std::optional<double> place = meeting(corners, here, axis);
          if (place && axis == 1 && lattice_.counts[1] == 1) {
            close_around(cell);
          } else if (place && *place >= here[axis] && *place <= here[axis] + lattice_.edges[axis])
            is_closed_[index_of(cell)] |= static_cast<std::uint8_t>(1 << axis);
        }
      }
    }
  }
}

// Along each row of cells, by how often what is before a middle leads in and out.
void SmokeCertificate::mark_volumes(const SmokeState& state) {
  if (lattice_.counts[1] == 1) return;  // close_around() has marked slices.
  struct Hit {
    std::size_t row;  // Index of its first cell.
    double x;         // [m]
    int passage;
  };
  std::vector<Hit> hits;
  for (const TriangleIndices& triangle : state.around_volumes) {
    std::array<Vec3, 3> corners;
    for (std::size_t i = 0; i < 3; ++i)
      corners[i] = state.vertices[static_cast<std::size_t>(triangle[i])];
    const Range range = cells_within(corners[0].cwiseMin(corners[1]).cwiseMin(corners[2]),
                                     corners[0].cwiseMax(corners[1]).cwiseMax(corners[2]));
    const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    Cell cell{0, 0, 0};
    for (cell[2] = range.begin[2]; cell[2] < range.end[2]; ++cell[2]) {
      for (cell[1] = range.begin[1]; cell[1] < range.end[1]; ++cell[1]) {
        const Vec3 middle = middle_of(cell);
        const int way = passage(corners, middle);
        if (way == 0 || normal.x() == 0) continue;
        const Vec3 to = corners[0] - middle;
        hits.push_back({index_of(cell),
                        corners[0].x() + (normal.y() * to.y() + normal.z() * to.z()) / normal.x(),
                        way});
      }
    }
  }
  std::ranges::sort(
      hits, [](const Hit& a, const Hit& b) { return a.row != b.row ? a.row < b.row : a.x < b.x; });
  for (std::size_t first = 0; first < hits.size();) {
    std::size_t last = first;
    int inside = 0;
    for (std::int64_t x = 0; x < lattice_.counts[0]; ++x) {
      const double middle = middle_of({x, 0, 0}).x();
      for (; last < hits.size() && hits[last].row == hits[first].row && hits[last].x <= middle;
           ++last)
        inside -= hits[last].passage;
      if (inside > 0) is_closed_[hits[first].row + static_cast<std::size_t>(x)] |= in_solid;
    }
    const std::size_t row = hits[first].row;
    while (first < hits.size() && hits[first].row == row)
      ++first;
  }
}

void SmokeCertificate::close_around(const Cell& cell) {
  is_closed_[index_of(cell)] |= in_solid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto bit = static_cast<std::uint8_t>(1 << axis);
    is_closed_[index_of(cell)] |= bit;
    Cell before = cell;
    if (--before[axis] >= 0) is_closed_[index_of(before)] |= bit;
  }
}

void SmokeCertificate::flood(const SmokeState& state) {
  while (!front_.empty()) {
    const auto index = static_cast<std::int64_t>(front_.back());
    front_.pop_back();
    const std::int64_t row = index / lattice_.counts[0];
    const Cell cell{index % lattice_.counts[0], row % lattice_.counts[1], row / lattice_.counts[1]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t count = lattice_.counts[axis];
      for (const std::int64_t step : {-1, 1}) {
        Cell other = cell;
        other[axis] += step;
        if (other[axis] < 0 || other[axis] >= count) {
          if (!state.is_periodic[axis]) continue;
          other[axis] = (other[axis] + count) % count;
        }
        const Cell& lower = step > 0 ? cell : other;
        if ((is_closed_[index_of(lower)] >> axis & 1) == 0) reach(index_of(other));
      }
    }
  }
}

void SmokeCertificate::reach(std::size_t cell) {
  if (std::exchange(is_reached_[cell], std::uint8_t{1}) == 0) front_.push_back(cell);
}

std::size_t SmokeCertificate::index_of(const Cell& cell) const {
  return static_cast<std::size_t>(cell[0] +
                                  lattice_.counts[0] * (cell[1] + lattice_.counts[1] * cell[2]));
}

Vec3 SmokeCertificate::middle_of(const Cell& cell) const {
  Vec3 middle;
  for (int axis = 0; axis < 3; ++axis) {
    middle[axis] =
        lattice_.lower[axis] +
        (static_cast<double>(cell[static_cast<std::size_t>(axis)]) + 0.5) * lattice_.edges[axis];
  }
  return middle;
}

SmokeCertificate::Range SmokeCertificate::cells_within(const Vec3& lower, const Vec3& upper) const {
  Range range;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    const auto count = static_cast<double>(lattice_.counts[k]);
    const double first = (lower[axis] - lattice_.lower[axis]) / lattice_.edges[axis] - 0.5;
    const double last = (upper[axis] - lattice_.lower[axis]) / lattice_.edges[axis] - 0.5;
    range.begin[k] = static_cast<std::int64_t>(std::clamp(std::ceil(first - 1e-9), 0.0, count));
    range.end[k] = static_cast<std::int64_t>(std::clamp(std::floor(last + 1e-9) + 1, 0.0, count));
  }
  return range;
}

}  // namespace sluice::certificate
