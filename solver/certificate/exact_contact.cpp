// SPDX-License-Identifier: Apache-2.0
#include "solver/certificate/exact_contact.h"

#include <algorithm>
#include <cmath>

#include "solver/certificate/polynomial.h"
#include "solver/certificate/unit_interval.h"

namespace sluice::certificate {
namespace {

struct PolynomialVec3 : std::array<Polynomial, 3> {};

// A double is an integer times 2^exponent_of it.
int exponent_of(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::max(exponent - 53, -1074);
}

// value 2^-exponent, an integer.
Integer to_integer(double value, int exponent) {
  int own = 0;
  const double fraction = std::frexp(value, &own);
  Integer result = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int shift = own - 53 - exponent;
  if (shift >= 0) {
    result <<= static_cast<unsigned>(shift);
  } else {
    result >>= static_cast<unsigned>(-shift);  // Exact: the bits shifted out are zeros.
  }
  return result;
}

/// The points as polynomials of s in [0, 1], t = s last, in one common integer scale.
std::array<PolynomialVec3, 4> to_polynomials(const Motion<4>& motion, double last) {
  int exponent = 1024;
  for (const auto* points : {&motion.start, &motion.end}) {
    for (const Vec3& point : *points) {
      for (const double x : point) {
        if (x != 0) exponent = std::min(exponent, exponent_of(x));
      }
    }
  }
  if (exponent == 1024) exponent = 0;
  const int last_exponent = exponent_of(last);
  const Integer last_numerator = to_integer(last, last_exponent);
  Integer unit = 1;  // last = last_numerator / unit
  unit <<= static_cast<unsigned>(std::max(0, -last_exponent));
  std::array<PolynomialVec3, 4> result;
  for (std::size_t i = 0; i < 4; ++i) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const Integer start = to_integer(motion.start[i][axis], exponent);
      const Integer move = to_integer(motion.end[i][axis], exponent) - start;
      result[i][static_cast<std::size_t>(axis)] =
          Polynomial{} + Polynomial{start * unit, move * last_numerator};
    }
  }
  return result;
}

PolynomialVec3 operator-(const PolynomialVec3& x, const PolynomialVec3& y) {
  return {{x[0] - y[0], x[1] - y[1], x[2] - y[2]}};
}

PolynomialVec3 cross(const PolynomialVec3& x, const PolynomialVec3& y) {
  return {{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]}};
}

Polynomial dot(const PolynomialVec3& x, const PolynomialVec3& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

bool is_positive_at_start(const Polynomial& p) { return !p.empty() && p.front() > 0; }

/// Whether p <= 0 somewhere in [0, 1].
bool is_ever_nonpositive(const Polynomial& p) {
  return !is_positive_at_start(p) || !RootsInUnitInterval(p).roots().empty();
}

/// Whether the segment xy ever contains the origin: x and y are then parallel and not on one side.
bool origin_meets_segment(const PolynomialVec3& x, const PolynomialVec3& y) {
  const PolynomialVec3 area = cross(x, y);
  if (std::ranges::any_of(area, is_clearly_not_zero)) return false;
  const Polynomial parallel = common_divisor(common_divisor(area[0], area[1]), area[2]);
  if (parallel.empty()) return is_ever_nonpositive(dot(x, y));
  const RootsInUnitInterval times(parallel);
  if (times.roots().empty()) return false;
  const Polynomial product = dot(x, y);
  return std::ranges::any_of(
      times.roots(), [&](const Root& root) { return times.sign_at_root(product, root) <= 0; });
}

/// Whether at any root of `coplanar` in [0, 1] all of `weights()` are positive. If it is 0
/// throughout, only time 0 counts: later an interior contact must come over the boundary, which
/// others test.
template <typename Weights>
bool meets_inside(const Polynomial& coplanar, Weights&& weights) {
  if (coplanar.empty()) return std::ranges::all_of(weights(), is_positive_at_start);
  const RootsInUnitInterval times(coplanar);
  if (times.roots().empty()) return false;
  const auto all = weights();
  return std::ranges::any_of(times.roots(), [&](const Root& root) {
    return std::ranges::all_of(
        all, [&](const Polynomial& w) { return times.sign_at_root(w, root) > 0; });
  });
}

}  // namespace

bool point_meets_triangle_until(const Motion<4>& motion, double last) {
  const auto points = to_polynomials(motion, last);
  const PolynomialVec3 a = points[1] - points[0], b = points[2] - points[0],
                       c = points[3] - points[0];
  const PolynomialVec3 bc = cross(b, c);
  return meets_inside(dot(a, bc),
                      [&] {
                        const PolynomialVec3 normal = cross(b - a, c - a);
                        return std::array{dot(normal, bc), dot(normal, cross(c, a)),
                                          dot(normal, cross(a, b))};
                      }) ||
         origin_meets_segment(a, b) || origin_meets_segment(b, c) || origin_meets_segment(c, a);
}

bool edge_meets_edge_until(const Motion<4>& motion, double last) {
  const auto points = to_polynomials(motion, last);
  const PolynomialVec3 ab = points[1] - points[0], cd = points[3] - points[2],
                       ac = points[2] - points[0];
  const PolynomialVec3 normal = cross(ab, cd);
  return meets_inside(dot(normal, ac),
                      [&] {
                        // a + s ab = c + r cd, with s and r as multiples of `whole`.
                        const Polynomial whole = dot(normal, normal);
                        const Polynomial s = dot(cross(ac, cd), normal),
                                         r = dot(cross(ac, ab), normal);
                        return std::array{s, whole - s, r, whole - r};
                      }) ||
         origin_meets_segment(points[2] - points[0], points[3] - points[0]) ||
         origin_meets_segment(points[2] - points[1], points[3] - points[1]) ||
         origin_meets_segment(points[0] - points[2], points[1] - points[2]) ||
         origin_meets_segment(points[0] - points[3], points[1] - points[3]);
}

bool point_meets_triangle(const Motion<4>& motion) { return point_meets_triangle_until(motion, 1); }

bool edge_meets_edge(const Motion<4>& motion) { return edge_meets_edge_until(motion, 1); }

}  // namespace sluice::certificate
