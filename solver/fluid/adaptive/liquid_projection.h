// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/fluid_level.h"
#include "solver/fluid/adaptive/layers.h"
#include "solver/fluid/adaptive/leaf_flow.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/octree/tree.h"
#include "solver/fluid/octree/tree_solver.h"
#include "solver/fluid/pressure/poisson.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::adaptive {

/// Makes the flow of a liquid free of divergence whose inside has larger cells, by one pressure
/// over all: variational at solids and by the ghost fluid method at the surface on the grid of the
/// finest cells, as grid::PressureSolver has it, and of second order between cells of different
/// size.
template <int D>
class LiquidProjection {
 public:
  /// Projects the velocities of `grid`, all but those on faces between two cells of the interior,
  /// and of larger levels. Sets `grid`'s pressure, and that of larger levels' leaves. `tree`
  /// divides all cells with liquid that are not the interior's, or has them in larger leaves
  /// without fluid. Velocities of level 0 are those of `grid`. `inflow` may be empty; it is cut
  /// where there is no room.
  grid::SolveReport project(const scene::PressureSettings& settings, std::span<float> inflow,
                            const octree::Tree<D>& tree, const Layers<D>& layers,
                            const FluidLevels<D>& levels, grid::MacGrid<D>& grid);

  /// After project(): adds to the velocities of `grid`, but those between two cells of the
  /// interior, what evens out the density of the particles, `scale` [m/s] times the ways in cells.
  void even_out(float scale, float spacing, grid::MacGrid<D>& grid);

 private:
  void make_tree(const octree::Tree<D>& tree, const grid::MacGrid<D>& grid);
  void make_system(const Layers<D>& layers, const FluidLevels<D>& levels,
                   const grid::MacGrid<D>& grid);
  void find_source(std::span<float> inflow, const Layers<D>& layers, const FluidLevels<D>& levels,
                   const grid::MacGrid<D>& grid);
  void set_source(const Array<double>& of_grid);
  void subtract_gradient(float scale, float most, grid::MacGrid<D>& grid) const;
  void find_potential(const grid::Tiles<D>& tiles, Array<float>& potential) const;
  template <typename Visit>
  void for_each_tile_of_both(const grid::Tiles<D>& tiles, const Visit& visit) const;

  octree::Tree<D> tree_;              // That divides all cells with liquid around the interior.
  std::vector<TilesInTree> in_tree_;  // By level; those of level 0 are by tile of the grid.
  octree::TreeSolver<D> solver_;
  std::unique_ptr<grid::PoissonSystem<D>> system_;  // Of the grid's liquid alone.
  Array<double> divergence_;                        // By cell of the grid.
  Array<float> potential_;
};

extern template class LiquidProjection<2>;
extern template class LiquidProjection<3>;

}  // namespace sluice::fluid::adaptive
