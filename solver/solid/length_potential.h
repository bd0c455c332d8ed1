// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/solid/element_potential.h"
#include "solver/types.h"

namespace sluice::solid {

/// Elements with one row that hold a length: U = k/2 (|D| - d0)^2; the weight is k.
///
/// Where D = 0 and d0 > 0 the energy has no derivative: the gradient is 0 and the Hessian k I, so
/// that a Newton step stays finite. All directions are equally good there: `local_step` takes x.
class LengthPotential : public ElementPotential {
 public:
  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x, HessianForm form,
                std::span<double> out) const final;
  void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                  std::span<double> z) const final;

  /// d0, one an element, in the unit of D.
  [[nodiscard]] std::span<const double> rest_lengths() const { return rest_lengths_; }

 protected:
  /// `tables.rows` is 1.
  LengthPotential(Tables tables, std::vector<double> stiffnesses, std::vector<double> rest_lengths);

 private:
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const final;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const final;

  std::vector<double> rest_lengths_;  ///< d0, in the unit of D.
};

}  // namespace sluice::solid
