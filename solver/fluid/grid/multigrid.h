// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solver/fluid/grid/coarse_ties.h"
#include "solver/fluid/grid/poisson.h"
#include "solver/fluid/grid/preconditioner.h"

namespace sluice::fluid::grid {

/// A V-cycle over systems of cells twice as large each, by unsmoothed aggregation [Shao2022]:
/// residuals are summed over 2 x 2 (x 2) cells, corrections go to all of them alike. Its work is
/// some six products with A; iterations of conjugate gradients hardly grow with the grid.
///
/// A smoothing step goes over the tiles like a chess board, white ones and then black ones, and in
/// each tile over its cells the same way: tiles of one colour do not see each other, so that the
/// threads that work on them cannot either, and a tile is read from memory once. After the
/// correction it goes the other way around, which makes the cycle symmetric.
template <int D>
class Multigrid final : public Preconditioner {
 public:
  /// `finest` outlives this. Of `ties`, which bodies add to the system, it has what a coarse level
  /// can: coarse_ties.h.
  explicit Multigrid(const PoissonSystem<D>& finest, std::span<const RigidTie> ties = {});

  void apply(std::span<const float> r, std::span<float> z) override;

  [[nodiscard]] std::size_t level_count() const noexcept { return levels_.size(); }

 private:
  struct Level {
    const PoissonSystem<D>* system;
    std::array<std::vector<std::uint32_t>, 2> tiles_of_colour;
    // By tile, those of the next finer level that it is made of; for those that are not there or
    // empty, how many that has.
    std::vector<std::array<std::uint32_t, std::size_t{1} << D>> children;
    Array<float> x, b;  // Not of the finest.
  };
  enum class Order { forward, backward };

  void cycle(std::size_t level, const float* b, float* x);
  static void smooth(const Level& level, const float* b, float* x, Order order);
  void restrict_residual(std::size_t level, const float* b, const float* x);
  void add_correction(std::size_t level, float* x);

  std::vector<PoissonSystem<D>> coarse_;
  std::vector<Level> levels_;
  std::optional<CoarseTies<D>> ties_;
  std::size_t tied_level_ = 0;
};

extern template class Multigrid<2>;
extern template class Multigrid<3>;

}  // namespace sluice::fluid::grid
