// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "solver/fluid/pressure/poisson.h"
#include "solver/fluid/pressure/preconditioner.h"

namespace sluice::fluid::grid {

/// The inverse of the system's diagonal.
template <int D>
class Jacobi final : public Preconditioner {
 public:
  /// `system` must outlive this.
  explicit Jacobi(const PoissonSystem<D>& system) : system_(system) {}

  void apply(std::span<const float> r, std::span<float> z) override {
    const float uniform = 1 / (static_cast<float>(side_count<D>) * system_.uniform());
    for (std::size_t tile = 0; tile < system_.tiles().count(); ++tile) {
      const auto* const general = system_.general(tile);
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        const std::size_t i = tile * tile_size<D> + cell;
        z[i] = r[i] * (general == nullptr ? uniform : general->inverse_diagonal(cell));
      }
    }
  }

 private:
  const PoissonSystem<D>& system_;
};

}  // namespace sluice::fluid::grid
