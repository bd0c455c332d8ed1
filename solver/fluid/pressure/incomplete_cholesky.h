// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/pressure/poisson.h"
#include "solver/fluid/pressure/preconditioner.h"

namespace sluice::fluid::grid {

/// A factor of A without fill-in, over the cells row by row, whose row sums are nearly those of A
/// [Bridson2015], section 5.3. Serial.
template <int D>
class IncompleteCholesky final : public Preconditioner {
 public:
  explicit IncompleteCholesky(const PoissonSystem<D>& system);

  void apply(std::span<const float> r, std::span<float> z) override;

 private:
  struct Unknown {
    std::uint32_t index;                 // Index in arrays.
    std::array<std::uint32_t, D> lower;  // By axis: the unknown on the lower side, or itself.
    std::array<float, D> coupling;       // Weights to those; 0 without one.
    float inverse_root;                  // Inverse of the factor's diagonal.
  };
  std::vector<Unknown> unknowns_;  // Ordered by z, y, x.
  std::vector<float> values_, sums_;
};

extern template class IncompleteCholesky<2>;
extern template class IncompleteCholesky<3>;

}  // namespace sluice::fluid::grid
