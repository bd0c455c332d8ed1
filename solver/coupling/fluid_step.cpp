// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/fluid_step.h"

#include "solver/coupling/divergence.h"

namespace sluice::coupling {

std::optional<Error> advance_fluid(double h, const ExternalActions& actions,
                                   const fluid::Surfaces& surfaces, fluid::ParticleFluid* fluid,
                                   StageTimer* timer) {
  if (fluid == nullptr) return std::nullopt;
  fluid->set_obstacles(actions.obstacles);
  fluid->set_surfaces(surfaces);
  fluid->advance_velocities(h, actions.gravity, actions.pushes, timer);
  const auto bad = fluid->first_not_finite();
  if (bad < 0) return std::nullopt;
  return diverged(fluid->name_of(bad),
                  "the flow became too fast for its grid; a smaller cfl_number, a gentler push or, "
                  "with FLUID_SOLVER_MPM, a larger sound_speed may help");
}

void commit_fluid(fluid::ParticleFluid* fluid, StageTimer* timer) {
  if (fluid == nullptr) return;
  fluid->commit();
  if (timer != nullptr) timer->finish(Stage::fluid_sorting);
}

}  // namespace sluice::coupling
