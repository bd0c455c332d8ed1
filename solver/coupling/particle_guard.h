// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/coupling/walls.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"
#include "solver/wrench.h"

namespace sluice::coupling {

/// Keeps particles out of rigid bodies that go their way whatever particles do.
///
/// Seen from a body, a particle goes straight from a to b. Each triangle near that way lets it go
/// no further against n, the direction from the nearest point of the triangle to a, than to the
/// contact distance, or where it started if that is closer, moving out at a limited rate
/// (recovery_rate). A triangle is convex, so nothing on the straight way from a to a place that all
/// of them allow meets one. The particle gets the place nearest to b that all of them allow, by
/// Hildreth's method [Hildreth1957].
///
/// A particle keeps its velocity, which is for pressure to change. But in gaps narrower than a
/// cell, interpolation makes velocities that lead into a body grow from substep to substep: they
/// are cut to those that lead a quarter of a cell in one. The momentum that this takes is reported,
/// and is due to the liquid around the body: a body that is light would be thrown by it.
class ParticleGuard {
 public:
  ParticleGuard(const scene::Scene& scene, const solid::DeformableSystem& solids);

  /// The outcome of hold_off().
  struct Report {
    std::int64_t contact_count = 0;  ///< Particles that were held off.
    double smallest_gap;             ///< [m] at the end; infinity where none came near
    /// [N s], [N m s] By body, about where its centre ends: momenta that particles have lost.
    std::vector<Wrench> taken;
  };

  /// The ways of bodies, from where they are.
  struct Ways {
    std::span<const solid::Pose> ends;     ///< Where they end the substep.
    std::span<const solid::Pose> carried;  ///< Where their velocities take them.
  };

  /// Moves the targets of particles that the fluid sends into bodies in `h` [s].
  [[nodiscard]] Report hold_off(double h, const solid::DeformableSystem& solids, const Ways& ways,
                                const Walls& walls, fluid::ParticleFluid& fluid) const;

 private:
  struct Body {
    std::vector<Vec3> points;  // [m] In the body's own frame, as all below.
    std::vector<TriangleIndices> triangles;
    geometry::SparseGrid boxes;
    double radius;  // [m] Largest distance of a point from the centre of mass.
  };
  struct Way;

  [[nodiscard]] bool bend(const Body& body, double h, Way& way) const;
  void allow(Way& way) const;

  double gap_, most_against_;  // [m]
  std::vector<Body> bodies_;
};

}  // namespace sluice::coupling
