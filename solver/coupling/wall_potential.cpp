// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/wall_potential.h"

#include <cassert>
#include <cstddef>
#include <utility>

#include "solver/contact/barrier.h"

namespace sluice::coupling {
namespace {

constexpr std::size_t wall_hessian_size = 9;
constexpr int most_bisections = 100;

std::vector<double> ones(std::size_t count) { return std::vector<double>(count, 1.0); }

std::vector<std::int32_t> points_of(const std::vector<WallTouch>& touches) {
  std::vector<std::int32_t> points;
  points.reserve(touches.size());
  for (const WallTouch& touch : touches)
    points.push_back(touch.point);
  return points;
}

std::vector<std::int32_t> points_of(const std::vector<WallFrictionTouch>& touches) {
  std::vector<std::int32_t> points;
  points.reserve(touches.size());
  for (const WallFrictionTouch& touch : touches)
    points.push_back(touch.pair.points[0]);
  return points;
}

std::vector<double> weights_of(const std::vector<WallFrictionTouch>& touches, double eps) {
  std::vector<double> weights;
  weights.reserve(touches.size());
  for (const WallFrictionTouch& touch : touches)
    weights.push_back(2 * touch.pair.limit / eps);
  return weights;
}

const Vec3& place(std::span<const Vec3> x, std::int32_t point) {
  return x[static_cast<std::size_t>(point)];
}

contact::GapEnergy energy_at(double stiffness, const WallTouch& touch, double gap) {
  return contact::Barrier{stiffness, touch.range}.at(gap);
}

}  // namespace

WallBarrier::WallBarrier(double stiffness, std::vector<WallTouch> touches)
    : ElementPotential({1, 1, points_of(touches), ones(touches.size())},
                       std::vector<double>(touches.size(), stiffness)),
      stiffness_(stiffness),
      touches_(std::move(touches)) {}

double WallBarrier::energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const {
  double sum = 0;
  for (std::size_t e = first; e < last; ++e) {
    const WallTouch& touch = touches_[e];
    sum += energy_at(stiffness_, touch, touch.gap_at(place(x, touch.point)).distance).value;
  }
  return sum;
}

void WallBarrier::write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                  std::span<Vec3> slots) const {
  for (std::size_t e = first; e < last; ++e) {
    const auto [gap, normal] = touches_[e].gap_at(place(x, touches_[e].point));
    slots[e - first] = energy_at(stiffness_, touches_[e], gap).slope * normal;
  }
}

void WallBarrier::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                           solid::HessianForm /*form*/, std::span<double> out) const {
  for (std::size_t e = first; e < last; ++e) {
    const auto [gap, normal] = touches_[e].gap_at(place(x, touches_[e].point));
    Eigen::Map<Mat3>{&out[wall_hessian_size * (e - first)]} =
        energy_at(stiffness_, touches_[e], gap).curvature * normal * normal.transpose();
  }
}

// Along the normal at p, which is that of all places straight out from there: where
// U'(g) + K (g - g_p) = 0, between where U is infinite or p is, and where U ends.
void WallBarrier::local_step(std::size_t first, std::size_t last, std::span<const double> p,
                             double scale, std::span<double> z) const {
  for (std::size_t e = first; e < last; ++e) {
    const WallTouch& touch = touches_[e];
    const Vec3 start = Eigen::Map<const Vec3>(&p[3 * (e - first)]);
    const auto [gap, normal] = touch.gap_at(start);
    const double K = scale * weights()[e];
    double lower = std::max(gap, 0.0), upper = std::max(gap, touch.range);
    for (int i = 0; i < most_bisections && lower < upper; ++i) {
      const double middle = 0.5 * (lower + upper);
      if (middle <= lower || middle >= upper) break;
      const bool is_short = energy_at(stiffness_, touch, middle).slope + K * (middle - gap) < 0;
      (is_short ? lower : upper) = middle;
    }
    Eigen::Map<Vec3>{&z[3 * (e - first)]} = start + (upper - gap) * normal;
  }
}

std::optional<WallFrictionTouch> lag_friction(double stiffness, const WallTouch& touch,
                                              std::span<const Vec3> x_n, std::span<const Vec3> x) {
  if (!(touch.friction > 0)) return std::nullopt;
  const auto [gap, normal] = touch.gap_at(place(x, touch.point));
  const double pressing = -energy_at(stiffness, touch, gap).slope;
  if (!(pressing > 0)) return std::nullopt;
  return WallFrictionTouch{
      {{touch.point, -1, -1, -1}, geometry::Vec4::UnitX(), normal, touch.friction * pressing},
      place(x_n, touch.point) + touch.step};
}

WallFriction::WallFriction(std::vector<WallFrictionTouch> touches, double eps)
    : ElementPotential({1, 1, points_of(touches), ones(touches.size())}, weights_of(touches, eps)),
      touches_(std::move(touches)),
      eps_(eps) {
  assert(eps > 0);
}

Vec3 WallFriction::way(std::size_t e, std::span<const Vec3> x) const {
  return place(x, touches_[e].pair.points[0]) - touches_[e].start;
}

double WallFriction::energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const {
  double sum = 0;
  for (std::size_t e = first; e < last; ++e)
    sum += friction_energy(touches_[e].pair, eps_, way(e, x));
  return sum;
}

void WallFriction::write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                   std::span<Vec3> slots) const {
  for (std::size_t e = first; e < last; ++e)
    slots[e - first] = friction_gradient(touches_[e].pair, eps_, way(e, x));
}

void WallFriction::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                            solid::HessianForm /*form*/, std::span<double> out) const {
  for (std::size_t e = first; e < last; ++e) {
    Eigen::Map<Mat3>{&out[wall_hessian_size * (e - first)]} =
        friction_hessian(touches_[e].pair, eps_, way(e, x));
  }
}

void WallFriction::local_step(std::size_t first, std::size_t last, std::span<const double> p,
                              double scale, std::span<double> z) const {
  for (std::size_t e = first; e < last; ++e) {
    const Vec3 start = Eigen::Map<const Vec3>(&p[3 * (e - first)]);
    const double K = scale * weights()[e];
    Eigen::Map<Vec3>{&z[3 * (e - first)]} =
        start + friction_proximal(touches_[e].pair, eps_, start - touches_[e].start, K);
  }
}

}  // namespace sluice::coupling
