// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solver/fluid/pressure/coarse_ties.h"
#include "solver/fluid/pressure/poisson.h"
#include "solver/fluid/pressure/preconditioner.h"
#include "solver/fluid/pressure/smoother.h"
#include "solver/fluid/pressure/tied_surfaces.h"

namespace sluice::fluid::grid {

/// A V-cycle over systems of cells twice as large each, by unsmoothed aggregation [Shao2022]:
/// residuals are summed over 2 x 2 (x 2) cells, corrections go to all of them alike. Its work is
/// some six products with A; iterations of conjugate gradients hardly grow with the grid.
template <int D>
class Multigrid final : public Preconditioner {
 public:
  /// `finest` must outlive this. `ties`, the bodies' part of the system, are included as far as
  /// coarse_ties.h and tied_surfaces.h can do it.
  explicit Multigrid(const PoissonSystem<D>& finest, std::span<const RigidTie> ties = {});

  /// `z` must be 0 before in tiles without unknowns.
  void apply(std::span<const float> r, std::span<float> z) override;

  [[nodiscard]] std::size_t level_count() const noexcept { return levels_.size(); }

 private:
  struct Level {
    Smoother<D> smoother;
    Array<float> x, b;  // The finest level has none. 0 in tiles without unknowns.
  };

  void cycle(std::size_t level, const float* b, float* x);

  std::vector<PoissonSystem<D>> coarse_;
  std::vector<Level> levels_;
  std::optional<CoarseTies<D>> ties_;
  std::size_t tied_level_ = 0;
  std::optional<TiedSurfaces<D>> surfaces_;
};

extern template class Multigrid<2>;
extern template class Multigrid<3>;

}  // namespace sluice::fluid::grid
