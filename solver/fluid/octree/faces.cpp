// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/faces.h"

#include "solver/parallel/for_each_index.h"

namespace sluice::fluid::octree {

using grid::side_count, grid::tile_size;

namespace {

constexpr std::int64_t tree_faces_grain = 4;  // Tiles.

template <int D>
bool is_divided(const Tree<D>& tree, std::size_t k, const Cell<D>& cell) {
  const auto& level = tree.level(k);
  const std::size_t index = level.tiles.find_cell(cell), tile = index / tile_size<D>;
  return tile < level.tiles.count() && level.divided[tile].contains(index % tile_size<D>);
}

// The mean of the faces that the face on the lower side of a cell is made of.
template <int D>
float mean_of_parts(const Tree<D>& tree, std::size_t k, std::size_t axis, const Cell<D>& cell,
                    const Array<float>& faces) {
  const auto& finer = tree.level(k - 1);
  float sum = 0;
  for (std::size_t part = 0; part < std::size_t{1} << (D - 1); ++part) {
    Cell<D> at = cell;
    std::size_t bit = 0;
    for (std::size_t a = 0; a < D; ++a) {
      at[a] *= 2;
      if (a != axis) at[a] += static_cast<std::int32_t>(part >> bit++ & 1U);
    }
    // Beyond the end of the domain there is no face, and so no way.
    sum += faces[finer.first + finer.tiles.find_cell(at)];
  }
  return sum / static_cast<float>(1U << (D - 1));
}

}  // namespace

template <int D>
void average_parts(const Tree<D>& tree, Faces<D, float>& faces) {
  for (std::size_t k = 1; k < tree.level_count(); ++k) {
    const auto& level = tree.level(k);
    parallel::for_each_index(level.tiles.count(), tree_faces_grain, [&](std::size_t tile) {
      for (std::size_t i = 0; i < tile_size<D>; ++i) {
        const Cell<D> cell = level.tiles.cell(tile * tile_size<D> + i);
        for (std::size_t axis = 0; axis < D; ++axis) {
          Cell<D> before = cell;
          --before[axis];
          if (level.divided[tile].contains(i) || is_divided<D>(tree, k, before)) {
            faces[axis][level.first + tile * tile_size<D> + i] =
                mean_of_parts<D>(tree, k, axis, cell, faces[axis]);
          }
        }
      }
    });
  }
}

template <int D>
std::vector<UnevenFace> uneven_faces(const Tree<D>& tree, std::size_t k) {
  const auto& level = tree.level(k);
  std::vector<UnevenFace> out;
  for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
    level.cells[tile].for_each([&](std::size_t i) {
      const std::size_t index = tile * tile_size<D> + i;
      for (std::uint8_t side = 0; side < side_count<D>; ++side) {
        Cell<D> next = level.tiles.cell(index);
        next[side / 2] += side % 2 == 0 ? -1 : 1;
        if (tree.has(k, next) || !tree.is_inside(k, next)) continue;
        const auto coarse = tree.leaf_of(k, next);
        const std::size_t face = side % 2 == 0 ? index : level.tiles.find_cell(next);
        out.push_back({static_cast<std::uint32_t>(level.first + index),
                       static_cast<std::uint32_t>(tree.level(coarse.level).first + coarse.index),
                       static_cast<std::uint32_t>(level.first + face), static_cast<std::uint8_t>(k),
                       static_cast<std::uint8_t>(coarse.level), side});
      }
    });
  }
  return out;
}

template void average_parts<2>(const Tree<2>&, Faces<2, float>&);
template void average_parts<3>(const Tree<3>&, Faces<3, float>&);
template std::vector<UnevenFace> uneven_faces<2>(const Tree<2>&, std::size_t);
template std::vector<UnevenFace> uneven_faces<3>(const Tree<3>&, std::size_t);

}  // namespace sluice::fluid::octree
