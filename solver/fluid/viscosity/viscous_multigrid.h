// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/pressure/preconditioner.h"
#include "solver/fluid/viscosity/viscous_system.h"

namespace sluice::fluid::grid {

/// A V-cycle over viscous systems whose cells are twice as large from level to level, with volumes
/// that are means of the finer level's. Corrections are interpolated linearly, which keeps rigid
/// motions: at a large number(), free liquid has hardly any other. Residuals are summed by the same
/// weights. The levels end where viscosity reaches no further than a cell.
///
/// The smoother is Gauss-Seidel's, one axis's velocities after the other's, red and black within a
/// tile (on the finest level in 3D by rows: every other row, Jacobi's method within each). A tile
/// reads the tiles that share a side with it, and of those across an edge the ones at (e_a - e_b):
/// D + 1 colours keep them apart, more where the lattice has a period, so that threads that work on
/// tiles of one colour do not read what another writes. After the correction the order is reversed,
/// which makes the cycle symmetric. Levels also end where a period has no half.
template <int D>
class ViscousMultigrid final : public Preconditioner {
 public:
  /// `finest` must outlive this object.
  explicit ViscousMultigrid(const ViscousSystem<D>& finest);

  void apply(std::span<const float> r, std::span<float> z) override;

  [[nodiscard]] std::size_t level_count() const noexcept { return levels_.size(); }

 private:
  struct TiedTile {
    std::uint32_t tile;
    Surroundings<D> tied;  // Itself and the tiles that its faces are tied to.
  };
  struct Level {
    const ViscousSystem<D>* system;
    std::vector<std::vector<TiedTile>> tiles_of_colour;
    // By tile: the tiles of the next finer level that it is made of. The finer level's number of
    // tiles stands for one that is missing.
    std::vector<std::array<std::uint32_t, std::size_t{1} << D>> children;
    Array<float> x, b;  // Solution and right-hand side; empty on the finest level.
    // Unused on the coarsest level: residuals times shares; 0 where there is no unknown.
    Array<float> residual, shares;
  };
  enum class Order { forward, backward };

  static void find_shares(Level& level, const ViscousSystem<D>& coarse);
  void cycle(std::size_t level, const float* b, float* x);
  void smooth(const Level& level, const float* b, float* x, Order order) const;
  static void find_residual(Level& level, const float* b, const float* x);
  void restrict_residual(std::size_t level);
  void add_correction(std::size_t level, float* x);

  std::vector<ViscousSystem<D>> coarse_;
  std::vector<Level> levels_;
};

extern template class ViscousMultigrid<2>;
extern template class ViscousMultigrid<3>;

}  // namespace sluice::fluid::grid
