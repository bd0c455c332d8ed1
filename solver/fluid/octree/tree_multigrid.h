// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "solver/fluid/octree/tree_poisson.h"
#include "solver/fluid/pressure/multigrid.h"
#include "solver/fluid/pressure/preconditioner.h"
#include "solver/fluid/pressure/smoother.h"

namespace sluice::fluid::octree {

/// A V-cycle for TreePoisson, by truncating the tree: on level k only cells of level k are
/// smoothed, leaves and divided ones, while larger leaves keep what they have; then all of them,
/// and the larger leaves, are the next level's. Its equations are those of Gradient::own on the
/// truncated tree: A_k of first order on a tree without what is finer than k. From the coarsest
/// level on, which has no larger leaves, it is Multigrid.
///
/// Each step corrects in a subspace, and the way up is the way down reversed, so that the cycle is
/// symmetric and positive definite, as in the fast adaptive composite method [McCormick1989].
template <int D>
class TreeMultigrid final : public grid::Preconditioner {
 public:
  /// `tree` must outlive this.
  TreeMultigrid(const Tree<D>& tree, const UnevenFaces& uneven, const TreeWeights<D>& weights);

  /// `z` must be 0 before in tiles without leaves. Leaves numbers other than 0 also at divided
  /// cells, which are no part of z.
  void apply(std::span<const float> r, std::span<float> z) override;

 private:
  // What x of another cell adds to the right hand side of a cell.
  struct Tie {
    std::uint32_t cell, other;
    float weight;
  };
  struct Ties {
    std::vector<Tie> ties;             // By cell, ascending.
    std::vector<std::uint32_t> first;  // Of each cell that has some; and the end.

    explicit Ties(std::vector<Tie> of_cells);
    // b_cell += weight x_other.
    void bring(std::span<const float> x, std::span<float> b) const;
  };
  struct Level {
    Level(grid::PoissonSystem<D> of_level, Ties larger, Ties smaller)
        : system(std::move(of_level)),
          smoother(system),
          from_larger(std::move(larger)),
          from_smaller(std::move(smaller)) {}
    grid::PoissonSystem<D> system;
    grid::Smoother<D> smoother;
    Ties from_larger;   // For this level's cells, of larger leaves;
    Ties from_smaller;  // and the other way around.
  };

  const Tree<D>* tree_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::unique_ptr<grid::Multigrid<D>> whole_;  // Of the coarsest level.
  Array<float> b_;
};

extern template class TreeMultigrid<2>;
extern template class TreeMultigrid<3>;

}  // namespace sluice::fluid::octree
