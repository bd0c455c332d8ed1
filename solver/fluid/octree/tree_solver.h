// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "solver/fluid/octree/closed_rooms.h"
#include "solver/fluid/octree/faces.h"
#include "solver/fluid/octree/tree.h"
#include "solver/fluid/octree/tree_multigrid.h"
#include "solver/fluid/octree/tree_poisson.h"
#include "solver/fluid/pressure/conjugate_gradients.h"

namespace sluice::fluid::octree {

/// Solves the second-order system over a tree's leaves [Losasso2006] by conjugate gradients with
/// multigrid.
template <int D>
class TreeSolver {
 public:
  /// Makes the system of a tree, which must live as long.
  void set(const Tree<D>& tree, const TreeWeights<D>& weights);

  /// The right hand side, an array of the tree, to be set before solve(): 0 at all that is no leaf
  /// with weights. set() makes it 0, and solve() leaves the residual in its place.
  [[nodiscard]] std::span<double> source() noexcept { return source_; }
  /// Scales `inflow`, an array of the tree, >= 0, down in rooms that nothing can leave: so that it
  /// and source() sum up to no more than 0 there.
  void fit(std::span<float> inflow) const { rooms_.fit(source_, inflow); }

  /// In rooms that nothing can leave, source() is first made to sum up to 0.
  grid::SolveReport solve(double tolerance, int max_iterations);
  [[nodiscard]] std::span<const double> solution() const noexcept { return solution_; }
  /// Those of the solution at faces between leaves, along their axes:
  /// TreePoisson::find_gradients().
  [[nodiscard]] const Faces<D, float>& gradients() const noexcept { return gradients_; }

 private:
  std::unique_ptr<TreePoisson<D>> system_;
  std::unique_ptr<TreeMultigrid<D>> multigrid_;
  ClosedRooms<D> rooms_;
  grid::ConjugateGradients<D, TreePoisson<D>> solver_;
  grid::Array<double> source_, solution_;
  Faces<D, float> gradients_;
};

extern template class TreeSolver<2>;
extern template class TreeSolver<3>;

}  // namespace sluice::fluid::octree
