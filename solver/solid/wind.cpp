// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/wind.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace sluice::solid {

namespace {

std::span<const std::int32_t> corners_of(const DeformableSystem& system) {
  if (system.triangles.empty()) return {};
  return {system.triangles.front().data(), 3 * system.triangles.size()};
}

/// Drag of one part of a velocity, implicit in it: see WindForce.
Vec3 drag(double constant, const Vec3& velocity, double h, double mass) {
  return constant / (1 + h * constant / mass) * velocity;
}

}  // namespace

WindForce::WindForce(const std::optional<scene::Wind>& wind, const DeformableSystem& system)
    : wind_(wind), gather_(corners_of(system), 3), masses_(system.triangles.size(), 0.0) {
  std::vector<double> shares(system.positions.size(), 0.0);
  for (const std::int32_t corner : corners_of(system))
    shares[static_cast<std::size_t>(corner)] += 1;
  for (std::size_t t = 0; t < masses_.size(); ++t) {
    for (const std::int32_t corner : system.triangles[t]) {
      const auto i = static_cast<std::size_t>(corner);
      masses_[t] += system.mass[i] / shares[i];
    }
  }
}

void WindForce::add(const DeformableSystem& system, double time, double h, std::span<Vec3> forces) {
  if (!wind_) return;
  const scene::Wind& wind = *wind_;
  const double gust = std::sin(2 * std::numbers::pi * time / wind.gust_period);
  const Vec3 air = (1 + wind.gust_strength * gust) * wind.velocity;
  const auto write = [&](std::size_t first, std::size_t last, std::span<Vec3> slots) {
    for (std::size_t t = first; t < last; ++t) {
      const auto a = static_cast<std::size_t>(system.triangles[t][0]);
      const auto b = static_cast<std::size_t>(system.triangles[t][1]);
      const auto c = static_cast<std::size_t>(system.triangles[t][2]);
      const Vec3 twice_area = (system.positions[b] - system.positions[a])
                                  .cross(system.positions[c] - system.positions[a]);
      const double area = twice_area.norm() / 2;
      Vec3 force = Vec3::Zero();
      if (area > 0) {
        const Vec3 normal = twice_area / (2 * area);
        const Vec3 u =
            air - (system.velocities[a] + system.velocities[b] + system.velocities[c]) / 3;
        const Vec3 across = normal.dot(u) * normal;
        const Vec3 along = u - across;
        const double scale = wind.density / 2 * area;
        force = drag(scale * wind.normal_drag * across.norm(), across, h, masses_[t]) +
                drag(scale * wind.tangential_drag * u.norm(), along, h, masses_[t]);
      }
      for (std::size_t corner = 0; corner < 3; ++corner)
        slots[3 * (t - first) + corner] = force / 3;
    }
  };
  gather_.add(write, forces);
}

}  // namespace sluice::solid
