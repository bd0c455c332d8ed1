// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/pair_distance.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace sluice::geometry {
namespace {

// Sines below it count as 0: sides of a triangle, or edges, are then apart by no more than that
// part of their length, and squared distances by its square, which is rounding.
constexpr double smallest_sine = 1e-8;

// sum_i k_i x_i for coefficients of sum 0: of differences, so that nothing is lost far from the
// origin.
Vec3 combine(const PairPoints& x, const Vec4& k) {
  return k[1] * (x[1] - x[0]) + k[2] * (x[2] - x[0]) + k[3] * (x[3] - x[0]);
}

// Where one point slides along a segment: c = corner + fraction slope, fraction in [0, 1].
struct Side {
  Vec4 corner, slope;
};

// The nearest points on a side.
struct OnSide {
  PairDistance distance;
  bool is_inside;  // Whether the fraction is in (0, 1).
};

PairDistance point_point(const PairPoints& x, const Vec4& c) {
  const Vec3 r = combine(x, c);
  return {r.squaredNorm(), r, c, 0, {}, {}};
}

OnSide nearest_on(const Side& side, const PairPoints& x) {
  const Vec3 along = combine(x, side.slope);
  const double length_squared = along.squaredNorm();
  const double way = -combine(x, side.corner).dot(along);
  if (!(way > 0) || length_squared == 0) return {point_point(x, side.corner), false};
  const double fraction = way / length_squared;
  if (!(fraction < 1)) return {point_point(x, side.corner + side.slope), false};
  const Vec4 c = side.corner + fraction * side.slope;
  const double length = std::sqrt(length_squared);
  const Vec3 e = along / length;
  Vec3 r = combine(x, c);
  r -= r.dot(e) * e;
  return {{r.squaredNorm(), r, c, 1, {e}, {side.slope / length}}, true};
}

bool has_corner(const Side& side, const Vec4& c) {
  return side.corner == c || side.corner + side.slope == c;
}

// The nearest of all points on the sides. Where that is a corner by rounding alone, as one side
// that ends there says, it is the point on that side.
template <std::size_t count>
PairDistance nearest_on(const std::array<Side, count>& sides, const PairPoints& x) {
  std::array<OnSide, count> found;
  for (std::size_t i = 0; i < count; ++i)
    found[i] = nearest_on(sides[i], x);
  const auto is_nearer = [](const OnSide& a, const OnSide& b) {
    return a.distance.squared < b.distance.squared;
  };
  OnSide best = *std::min_element(found.begin(), found.end(), is_nearer);
  const Vec4 corner = best.distance.coefficients;
  if (best.is_inside) return best.distance;
  for (std::size_t i = 0; i < count; ++i) {
    if (!found[i].is_inside || !has_corner(sides[i], corner)) continue;
    if (!best.is_inside || is_nearer(found[i], best)) best = found[i];
  }
  return best.distance;
}

// Where r may change along both slopes: the point that makes it least. False if the slopes are
// parallel, the second no further than `shortest` from the line of the first.
bool slide_freely(const PairPoints& x, Vec4 c, const Vec4& first, const Vec4& second,
                  double shortest, PairDistance& out) {
  const Vec3 along = combine(x, first);
  const double length = along.norm();
  if (length == 0) return false;
  const Vec3 e0 = along / length;
  const Vec4 g0 = first / length;
  Vec3 across = combine(x, second);
  Vec4 g1 = second;
  // Twice, so that e1 is across e0 to rounding also where the slopes are nearly parallel.
  for (int pass = 0; pass < 2; ++pass) {
    const double part = across.dot(e0);
    across -= part * e0;
    g1 -= part * g0;
  }
  const double height = across.norm();
  if (!(height > shortest)) return false;
  const Vec3 e1 = across / height;
  g1 /= height;
  Vec3 r = combine(x, c);
  // The second pass takes away what the first left by rounding of large slopes.
  for (int pass = 0; pass < 2; ++pass) {
    c -= r.dot(e0) * g0 + r.dot(e1) * g1;
    r = combine(x, c);
  }
  // Only the part of r across both counts: its direction is then known however short it is.
  const Vec3 normal = e0.cross(e1);
  const double distance = normal.dot(r);
  out = {distance * distance, distance * normal, c, 2, {e0, e1}, {g0, g1}};
  return true;
}

[[maybe_unused]] bool is_finite(const PairPoints& x) {
  return std::ranges::all_of(x, [](const Vec3& p) { return p.allFinite(); });
}

}  // namespace

PairDistance point_triangle_distance(const PairPoints& x) noexcept {
  assert(is_finite(x));
  const std::array<double, 3> squared_sides{
      (x[2] - x[1]).squaredNorm(), (x[3] - x[2]).squaredNorm(), (x[1] - x[3]).squaredNorm()};
  // From corner i along the longest side to j, and to k.
  const auto longest = std::ranges::max_element(squared_sides) - squared_sides.begin();
  const Eigen::Index i = 1 + longest, j = 1 + (longest + 1) % 3, k = 1 + (longest + 2) % 3;
  const double length = std::sqrt(squared_sides[static_cast<std::size_t>(longest)]);
  PairDistance face;
  if (slide_freely(x, Vec4::Unit(0) - Vec4::Unit(i), Vec4::Unit(i) - Vec4::Unit(j),
                   Vec4::Unit(i) - Vec4::Unit(k), smallest_sine * length, face) &&
      (face.coefficients.tail<3>().array() < 0).all()) {
    return face;
  }
  static const std::array<Side, 3> sides{Side{{1, -1, 0, 0}, {0, 1, -1, 0}},
                                         Side{{1, 0, -1, 0}, {0, 0, 1, -1}},
                                         Side{{1, 0, 0, -1}, {0, -1, 0, 1}}};
  return nearest_on(sides, x);
}

PairDistance edge_edge_distance(const PairPoints& x) noexcept {
  assert(is_finite(x));
  const double shortest = smallest_sine * (x[3] - x[2]).norm();
  PairDistance inside;
  if (slide_freely(x, {1, 0, -1, 0}, {-1, 1, 0, 0}, {0, 0, 1, -1}, shortest, inside) &&
      (inside.coefficients.head<2>().array() > 0).all() &&
      (inside.coefficients.tail<2>().array() < 0).all()) {
    return inside;
  }
  static const std::array<Side, 4> sides{
      Side{{1, 0, -1, 0}, {0, 0, 1, -1}}, Side{{0, 1, -1, 0}, {0, 0, 1, -1}},
      Side{{1, 0, -1, 0}, {-1, 1, 0, 0}}, Side{{1, 0, 0, -1}, {-1, 1, 0, 0}}};
  return nearest_on(sides, x);
}

Vec12 squared_distance_gradient(const PairDistance& d) noexcept {
  return 2 * kronecker(d.coefficients, d.offset);
}

Mat12 squared_distance_hessian(const PairDistance& d) noexcept {
  Mat12 H;
  for (Eigen::Index i = 0; i < 4; ++i) {
    for (Eigen::Index j = 0; j < 4; ++j)
      H.block<3, 3>(3 * i, 3 * j) = d.coefficients[i] * d.coefficients[j] * Mat3::Identity();
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(d.freedom); ++k) {
    const Vec12 v = kronecker(d.coefficients, d.directions[k]) + kronecker(d.slopes[k], d.offset);
    H -= v * v.transpose();
  }
  return 2 * H;
}

}  // namespace sluice::geometry
