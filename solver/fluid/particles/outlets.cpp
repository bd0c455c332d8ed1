// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/outlets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t outlets_grain = 16384;

bool contains(const geometry::Bounds& bounds, const Vec3& x) {
  return (x.array() >= bounds.lower.array()).all() && (x.array() <= bounds.upper.array()).all();
}

}  // namespace

Outlets::Outlets(const scene::Scene& scene, const GridFrame& frame)
    : frame_(frame),
      lower_(Vec3f::Constant(-std::numeric_limits<float>::infinity())),
      upper_(Vec3f::Constant(std::numeric_limits<float>::infinity())) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto& sides = frame.sides[static_cast<std::size_t>(axis)];
    has_periodic_ |= sides[0] == scene::Side::periodic;
    if (sides[0] == scene::Side::open) lower_[axis] = frame.lower[axis];
    if (sides[1] == scene::Side::open) upper_[axis] = frame.upper[axis];
    has_open_ |= sides[0] == scene::Side::open || sides[1] == scene::Side::open;
  }
  for (const scene::Drain& drain : scene.drains)
    drains_.push_back({drain, geometry::bounds(drain.shape)});
}

void Outlets::put_back(Particles& particles) const {
  if (!has_periodic_) return;
  for (int axis = 0; axis < 3; ++axis) {
    if (frame_.sides[static_cast<std::size_t>(axis)][0] != scene::Side::periodic) continue;
    const float lower = frame_.lower[axis], upper = frame_.upper[axis], period = upper - lower;
    parallel::parallel_for(0, static_cast<std::int64_t>(particles.count), outlets_grain,
                           [&](std::int64_t first, std::int64_t last) {
                             for (auto i = static_cast<std::size_t>(first);
                                  i < static_cast<std::size_t>(last); ++i) {
                               float& x = particles.positions[i][axis];
                               if (x < lower || x >= upper)
                                 x -= period * std::floor((x - lower) / period);
                               if (x < lower) x += period;  // Rounding.
                               if (x >= upper) x -= period;
                             }
                           });
  }
}

std::span<const std::uint32_t> Outlets::find_gone(double time, const Particles& particles) {
  const bool has_open_drain = std::ranges::any_of(
      drains_, [time](const Drain& drain) { return drain.drain.open.has(time); });
  if (!has_open_ && !has_open_drain) return {};
  const auto is_gone = [&](const Vec3f& position) {
    if ((position.array() < lower_.array()).any() || (position.array() > upper_.array()).any()) {
      return true;
    }
    if (!has_open_drain) return false;
    const Vec3 x = position.cast<double>();
    return std::ranges::any_of(drains_, [&](const Drain& drain) {
      return contains(drain.bounds, x) && drain.drain.open.has(time) &&
             geometry::signed_distance(drain.drain.shape, x).distance < 0;
    });
  };
  return search_.find(particles, is_gone);
}

}  // namespace sluice::fluid
