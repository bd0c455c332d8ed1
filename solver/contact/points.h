// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/types.h"

namespace sluice::contact {

/// A state of everything that can touch: fluid particles and solids' vertices. [m], world frame.
struct PointsView {
  std::span<const Vec3f> particles;
  std::span<const Vec3> vertices;

  [[nodiscard]] Vec3 at(std::int32_t point) const {
    const auto i = static_cast<std::size_t>(point);
    return i < particles.size() ? Vec3(particles[i].cast<double>())
                                : vertices[i - particles.size()];
  }
};

/// The same points, to be changed.
struct PointsSpan {
  std::span<Vec3f> particles;
  std::span<Vec3> vertices;
  operator PointsView() const { return {particles, vertices}; }
};

}  // namespace sluice::contact
