// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/tree_multigrid.h"

#include <algorithm>
#include <utility>

#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/octree/level_system.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid::octree {

using grid::tile_size;

namespace {

constexpr std::int64_t tie_grain = 1024;  // Cells.

// `weights` with those of divided cells: means of faces, and half the sums of what is fixed, as
// PoissonSystem::coarsened() has it.
template <int D>
TreeWeights<D> with_divided(const Tree<D>& tree, TreeWeights<D> weights) {
  average_parts<D>(tree, weights.open);
  for (std::size_t k = 1; k < tree.level_count(); ++k) {
    const auto &level = tree.level(k), &finer = tree.level(k - 1);
    for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
      level.divided[tile].for_each([&](std::size_t i) {
        const Cell<D> cell = level.tiles.cell(tile * tile_size<D> + i);
        float sum = 0;
        for (std::size_t child = 0; child < std::size_t{1} << D; ++child) {
          const Cell<D> at = grid::child_of<D>(cell, child);
          sum += weights.fixed[finer.first + finer.tiles.find_cell(at)];
        }
        weights.fixed[level.first + tile * tile_size<D> + i] = 0.5F * sum;
      });
    }
  }
  return weights;
}

}  // namespace

template <int D>
TreeMultigrid<D>::Ties::Ties(std::vector<Tie> of_cells) : ties(std::move(of_cells)) {
  std::ranges::stable_sort(ties, {}, &Tie::cell);
  for (std::uint32_t i = 0; i < ties.size(); ++i)
    if (i == 0 || ties[i].cell != ties[i - 1].cell) first.push_back(i);
  first.push_back(static_cast<std::uint32_t>(ties.size()));
}

template <int D>
void TreeMultigrid<D>::Ties::bring(std::span<const float> x, std::span<float> b) const {
  parallel::for_each_index(first.size() - 1, tie_grain, [&](std::size_t n) {
    float sum = 0;
    for (std::uint32_t i = first[n]; i < first[n + 1]; ++i)
      sum += ties[i].weight * x[ties[i].other];
    b[ties[first[n]].cell] += sum;
  });
}

template <int D>
TreeMultigrid<D>::TreeMultigrid(const Tree<D>& tree, const UnevenFaces& uneven,
                                const TreeWeights<D>& given)
    : tree_(&tree), b_(tree.array_size()) {
  const TreeWeights<D> weights = with_divided(tree, given);
  for (std::size_t k = 0; k < tree.level_count(); ++k) {
    const auto& level = tree.level(k);
    std::vector<Tie> from_larger, from_smaller;
    Array<float> fixed(weights.fixed.begin() + static_cast<std::ptrdiff_t>(level.first),
                       weights.fixed.begin() +
                           static_cast<std::ptrdiff_t>(level.first + level.tiles.array_size()));
    for (const UnevenFace& face : uneven[k]) {
      const float weight = weights.open[face.side / 2][face.face] * face_area<D>(k) /
                           distance_between(k, face.coarse_level);
      if (!(weight > 0)) continue;
      from_larger.push_back({face.fine, face.coarse, weight});
      from_smaller.push_back({face.coarse, face.fine, weight});
      fixed[face.fine - level.first] += weight;
    }
    levels_.push_back(
        std::make_unique<Level>(system_of_level<D>(tree, k, level.cells, weights.open, fixed),
                                Ties(std::move(from_larger)), Ties(std::move(from_smaller))));
  }
  for (std::size_t k = 0; k + 1 < levels_.size(); ++k)
    levels_[k]->smoother.connect(tree.level(k + 1).tiles, grid::Restriction::added);
  whole_ = std::make_unique<grid::Multigrid<D>>(levels_.back()->system);
}

template <int D>
void TreeMultigrid<D>::apply(std::span<const float> r, std::span<float> z) {
  std::ranges::copy(r, b_.begin());
  const std::span<float> b(b_);
  const std::size_t top = levels_.size() - 1;
  for (std::size_t k = 0; k < top; ++k) {
    const std::size_t first = tree_->level(k).first, next = tree_->level(k + 1).first;
    levels_[k]->smoother.down(b_.data() + first, z.data() + first, b_.data() + next);
    levels_[k]->from_smaller.bring(z, b);
  }
  const auto& coarsest = tree_->level(top);
  whole_->apply(b.subspan(coarsest.first, coarsest.tiles.array_size()),
                z.subspan(coarsest.first, coarsest.tiles.array_size()));
  for (std::size_t k = top; k-- > 0;) {
    const std::size_t first = tree_->level(k).first, next = tree_->level(k + 1).first;
    levels_[k]->from_larger.bring(z, b);
    levels_[k]->smoother.up(b_.data() + first, z.data() + first, z.data() + next);
  }
}

template class TreeMultigrid<2>;
template class TreeMultigrid<3>;

}  // namespace sluice::fluid::octree
