// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/coupling/method.h"
#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/result.h"
#include "solver/scene/scene.h"

namespace sluice::coupling {

/// The error of a body of which a number is not finite.
[[nodiscard]] Error diverged(const std::string& body, const char* cause);

/// The fluids' own half of a substep, before solids are heard.
class FluidStep {
 public:
  explicit FluidStep(const scene::Scene& scene);

  /// Computes where the particles want to go. An error names the fluid that has become too fast.
  [[nodiscard]] std::optional<Error> advance(double h, const ExternalActions& actions,
                                             fluid::MpmFluid& fluid, StageTimer* timer) const;

  /// The name of the fluid that a particle is of.
  [[nodiscard]] const std::string& name_of(const fluid::MpmFluid& fluid,
                                           std::int64_t particle) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace sluice::coupling
