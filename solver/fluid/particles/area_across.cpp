// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/area_across.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace sluice::fluid {

namespace {

// Lines along each of two directions; in two dimensions along one.
constexpr int lines_across = 128;

// Thirds of a line that are left out in the search for its nearest point.
constexpr int most_thirds = 40;

// Two unit vectors across `along`. Along an axis of the domain they are its other axes, so that
// boxes have whole numbers of lines.
std::array<Vec3, 2> directions_across(const Vec3& along, bool is_flat) {
  if (is_flat) return {Vec3(along.z(), 0, -along.x()).normalized(), Vec3::UnitY()};
  int axis = 0;
  if (along.cwiseAbs().maxCoeff(&axis) > 1 - 1e-12)
    return {Vec3::Unit((axis + 1) % 3), Vec3::Unit((axis + 2) % 3)};
  const Vec3 first = along.unitOrthogonal();
  return {first, along.cross(first)};
}

}  // namespace

double area_across(const Vec3& along, const geometry::Shape& shape, const Vec3& lower,
                   const Vec3& upper, bool is_flat) {
  const geometry::Bounds bounds = geometry::bounds(shape);
  Vec3 low = bounds.lower.cwiseMax(lower), high = bounds.upper.cwiseMin(upper);
  if (is_flat) {
    low.y() = lower.y();
    high.y() = upper.y();
  }
  if ((low.array() >= high.array()).any()) return 0;
  const Vec3 middle = (low + high) / 2, half = (high - low) / 2;
  const auto across = directions_across(along, is_flat);
  const auto reach = [&](const Vec3& direction) { return direction.cwiseAbs().dot(half); };
  const auto distance = [&](const Vec3& x) {
    return std::max(geometry::signed_distance(shape, x).distance,
                    ((x - middle).cwiseAbs() - half).maxCoeff());
  };
  // Shape and box are convex, so that a line has one nearest place.
  const auto is_met = [&](const Vec3& start) {
    double first = -reach(along), last = reach(along);
    for (int n = 0; n < most_thirds; ++n) {
      const double third = (last - first) / 3;
      const double before = distance(start + (first + third) * along);
      const double after = distance(start + (last - third) * along);
      if (std::min(before, after) < 0) return true;
      if (before < after) {
        last -= third;
      } else {
        first += third;
      }
    }
    return false;
  };
  const std::array<int, 2> lines{lines_across, is_flat ? 1 : lines_across};
  const Vec3 width[2] = {2 * reach(across[0]) / lines[0] * across[0],
                         2 * reach(across[1]) / lines[1] * across[1]};
  int met = 0;
  for (int i = 0; i < lines[0]; ++i) {
    for (int j = 0; j < lines[1]; ++j) {
      const Vec3 start =
          middle + (i + 0.5 - 0.5 * lines[0]) * width[0] + (j + 0.5 - 0.5 * lines[1]) * width[1];
      if (is_met(start)) ++met;
    }
  }
  return met * width[0].norm() * width[1].norm();
}

}  // namespace sluice::fluid
