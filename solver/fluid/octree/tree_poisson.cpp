// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/tree_poisson.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "solver/fluid/octree/level_system.h"
#include "solver/fluid/octree/next_cell.h"
#include "solver/fluid/pressure/conjugate_gradients_iteration.h"
#include "solver/parallel/for_each_index.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::fluid::octree {

using grid::tile_size;

namespace {

constexpr std::int64_t uneven_grain = 1024;  // Groups, or cells beside other sizes.
constexpr std::int64_t level_grain = 4;      // Tiles.

}  // namespace

template <int D>
TreePoisson<D>::TreePoisson(const Tree<D>& tree, const UnevenFaces& uneven,
                            const TreeWeights<D>& weights, Gradient gradient)
    : tree_(&tree), all_tiles_{tree.array_size()} {
  for (std::size_t k = 0; k < tree.level_count(); ++k) {
    const auto& level = tree.level(k);
    std::vector<CellSet<D>> leaves(level.tiles.count());
    for (std::size_t tile = 0; tile < level.tiles.count(); ++tile)
      leaves[tile] = level.leaves(tile);
    levels_.push_back(system_of_level<D>(
        tree, k, leaves, weights.open,
        std::span(weights.fixed).subspan(level.first, level.tiles.array_size())));
    for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
      if (!leaves[tile].empty())
        solved_.push_back(static_cast<std::uint32_t>(level.first / tile_size<D> + tile));
    }
  }
  add_groups(uneven, weights, gradient);
}

template <int D>
void TreePoisson<D>::add_groups(const UnevenFaces& uneven, const TreeWeights<D>& weights,
                                Gradient gradient) {
  std::vector<UnevenFace> faces;
  for (const std::vector<UnevenFace>& of_level : uneven) {
    std::ranges::copy_if(of_level, std::back_inserter(faces), [&](const UnevenFace& face) {
      return face.is_fine_leaf && weights.open[face.side / 2][face.face] > 0;
    });
  }
  std::ranges::stable_sort(
      faces, {}, [](const UnevenFace& face) { return std::tuple(face.coarse, face.side); });
  const auto area = [&](const UnevenFace& face) {
    return static_cast<double>(weights.open[face.side / 2][face.face] *
                               face_area<D>(face.fine_level));
  };
  const auto are_together = [&](const UnevenFace& a, const UnevenFace& b) {
    return gradient == Gradient::shared && a.coarse == b.coarse && a.side == b.side;
  };
  for (std::size_t first = 0, last; first < faces.size(); first = last) {
    double sum = 0, distance = 0;
    for (last = first; last < faces.size(); ++last) {
      const UnevenFace& face = faces[last];
      if (last > first && !are_together(faces[first], face)) break;
      sum += area(face);
      distance +=
          area(face) * static_cast<double>(distance_between(face.fine_level, face.coarse_level));
    }
    const auto group = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({faces[first].coarse, static_cast<std::uint32_t>(parts_.size()),
                       sum * sum / distance, static_cast<float>(distance / sum),
                       faces[first].side});
    flows_.push_back({faces[first].coarse, group, -1});
    for (std::size_t i = first; i < last; ++i) {
      const auto share = static_cast<float>(area(faces[i]) / sum);
      parts_.push_back({faces[i].fine, faces[i].face, share});
      flows_.push_back({faces[i].fine, group, share});
    }
  }
  groups_.push_back({0, static_cast<std::uint32_t>(parts_.size()), 0, 1, 0});
  gradients_.resize(groups_.size());
  std::ranges::stable_sort(flows_, {}, &Flow::cell);
  for (std::uint32_t i = 0; i < flows_.size(); ++i)
    if (i == 0 || flows_[i].cell != flows_[i - 1].cell) first_flow_.push_back(i);
  first_flow_.push_back(static_cast<std::uint32_t>(flows_.size()));
}

// How much larger x is in the smaller cells of a group than in the leaf.
template <int D>
template <typename T>
double TreePoisson<D>::difference(std::size_t group, std::span<const T> x) const {
  double difference = -static_cast<double>(x[groups_[group].coarse]);
  for (std::uint32_t i = groups_[group].first; i < groups_[group + 1].first; ++i)
    difference += static_cast<double>(parts_[i].share) * static_cast<double>(x[parts_[i].fine]);
  return difference;
}

template <int D>
double TreePoisson<D>::apply(std::span<const float> x, std::span<double> image) const {
  double total = 0;
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    const auto& level = tree_->level(k);
    // A level's system leaves tiles out whose leaves are all alone.
    for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
      if (levels_[k].is_empty(tile))
        std::fill_n(image.begin() + static_cast<std::ptrdiff_t>(level.first + tile * tile_size<D>),
                    tile_size<D>, 0.0);
    }
    total += levels_[k].apply(x.subspan(level.first, level.tiles.array_size()),
                              image.subspan(level.first, level.tiles.array_size()));
  }
  total += parallel::parallel_reduce(
      0, static_cast<std::int64_t>(groups_.size()) - 1, uneven_grain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (auto g = static_cast<std::size_t>(begin); g < static_cast<std::size_t>(end); ++g) {
          const double here = difference(g, x);
          gradients_[g] = groups_[g].conductance * here;
          sum += gradients_[g] * here;
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
  parallel::for_each_index(first_flow_.size() - 1, uneven_grain, [&](std::size_t n) {
    double sum = 0;
    for (std::uint32_t i = first_flow_[n]; i < first_flow_[n + 1]; ++i)
      sum += static_cast<double>(flows_[i].share) * gradients_[flows_[i].group];
    image[flows_[first_flow_[n]].cell] += sum;
  });
  return total;
}

template <int D>
void TreePoisson<D>::find_gradients(std::span<const double> x, Faces<D, float>& gradients) const {
  for (std::size_t k = 0; k < tree_->level_count(); ++k) {
    const auto& level = tree_->level(k);
    const double distance = distance_between(k, k);
    parallel::for_each_index(level.tiles.count(), level_grain, [&](std::size_t tile) {
      const std::size_t corner = level.first + tile * tile_size<D>;
      level.leaves(tile).for_each([&](std::size_t i) {
        for (std::size_t axis = 0; axis < D; ++axis) {
          const InTile before = next_cell<D>(level.tiles, tile, i, 2 * axis);
          if (before.tile == level.tiles.count() ||
              !level.leaves(before.tile).contains(before.place))
            continue;
          const double change =
              x[corner + i] - x[level.first + before.tile * tile_size<D> + before.place];
          gradients[axis][corner + i] = static_cast<float>(change / distance);
        }
      });
    });
  }
  parallel::for_each_index(groups_.size() - 1, uneven_grain, [&](std::size_t g) {
    const double slope = difference(g, x) / static_cast<double>(groups_[g].distance);
    const std::size_t axis = groups_[g].side / 2;
    const bool is_coarse_above = groups_[g].side % 2 != 0;
    for (std::uint32_t i = groups_[g].first; i < groups_[g + 1].first; ++i)
      gradients[axis][parts_[i].face] = static_cast<float>(is_coarse_above ? -slope : slope);
  });
}

template class TreePoisson<2>;
template class TreePoisson<3>;

}  // namespace sluice::fluid::octree

namespace sluice::fluid::grid {
template class ConjugateGradients<2, octree::TreePoisson<2>>;
template class ConjugateGradients<3, octree::TreePoisson<3>>;
}  // namespace sluice::fluid::grid
