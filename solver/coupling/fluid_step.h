// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "solver/coupling/method.h"
#include "solver/fluid/fluid.h"
#include "solver/fluid/surfaces.h"
#include "solver/result.h"
#include "solver/stages.h"

/// The fluid's part of a substep, which all methods have in common. `fluid` may be null, and then
/// nothing happens; so may `timer`, which is told of the stages.
namespace sluice::coupling {

/// Computes the fluid's flow after `h` seconds. Its grid carries nothing through `surfaces`, if it
/// can be parted there. `solver_diverged`, with the fluid's name, where the flow is no longer
/// finite.
[[nodiscard]] std::optional<Error> advance_fluid(double h, const ExternalActions& actions,
                                                 const fluid::Surfaces& surfaces,
                                                 fluid::Fluid* fluid, StageTimer* timer);

/// Ends the fluid's substep.
void commit_fluid(fluid::Fluid* fluid, StageTimer* timer);

}  // namespace sluice::coupling
