// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/admm_ipc.h"

#include "solver/coupling/fluid_step.h"
#include "solver/fluid/particle_fluid.h"

namespace sluice::coupling {

AdmmIpc::AdmmIpc(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : solids_(scene, solids) {}

Result<SubstepReport> AdmmIpc::step(double h, const ExternalActions& actions,
                                    solid::DeformableSystem& solids, fluid::Fluid* fluid,
                                    const StepNotes& notes) {
  if (auto error =
          advance_fluid(h, actions, {solids.positions, solids.triangles}, fluid, notes.timer))
    return *error;
  auto report = solids_.step(h, actions, solids, fluid::as<fluid::ParticleFluid>(fluid),
                             SolidStep::FluidRole::answers, notes);
  if (report) commit_fluid(fluid, notes.timer);
  return report;
}

}  // namespace sluice::coupling
