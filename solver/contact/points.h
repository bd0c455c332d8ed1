// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

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

}  // namespace sluice::contact
