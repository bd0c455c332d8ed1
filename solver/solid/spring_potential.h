// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/solid/length_potential.h"
#include "solver/solid/spring.h"

namespace sluice::solid {

/// Linear springs, U = k/2 (|D| - l0)^2 with D = x_a - x_b. [Yang2023] (2.17), with the stiffness
/// k.
class SpringPotential final : public LengthPotential {
 public:
  explicit SpringPotential(std::span<const Spring> springs);
};

}  // namespace sluice::solid
