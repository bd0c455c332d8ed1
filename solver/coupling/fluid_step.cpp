// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/fluid_step.h"

#include <fmt/format.h>

#include <cstddef>

namespace sluice::coupling {

Error diverged(const std::string& body, const char* cause) {
  return {ErrorCode::solver_diverged,
          fmt::format("the motion of \"{}\" is no longer finite: {}", body, cause)};
}

FluidStep::FluidStep(const scene::Scene& scene) {
  for (const scene::Fluid& fluid : scene.fluids)
    names_.push_back(fluid.name);
}

std::optional<Error> FluidStep::advance(double h, const ExternalActions& actions,
                                        fluid::MpmFluid& fluid, StageTimer* timer) const {
  fluid.set_obstacles(actions.obstacles);
  fluid.advance_velocities(h, actions.gravity, actions.pushes, timer);
  const auto bad = fluid.first_not_finite();
  if (bad < 0) return std::nullopt;
  return diverged(name_of(fluid, bad),
                  "the flow became too fast for its grid; a larger sound_speed, a smaller "
                  "cfl_number or a gentler push may help");
}

const std::string& FluidStep::name_of(const fluid::MpmFluid& fluid, std::int64_t particle) const {
  return names_[fluid.materials()[static_cast<std::size_t>(particle)]];
}

}  // namespace sluice::coupling
