// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/solid/element_potential.h"
#include "solver/solid/spring.h"
#include "solver/types.h"

namespace sluice::solid {

/// Linear springs, U = k/2 (|D| - l0)^2 with D = x_a - x_b; the weight is k. [Yang2023] (2.17)
///
/// Where the ends coincide the energy has no derivative: the gradient is 0 and the Hessian k I, so
/// that a Newton step stays finite. `local_step` takes there the direction of the guess, or x.
class SpringPotential final : public ElementPotential {
 public:
  explicit SpringPotential(std::span<const Spring> springs);

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x, HessianForm form,
                std::span<double> out) const override;
  void local_step(std::span<const double> p, double scale, std::span<double> z) const override;

 private:
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override;

  std::vector<double> rest_lengths_;  ///< [m]
};

}  // namespace sluice::solid
