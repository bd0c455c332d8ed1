// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/closed_rooms.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "solver/fluid/octree/faces.h"
#include "solver/fluid/octree/next_cell.h"
#include "solver/fluid/pressure/disjoint_sets.h"

namespace sluice::fluid::octree {

using grid::tile_size;

namespace {

constexpr std::uint32_t no_room = std::numeric_limits<std::uint32_t>::max();

// Ties the leaves of a level that have an open face.
template <int D>
void unite_level(const Tree<D>& tree, std::size_t k, const std::vector<UnevenFace>& uneven,
                 const Faces<D, float>& open, grid::DisjointSets& sets) {
  const auto& level = tree.level(k);
  for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
    const std::size_t corner = level.first + tile * tile_size<D>;
    level.leaves(tile).for_each([&](std::size_t i) {
      for (std::size_t axis = 0; axis < D; ++axis) {
        if (!(open[axis][corner + i] > 0)) continue;
        const InTile before = next_cell<D>(level.tiles, tile, i, 2 * axis);
        if (before.tile == level.tiles.count() || !level.leaves(before.tile).contains(before.place))
          continue;
        sets.unite(
            static_cast<std::uint32_t>(corner + i),
            static_cast<std::uint32_t>(level.first + before.tile * tile_size<D> + before.place));
      }
    });
  }
  for (const UnevenFace& face : uneven) {
    if (face.is_fine_leaf && open[face.side / 2][face.face] > 0) sets.unite(face.fine, face.coarse);
  }
}

}  // namespace

template <int D>
ClosedRooms<D>::ClosedRooms(const Tree<D>& tree, const UnevenFaces& uneven,
                            const TreeWeights<D>& weights) {
  grid::DisjointSets sets(tree.array_size());
  for (std::size_t k = 0; k < tree.level_count(); ++k)
    unite_level<D>(tree, k, uneven[k], weights.open, sets);
  const auto for_each_leaf = [&](const auto& visit) {
    for (std::size_t k = 0; k < tree.level_count(); ++k) {
      const auto& level = tree.level(k);
      for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
        level.leaves(tile).for_each([&](std::size_t i) {
          visit(static_cast<std::uint32_t>(level.first + tile * tile_size<D> + i), k);
        });
      }
    }
  };
  std::vector<std::uint8_t> is_fixed(tree.array_size(), 0);
  for_each_leaf([&](std::uint32_t leaf, std::size_t /*level*/) {
    if (weights.fixed[leaf] > 0) is_fixed[sets.root(leaf)] = 1;
  });
  std::vector<std::uint32_t> rooms(tree.array_size(), no_room);  // By root.
  for_each_leaf([&](std::uint32_t leaf, std::size_t k) {
    const std::uint32_t root = sets.root(leaf);
    if (is_fixed[root] != 0) return;
    if (rooms[root] == no_room) {
      rooms[root] = static_cast<std::uint32_t>(volumes_.size());
      volumes_.push_back(0);
    }
    const double volume = cell_volume<D>(k);
    volumes_[rooms[root]] += volume;
    leaves_.push_back({leaf, rooms[root], static_cast<float>(volume)});
  });
}

// By room.
template <int D>
template <typename T>
std::vector<double> ClosedRooms<D>::sums(std::span<const T> values) const {
  std::vector<double> sums(volumes_.size(), 0);
  for (const InRoom& leaf : leaves_)
    sums[leaf.room] += static_cast<double>(values[leaf.leaf]);
  return sums;
}

template <int D>
void ClosedRooms<D>::balance(std::span<double> source) const {
  std::vector<double> surplus = sums<double>(source);
  for (std::size_t room = 0; room < surplus.size(); ++room)
    surplus[room] /= volumes_[room];
  for (const InRoom& leaf : leaves_)
    source[leaf.leaf] -= surplus[leaf.room] * static_cast<double>(leaf.volume);
}

template <int D>
void ClosedRooms<D>::fit(std::span<const double> source, std::span<float> inflow) const {
  const std::vector<double> rest = sums<double>(source), all = sums<float>(inflow);
  std::vector<float> part(volumes_.size(), 1);
  for (std::size_t room = 0; room < part.size(); ++room) {
    if (all[room] > 0)
      part[room] = static_cast<float>(std::clamp(-rest[room] / all[room], 0.0, 1.0));
  }
  for (const InRoom& leaf : leaves_)
    inflow[leaf.leaf] *= part[leaf.room];
}

template class ClosedRooms<2>;
template class ClosedRooms<3>;

}  // namespace sluice::fluid::octree
