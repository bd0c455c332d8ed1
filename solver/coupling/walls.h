// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The solids that move only as told: the scene's obstacles and the six sides of its domain. A
/// place that is not finite is answered as it is: a wall would make it a number, and nobody would
/// know.
class Walls {
 public:
  explicit Walls(const scene::Scene& scene);

  /// Starts a substep of `h` seconds, at whose end the obstacles are as given; their velocities say
  /// how they got there. The same ones in the same order.
  void move(std::span<const scene::Obstacle> obstacles, double h);

  /// [m] Longest way of an obstacle in the substep.
  [[nodiscard]] double largest_step() const noexcept;

  /// Where a vertex of a solid goes that wants to go from `x_n` to `x`, kept `gap` [m] off every
  /// wall.
  ///
  /// Projected along the normal, then moved back along the surface by Coulomb friction: by at most
  /// the obstacle's coefficient times the depth of the projection, which the implicit step scales
  /// like the normal force (both are forces over the same diagonal). The sides of the domain have
  /// no friction. A vertex that starts closer than `gap` is led out by at most `recovery` [m] a
  /// call, so that a tight start adds no energy. Depth, slide and start are relative to the
  /// obstacle, which takes along what it holds.
  [[nodiscard]] Vec3 resolve(const Vec3& x_n, const Vec3& x, double gap, double recovery) const;

  /// Where a particle goes instead of `x`: outside the obstacles, inside the domain of the fluid.
  [[nodiscard]] Vec3 resolve_particle(const Vec3& x, const Vec3& lower, const Vec3& upper) const;

 private:
  std::vector<scene::Obstacle> obstacles_;
  std::vector<geometry::Bounds> bounds_;
  std::vector<Vec3> steps_;  ///< [m] way of each obstacle in the substep
  Vec3 lower_, upper_;
};

}  // namespace sluice::coupling
