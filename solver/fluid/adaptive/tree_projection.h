// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "solver/fluid/adaptive/fluid_level.h"
#include "solver/fluid/adaptive/layers.h"
#include "solver/fluid/octree/tree.h"
#include "solver/fluid/octree/tree_solver.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::adaptive {

/// Makes the flow of a gas on a tree free of divergence, by one pressure over all leaves.
template <int D>
class TreeProjection {
 public:
  /// Makes the system of a tree, which must live as long.
  void set(const octree::Tree<D>& tree, const Layers<D>& layers, const FluidLevels<D>& levels);

  /// Projects the velocities on whole faces, by the second-order system [Losasso2006]. Walls get
  /// theirs; faces that obstacles close keep what they have, and let through what level 0's
  /// `solid_flow` says.
  grid::SolveReport project(const scene::PressureSettings& settings, const Layers<D>& layers,
                            const FluidLevels<D>& levels);

  /// At leaves: pressures, times `of_last`, become what they did together with the last solution.
  void add_to_pressure(float of_last, const Layers<D>& layers, const FluidLevels<D>& levels) const;

 private:
  void find_flow(const FluidLevel<D>& finest);
  void find_source(const Layers<D>& layers, const FluidLevels<D>& levels);

  const octree::Tree<D>* tree_ = nullptr;
  octree::TreeSolver<D> solver_;
  std::array<Array<float>, D> flow_;  // Through faces of level 0, where solids cut some. [m/s]
};

extern template class TreeProjection<2>;
extern template class TreeProjection<3>;

}  // namespace sluice::fluid::adaptive
