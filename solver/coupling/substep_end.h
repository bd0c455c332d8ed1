// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/motion_bounds.h"
#include "solver/contact/pairs.h"
#include "solver/contact/step_filter.h"
#include "solver/coupling/method.h"
#include "solver/coupling/rigid_step.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The end of a substep: the step filter on the straight ways x^n -> x^{n+1} of the stored numbers,
/// and the change of momenta that goes with it.
class SubstepEnd {
 public:
  explicit SubstepEnd(scene::StepFilter filter)
      : method_(filter == scene::StepFilter::global ? contact::FilterMethod::global
                                                    : contact::FilterMethod::local) {}

  /// Shortens the ways of particles, to the fluid's targets, and of vertices, to `x`, until nothing
  /// crosses; the velocities of particles and rigid bodies too. `fluid` may be null. Adds to the
  /// report.
  void filter(double h, const contact::MotionBounds& bounds, const contact::PairsView& pairs,
              const solid::DeformableSystem& solids, fluid::ParticleFluid* fluid, RigidStep& rigid,
              std::span<Vec3> x, SubstepReport& report);

  /// Takes the solids to `x`, with the velocities that `rule` gives them; vertices marked in
  /// `is_touched` (may be empty: none) get their ways over `h` instead, so that contact takes
  /// energy.
  static void place(double h, std::span<const Vec3> x, const RigidStep& rigid,
                    solid::DeformableSystem& solids, const solid::ThetaRule& rule = {},
                    std::span<const std::uint8_t> is_touched = {});

 private:
  [[nodiscard]] Vec3 take_back(double h, fluid::ParticleFluid& fluid) const;
  [[nodiscard]] Vec3 change_of_vertices(double h, const solid::DeformableSystem& solids,
                                        std::span<const Vec3> x) const;

  contact::FilterMethod method_;
  contact::StepFilter filter_;
  std::vector<Vec3f> particles_before_;  ///< Targets before the filter.
  std::vector<Vec3> vertices_before_;    ///< Vertices before the filter.
};

}  // namespace sluice::coupling
