// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "solver/coupling/method.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/result.h"
#include "solver/stages.h"

/// The fluid's part of a substep, which all methods have in common. `fluid` may be null, and then
/// nothing happens; so may `timer`, which is told of the stages.
namespace sluice::coupling {

/// Computes the fluid's new velocities and targets after `h` seconds. The grid carries nothing
/// through `surfaces`, where its solver parts the grid. `solver_diverged`, with the fluid's name,
/// where the flow is no longer finite.
[[nodiscard]] std::optional<Error> advance_fluid(double h, const ExternalActions& actions,
                                                 const fluid::Surfaces& surfaces,
                                                 fluid::ParticleFluid* fluid, StageTimer* timer);

/// Ends the fluid's substep: its particles are where their targets are.
void commit_fluid(fluid::ParticleFluid* fluid, StageTimer* timer);

}  // namespace sluice::coupling
