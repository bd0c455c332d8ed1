// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/friction.h"

#include <cmath>

#include "solver/contact/edge_mollifier.h"

namespace sluice::contact {
namespace {

Vec3 across(const FrictionPair& pair, const Vec3& way) {
  return way - pair.normal.dot(way) * pair.normal;
}

// f0'(y) / y
double slope_over_way(double y, double eps) { return y >= eps ? 1 / y : (2 - y / eps) / eps; }

}  // namespace

std::optional<FrictionPair> lag_friction(const Barrier& barrier, const ContactPair& pair,
                                         std::span<const Vec3> x) {
  if (!(pair.friction > 0)) return std::nullopt;
  const geometry::PairPoints points = pair.gather(x);
  const geometry::PairDistance distance = distance_of(pair.kind, points);
  const double length = std::sqrt(distance.squared);
  double pressing = -barrier.at(length - pair.thickness).slope;
  if (pair.kind == PairKind::edge_edge)
    pressing *= edge_mollifier_value(points, pair.mollifier_range);
  if (!(pressing > 0)) return std::nullopt;
  return FrictionPair{pair.points, distance.coefficients, distance.offset / length,
                      pair.friction * pressing};
}

double friction_energy(const FrictionPair& pair, double eps, const Vec3& way) {
  const double y = across(pair, way).norm();
  if (y >= eps) return pair.limit * y;
  return pair.limit * (y * y / eps * (1 - y / (3 * eps)) + eps / 3);
}

Vec3 friction_gradient(const FrictionPair& pair, double eps, const Vec3& way) {
  const Vec3 u = across(pair, way);
  return pair.limit * slope_over_way(u.norm(), eps) * u;
}

Mat3 friction_hessian(const FrictionPair& pair, double eps, const Vec3& way) {
  const Vec3 u = across(pair, way), &n = pair.normal;
  const double y = u.norm();
  const double ratio = slope_over_way(y, eps);
  Mat3 H = ratio * (Mat3::Identity() - n * n.transpose());
  // Along u the curvature is f0''(y), 2 / eps (1 - y / eps) or 0.
  const double along = y >= eps ? 0 : 2 * (1 - y / eps) / eps;
  if (y > 0) H += (along - ratio) / (y * y) * u * u.transpose();
  return pair.limit * H;
}

// Only the way u across the normal changes, and only its length y: from y_p to where
// mu lambda f0'(y) = K (y_p - y), which is linear or quadratic.
Vec3 friction_proximal(const FrictionPair& pair, double eps, const Vec3& way, double K) {
  const Vec3 u = across(pair, way);
  const double y_p = u.norm();
  if (y_p == 0) return Vec3::Zero();
  double y = y_p - pair.limit / K;
  if (y < eps) {
    const double b = 2 * pair.limit / eps + K;
    y = 2 * K * y_p / (b + std::sqrt(b * b - 4 * pair.limit / (eps * eps) * K * y_p));
  }
  return (y / y_p - 1) * u;
}

}  // namespace sluice::contact
