// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The solids that do not move: the scene's obstacles and the six sides of its domain. A place that
/// is not finite is answered as it is: a wall would make it a number, and nobody would know.
class Walls {
 public:
  explicit Walls(const scene::Scene& scene);

  /// Where a vertex of cloth goes that wants to go from `x_n` to `x`, kept `gap` [m] off every
  /// wall.
  ///
  /// Projected along the normal, then moved back along the surface by Coulomb friction: by at most
  /// the obstacle's coefficient times the depth of the projection, which the implicit step scales
  /// like the normal force (both are forces over the same diagonal). The sides of the domain have
  /// no friction. A vertex that starts closer than `gap` is led out by at most `recovery` [m] a
  /// call, so that a tight start adds no energy.
  [[nodiscard]] Vec3 resolve(const Vec3& x_n, const Vec3& x, double gap, double recovery) const;

  /// Where a particle goes instead of `x`: outside the obstacles, inside the domain of the fluid.
  [[nodiscard]] Vec3 resolve_particle(const Vec3& x, const Vec3& lower, const Vec3& upper) const;

 private:
  std::vector<scene::Obstacle> obstacles_;
  std::vector<geometry::Bounds> bounds_;
  Vec3 lower_, upper_;
};

}  // namespace sluice::coupling
