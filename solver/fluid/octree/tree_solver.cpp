// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/tree_solver.h"

namespace sluice::fluid::octree {

template <int D>
void TreeSolver<D>::set(const Tree<D>& tree, const TreeWeights<D>& weights) {
  multigrid_.reset();  // Refers to the system before.
  const UnevenFaces uneven = uneven_faces<D>(tree);
  system_ = std::make_unique<TreePoisson<D>>(tree, uneven, weights, Gradient::shared);
  multigrid_ = std::make_unique<TreeMultigrid<D>>(tree, uneven, weights);
  rooms_ = ClosedRooms<D>(tree, uneven, weights);
  solution_.assign(tree.array_size(), 0);
  source_.assign(tree.array_size(), 0);
  for (auto& gradient : gradients_)
    gradient.assign(tree.array_size(), 0);
}

template <int D>
grid::SolveReport TreeSolver<D>::solve(double tolerance, int max_iterations) {
  rooms_.balance(source_);
  const grid::SolveReport report =
      solver_.solve(*system_, *multigrid_, source_, tolerance, max_iterations, solution_);
  system_->find_gradients(solution_, gradients_);
  return report;
}

template class TreeSolver<2>;
template class TreeSolver<3>;

}  // namespace sluice::fluid::octree
