// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "solver/coupling/method.h"
#include "solver/coupling/rigid_in_liquid.h"
#include "solver/coupling/solid_step.h"

namespace sluice::coupling {

/// Rigid bodies in an incompressible liquid by one system for the pressure and the motions that it
/// gives the bodies (rigid_in_liquid.h): stable whatever they weigh. Bodies meet each other and
/// walls as in SolidStep, after pressure. Particles are held off them before that, which particles
/// alone feel (particle_guard.h): the liquid's force on bodies is that of its pressure.
class VariationalRigid final : public Method {
 public:
  VariationalRigid(const scene::Scene& scene, const solid::DeformableSystem& solids);

  /// The smaller of the limits of SolidStep and RigidInLiquid.
  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const override;
  [[nodiscard]] std::string what_shortens_substeps(
      const solid::DeformableSystem& solids) const override {
    return solids_.what_shortens_substeps(solids);
  }
  /// Pressure may have thrown a body further than a substep can follow.
  [[nodiscard]] bool is_worth_halving() const noexcept override { return true; }
  void begin_frame() override { solids_.begin_frame(); }
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::Fluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  SolidStep solids_;
  RigidInLiquid bodies_;
};

}  // namespace sluice::coupling
