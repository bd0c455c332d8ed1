// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "solver/solid/continuum_elements.h"
#include "solver/solid/isotropic/derivatives.h"
#include "solver/solid/isotropic/linear.h"
#include "solver/solid/isotropic/proximal.h"

/// Elements with linear shape functions over an elastic energy. Included by the sources of
/// continuum.h only.
namespace sluice::solid {

/// U_e = measure_e Psi(F).
template <typename Energy, int f_rows, int cols>
class ContinuumPotential
    : public ContinuumElements<ContinuumPotential<Energy, f_rows, cols>, f_rows, cols> {
  using Base = ContinuumElements<ContinuumPotential<Energy, f_rows, cols>, f_rows, cols>;

 public:
  using Gradient = typename Base::Gradient;

  ContinuumPotential(const Energy& energy, RestShapes<cols> shapes)
      : Base(std::move(shapes), 2 * energy.lame.mu + std::max(0.0, cols * energy.lame.lambda)),
        energy_(energy) {}

  [[nodiscard]] double density_at(std::size_t /*e*/, const Gradient& F) const {
    return energy_density(energy_, F);
  }
  [[nodiscard]] Gradient stress_at(std::size_t /*e*/, const Gradient& F) const {
    return stress(energy_, F);
  }
  [[nodiscard]] auto hessian_at(std::size_t /*e*/, const Gradient& F, HessianForm form) const {
    return hessian(energy_, F, form);
  }
  [[nodiscard]] Gradient proximal_at(std::size_t /*e*/, const Gradient& P, double w) const {
    return proximal(energy_, P, w);
  }

 protected:
  [[nodiscard]] const Energy& elastic_energy() const { return energy_; }

 private:
  Energy energy_;
};

}  // namespace sluice::solid
