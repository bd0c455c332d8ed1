// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solver/fluid/pressure/poisson.h"

namespace sluice::fluid::grid {

/// What becomes of what a coarse right hand side has before residuals come down to it.
enum class Restriction : std::uint8_t {
  set,    ///< It is replaced.
  added,  ///< They are added to it.
};

/// The steps of a V-cycle on one of its levels, with the level of cells twice as large.
///
/// A smoothing step goes over the tiles like a chess board, those of colour 0 and then those of 1,
/// and in each tile over its cells the same way (chequered.h), twice: tiles of one colour do not
/// see each other, so that the threads that work on them cannot either, and a tile is read from
/// memory once. After the correction it goes the other way around, which makes the cycle symmetric.
template <int D>
class Smoother {
 public:
  /// `system` must outlive this.
  explicit Smoother(const PoissonSystem<D>& system);

  /// Says which tiles the next coarser level has: one for each that has unknowns here.
  void connect(const Tiles<D>& coarse, Restriction restriction);

  [[nodiscard]] const PoissonSystem<D>& system() const noexcept { return *system_; }

  /// Smooths from x = 0, and brings the residual to the right hand side of the coarser level,
  /// summed over 2 x 2 (x 2) cells.
  void down(const float* b, float* x, float* coarse_b) const;

  /// Adds the coarser level's x, and smooths. Also to cells that are no unknowns: nothing is tied
  /// to them, and the sweep sets them back to 0.
  void up(const float* b, float* x, const float* coarse_x) const;

  /// Solves the coarsest level, of a handful of cells, by sweeps there and back.
  void solve_coarsest(const float* b, float* x) const;

 private:
  const PoissonSystem<D>* system_;
  Restriction restriction_ = Restriction::set;
  std::array<std::vector<std::uint32_t>, 2> tiles_of_colour_;
  // By tile: the index, in arrays of the next coarser level, of the cell that its first cell is a
  // part of; in the tile of zeros for tiles without unknowns, and for those that are not there.
  std::vector<std::uint32_t> coarse_places_;
};

extern template class Smoother<2>;
extern template class Smoother<3>;

}  // namespace sluice::fluid::grid
