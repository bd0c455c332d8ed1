// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/solid/continuum_potential.h"
#include "solver/solid/isotropic/neo_hookean.h"

namespace sluice::solid {

/// Tets of Neo-Hookean material with lambda >= 0 (asserted), four at a time: the loops that
/// ContinuumPotential runs one element after another, some twenty times as fast. What differs is
/// rounding, and which minimum `local_step` finds where there are several.
class NeoHookeanTets final : public ContinuumPotential<NeoHookean, 3, 3> {
 public:
  NeoHookeanTets(const NeoHookean& energy, RestShapes<3> shapes);

  void local_step(std::span<const double> p, double scale, std::span<double> z) const override;

 private:
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override;

  double stiffness_;  ///< [Pa] weight over volume, the same for all.
};

}  // namespace sluice::solid
