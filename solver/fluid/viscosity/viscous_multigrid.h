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

/// A V-cycle over viscous systems of cells twice as large each, with volumes that are means of the
/// finer ones. Corrections are interpolated linearly, which leaves rigid motions what they are:
/// with large numbers, all that is free has none but those. Residuals are summed likewise. It ends
/// where viscosity reaches no further than a cell.
///
/// A smoothing step is Gauss and Seidel's, of one axis's velocities after the other's, in each tile
/// red and black (on the finest level in 3D by rows: every other, Jacobi's method within each). A
/// tile sees those that share a side with it, and of those across an edge the ones at (e_a - e_b):
/// D + 1 colours keep them apart, more where the lattice has a period, so that threads that work on
/// tiles of one colour do not see each other. After the correction all goes the other way around,
/// which makes the cycle symmetric. Levels end where a period has no half.
template <int D>
class ViscousMultigrid final : public Preconditioner {
 public:
  /// `finest` outlives this.
  explicit ViscousMultigrid(const ViscousSystem<D>& finest);

  void apply(std::span<const float> r, std::span<float> z) override;

  [[nodiscard]] std::size_t level_count() const noexcept { return levels_.size(); }

 private:
  struct Level {
    const ViscousSystem<D>* system;
    std::vector<std::vector<std::uint32_t>> tiles_of_colour;
    // By tile, those of the next finer level that it is made of; how many that has for those that
    // are not there.
    std::vector<std::array<std::uint32_t, std::size_t{1} << D>> children;
    Array<float> x, b;  // Not of the finest.
    // Not of the coarsest. Residuals times shares; shares are 0 where there is no unknown.
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
