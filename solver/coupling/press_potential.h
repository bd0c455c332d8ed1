// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/coupling/press.h"
#include "solver/solid/element_potential.h"
#include "solver/types.h"

namespace sluice::coupling {

/// Presses as energies; all of them have the same number of points, 1, 4 or 8. D_e is the press's
/// D, so that a Hessian has 3 rows. Convex; the force of a press is minus the gradient by D. The
/// weight is the press's stiffness.
class PressPotential final : public solid::ElementPotential {
 public:
  explicit PressPotential(std::vector<Press> presses);

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                solid::HessianForm form, std::span<double> out) const override;
  void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                  std::span<double> z) const override;

 private:
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override;

  std::vector<Press> presses_;
};

/// [N] Returns the force of a press on its place D.
[[nodiscard]] Vec3 force_of(const Press& press, const Vec3& D);

}  // namespace sluice::coupling
