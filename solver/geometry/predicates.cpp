// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/predicates.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "solver/geometry/expansion.h"

namespace sluice::geometry {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;
// [Shewchuk1997, figures 20 and 21]: o3derrboundA and ccwerrboundA.
constexpr double bound_3d = (7 + 56 * unit_roundoff) * unit_roundoff;
constexpr double bound_2d = (3 + 16 * unit_roundoff) * unit_roundoff;

using exact::difference;
using exact::negative;
using exact::product;
using exact::sum;

int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto minor_of = [&](const Vec3& p, const Vec3& q, Eigen::Index x, Eigen::Index y) {
    return sum(product(difference(p[x], d[x]), difference(q[y], d[y])),
               negative(product(difference(p[y], d[y]), difference(q[x], d[x]))));
  };
  const auto term = [&](const Vec3& p, const Vec3& q, const Vec3& r) {
    return product(difference(p.z(), d.z()), minor_of(q, r, 0, 1));
  };
  return sum(sum(term(a, b, c), term(b, c, a)), term(c, a, b)).sign();
}

}  // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) noexcept {
  assert(a.allFinite() && b.allFinite() && c.allFinite() && d.allFinite());
  const Vec3 ad = a - d, bd = b - d, cd = c - d;
  const double bxcy = bd.x() * cd.y(), cxby = cd.x() * bd.y();
  const double cxay = cd.x() * ad.y(), axcy = ad.x() * cd.y();
  const double axby = ad.x() * bd.y(), bxay = bd.x() * ad.y();
  const double determinant =
      ad.z() * (bxcy - cxby) + bd.z() * (cxay - axcy) + cd.z() * (axby - bxay);
  const double permanent = (std::abs(bxcy) + std::abs(cxby)) * std::abs(ad.z()) +
                           (std::abs(cxay) + std::abs(axcy)) * std::abs(bd.z()) +
                           (std::abs(axby) + std::abs(bxay)) * std::abs(cd.z());
  const double error = bound_3d * permanent;
  if (determinant > error) return 1;
  if (determinant < -error) return -1;
  return exact_orientation(a, b, c, d);
}

int orientation(const Eigen::Vector2d& a, const Eigen::Vector2d& b,
                const Eigen::Vector2d& c) noexcept {
  const double left = (a.x() - c.x()) * (b.y() - c.y());
  const double right = (a.y() - c.y()) * (b.x() - c.x());
  const double error = bound_2d * (std::abs(left) + std::abs(right));
  if (left - right > error) return 1;
  if (left - right < -error) return -1;
  return sum(product(difference(a.x(), c.x()), difference(b.y(), c.y())),
             negative(product(difference(a.y(), c.y()), difference(b.x(), c.x()))))
      .sign();
}

}  // namespace sluice::geometry
