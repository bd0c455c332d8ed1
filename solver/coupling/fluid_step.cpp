// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/fluid_step.h"

#include "solver/fluid/abilities.h"

namespace sluice::coupling {

std::optional<Error> advance_fluid(double h, const ExternalActions& actions,
                                   const fluid::Surfaces& surfaces, fluid::Fluid* fluid,
                                   StageTimer* timer) {
  if (fluid == nullptr) return std::nullopt;
  fluid->set_obstacles(actions.obstacles);
  if (auto* const parted = fluid::as<fluid::PartsAtSurfaces>(fluid)) parted->set_surfaces(surfaces);
  const auto advanced = fluid->advance(
      {.duration = h, .time = actions.time, .gravity = actions.gravity, .pushes = actions.pushes},
      timer);
  if (advanced) return std::nullopt;
  return advanced.error();
}

void commit_fluid(fluid::Fluid* fluid, StageTimer* timer) {
  if (fluid == nullptr) return;
  fluid->commit();
  if (timer != nullptr) timer->finish(Stage::fluid_sorting);
}

}  // namespace sluice::coupling
