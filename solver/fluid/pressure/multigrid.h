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
#include "solver/fluid/pressure/tied_surfaces.h"

namespace sluice::fluid::grid {

/// A V-cycle over systems of cells twice as large each, by unsmoothed aggregation [Shao2022]:
/// residuals are summed over 2 x 2 (x 2) cells, corrections go to all of them alike. Its work is
/// some six products with A; iterations of conjugate gradients hardly grow with the grid.
///
/// A smoothing step goes over the tiles like a chess board, those of colour 0 and then those of 1,
/// and in each tile over its cells the same way (chequered.h), twice: tiles of one colour do not
/// see each other, so that the threads that work on them cannot either, and a tile is read from
/// memory once. After the correction it goes the other way around, which makes the cycle symmetric.
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
    const PoissonSystem<D>* system;
    std::array<std::vector<std::uint32_t>, 2> tiles_of_colour;
    // By tile: the index, in arrays of the next coarser level, of the cell that its first cell is a
    // part of; in the tile of zeros for tiles without unknowns, and for those that are not there.
    // The coarsest level has none.
    std::vector<std::uint32_t> coarse_places;
    Array<float> x, b;  // The finest level has none. 0 in tiles without unknowns.
  };

  static void find_coarse_places(Level& level, const Tiles<D>& coarse);
  void cycle(std::size_t level, const float* b, float* x);
  void smooth_down(std::size_t level, const float* b, float* x);
  void smooth_up(std::size_t level, const float* b, float* x);
  static void solve_coarsest(const Level& level, const float* b, float* x);

  std::vector<PoissonSystem<D>> coarse_;
  std::vector<Level> levels_;
  std::optional<CoarseTies<D>> ties_;
  std::size_t tied_level_ = 0;
  std::optional<TiedSurfaces<D>> surfaces_;
};

extern template class Multigrid<2>;
extern template class Multigrid<3>;

}  // namespace sluice::fluid::grid
