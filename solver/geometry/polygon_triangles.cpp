// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/polygon_triangles.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "solver/geometry/predicates.h"

namespace sluice::geometry {
namespace {

using Vec2 = Eigen::Vector2d;

// Looks at a corner, a second or two of them, for all polygons of a file together: one of 7,500
// corners.
constexpr std::int64_t most_work = 200'000'000;

// Height over longest edge below which a fan's triangle is not taken, so that corners on an edge,
// which rounding puts on either side of it, go to a triangle that has an area.
constexpr double smallest_height_ratio = 1e-6;

// Coordinates below this part of a polygon's extent are 0: predicates have a smallest number.
constexpr double smallest_coordinate = 1e-60;

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// Height over longest edge, negative where the corners turn right.
double shape_of(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double longest =
      std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return longest > 0 ? cross(b - a, c - a) / longest : 0;
}

// One polygon, as seen along its normal: its extent becomes 1.
class FlatPolygon {
 public:
  FlatPolygon(std::span<const Vec3> vertices, std::span<const std::int32_t> corners) {
    const auto at = [&](std::size_t i) -> const Vec3& {
      return vertices[static_cast<std::size_t>(corners[i])];
    };
    Vec3 lower = at(0), upper = at(0);
    for (std::size_t i = 1; i < corners.size(); ++i) {
      lower = lower.cwiseMin(at(i));
      upper = upper.cwiseMax(at(i));
    }
    const double extent = (upper / 2 - lower / 2).maxCoeff();
    if (!(extent > 0)) return;
    const auto seen = [&](std::size_t i) -> Vec3 { return (at(i) / 2 - lower / 2) / extent; };
    Vec3 normal = Vec3::Zero();
    for (std::size_t i = 0; i < corners.size(); ++i)
      normal += seen(i).cross(seen((i + 1) % corners.size()));
    const double twice_area = normal.norm();
    // With less area than rounding leaves, there is no side to see it from.
    if (!(twice_area > 1e-12)) return;
    normal /= twice_area;
    Eigen::Index least = 0;
    normal.cwiseAbs().minCoeff(&least);
    const Vec3 u = Vec3::Unit(least).cross(normal).normalized();
    const Vec3 v = normal.cross(u);
    points_.reserve(corners.size());
    for (std::size_t i = 0; i < corners.size(); ++i)
      points_.emplace_back(rounded(seen(i).dot(u)), rounded(seen(i).dot(v)));
  }

  [[nodiscard]] bool has_area() const { return !points_.empty(); }
  [[nodiscard]] const Vec2& at(std::size_t i) const { return points_[i]; }

  [[nodiscard]] bool is_fan() const {
    for (std::size_t i = 1; i + 1 < points_.size(); ++i) {
      if (!(shape_of(at(0), at(i), at(i + 1)) > smallest_height_ratio)) return false;
    }
    return true;
  }

  [[nodiscard]] bool has_doubles() const {
    std::vector<Vec2> sorted = points_;
    std::sort(sorted.begin(), sorted.end(), [](const Vec2& a, const Vec2& b) {
      return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
    });
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  }

 private:
  static double rounded(double x) { return std::abs(x) < smallest_coordinate ? 0 : x; }

  std::vector<Vec2> points_;
};

// Cuts ears off a polygon until a triangle is left.
class EarCutter {
 public:
  EarCutter(const FlatPolygon& polygon, std::size_t corner_count)
      : polygon_(polygon),
        has_doubles_(polygon.has_doubles()),
        before_(corner_count),
        after_(corner_count),
        shapes_(corner_count),
        left_(corner_count) {
    for (std::size_t i = 0; i < corner_count; ++i) {
      before_[i] = (i + corner_count - 1) % corner_count;
      after_[i] = (i + 1) % corner_count;
    }
    std::iota(left_.begin(), left_.end(), std::size_t{0});
    for (const std::size_t i : left_)
      measure(i);
  }

  // Hands each triangle's corners, as numbers in the polygon, to `take`.
  template <typename Take>
  void cut(std::int64_t& work, Take take) {
    while (left_.size() > 3 && work <= most_work) {
      const std::size_t ear = best();
      take(before_[ear], ear, after_[ear]);
      left_.erase(std::lower_bound(left_.begin(), left_.end(), ear));
      after_[before_[ear]] = after_[ear];
      before_[after_[ear]] = before_[ear];
      measure(before_[ear]);
      measure(after_[ear]);
      work += static_cast<std::int64_t>(5 * left_.size());
    }
    if (left_.size() == 3) take(left_[0], left_[1], left_[2]);
  }

 private:
  // The shape of the triangle at a corner that is left, and whether it can be cut.
  struct Shape {
    double quality = 0;
    bool is_ear = false;
  };

  void measure(std::size_t i) {
    const Vec2 &a = polygon_.at(before_[i]), &b = polygon_.at(i), &c = polygon_.at(after_[i]);
    shapes_[i] = {shape_of(a, b, c), orientation(a, b, c) > 0 && is_free(i)};
  }

  // Whether no other corner is in the triangle at i, or on it.
  [[nodiscard]] bool is_free(std::size_t i) const {
    const std::size_t from = before_[i], to = after_[i];
    const Vec2 &a = polygon_.at(from), &b = polygon_.at(i), &c = polygon_.at(to);
    for (std::size_t j = after_[to]; j != from; j = after_[j]) {
      const Vec2& p = polygon_.at(j);
      if (p == a || p == b || p == c) continue;
      if (orientation(a, b, p) >= 0 && orientation(b, c, p) >= 0 && orientation(c, a, p) >= 0) {
        return false;
      }
    }
    // Where corners stand on each other, an edge can cross the cut without a corner in the ear.
    for (std::size_t j = to; has_doubles_ && j != from; j = after_[j]) {
      const Vec2 &p = polygon_.at(j), &q = polygon_.at(after_[j]);
      if (orientation(a, c, p) * orientation(a, c, q) < 0 &&
          orientation(p, q, a) * orientation(p, q, c) < 0) {
        return false;
      }
    }
    return true;
  }

  // The best ear; where there is none, for the polygon crosses itself, the best corner.
  [[nodiscard]] std::size_t best() const {
    return *std::max_element(left_.begin(), left_.end(), [&](std::size_t i, std::size_t j) {
      const Shape &a = shapes_[i], &b = shapes_[j];
      return a.is_ear != b.is_ear ? b.is_ear : a.quality < b.quality;
    });
  }

  const FlatPolygon& polygon_;
  bool has_doubles_;
  std::vector<std::size_t> before_, after_;  // By corner.
  std::vector<Shape> shapes_;                // By corner.
  std::vector<std::size_t> left_;            // Corners, ascending.
};

}  // namespace

Result<SplitPolygons> split_polygons(std::span<const Vec3> vertices, const Polygons& polygons) {
  SplitPolygons split;
  std::int64_t work = 0;
  std::size_t begin = 0;
  std::vector<std::int32_t> corners;
  for (const std::size_t end : polygons.ends) {
    corners.assign(polygons.corners.begin() + static_cast<std::ptrdiff_t>(begin),
                   polygons.corners.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    while (corners.size() > 1 && corners.front() == corners.back())
      corners.pop_back();
    if (corners.size() < 3) {
      ++split.left_out_count;
      continue;
    }
    const auto take = [&](std::size_t i, std::size_t j, std::size_t k) {
      // A way there and back leaves triangles without an area; what is at their sides still fits.
      if (corners[i] == corners[j] || corners[j] == corners[k] || corners[k] == corners[i]) return;
      split.triangles.push_back({corners[i], corners[j], corners[k]});
    };
    if (corners.size() == 3) {
      take(0, 1, 2);
      continue;
    }
    const FlatPolygon polygon(vertices, corners);
    if (!polygon.has_area() || polygon.is_fan()) {
      for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        take(0, i, i + 1);
      continue;
    }
    // To measure all corners is the first of the work: it must not be begun in vain.
    const auto count = static_cast<std::int64_t>(corners.size());
    work += count > most_work / count ? most_work + 1 : count * count;
    if (work <= most_work) EarCutter(polygon, corners.size()).cut(work, take);
    if (work > most_work) {
      return Error{ErrorCode::invalid_mesh,
                   "a face of " + std::to_string(count) +
                       " corners is not convex, and with all such faces before it takes too long "
                       "to cut into triangles: let the exporter do it"};
    }
  }
  return split;
}

}  // namespace sluice::geometry
