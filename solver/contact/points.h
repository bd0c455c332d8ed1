// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "solver/geometry/ccd.h"
#include "solver/types.h"

namespace sluice::contact {

/// A particle and a triangle that may touch within a substep, by their indices.
struct Candidate {
  std::int32_t particle, triangle;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// A state of all that can touch: fluid particles and the vertices of all cloths. [m], world frame.
struct PointsView {
  std::span<const Vec3f> particles;
  std::span<const Vec3> vertices;
};

/// The same, to be changed.
struct PointsSpan {
  std::span<Vec3f> particles;
  std::span<Vec3> vertices;
  operator PointsView() const { return {particles, vertices}; }
};

/// The straight motion of a particle and a triangle between two states, exactly as stored: a float
/// is a double.
[[nodiscard]] inline geometry::PointTriangleMotion motion_of(std::int32_t particle,
                                                             const TriangleIndices& triangle,
                                                             const PointsView& t0,
                                                             const PointsView& t1) {
  const auto p = static_cast<std::size_t>(particle);
  const auto a = static_cast<std::size_t>(triangle[0]), b = static_cast<std::size_t>(triangle[1]),
             c = static_cast<std::size_t>(triangle[2]);
  return {t0.particles[p].cast<double>(), t0.vertices[a], t0.vertices[b], t0.vertices[c],
          t1.particles[p].cast<double>(), t1.vertices[a], t1.vertices[b], t1.vertices[c]};
}

}  // namespace sluice::contact
