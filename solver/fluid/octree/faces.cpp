// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/faces.h"

#include <array>

#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/octree/next_cell.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid::octree {

using grid::local_cell, grid::side_count, grid::tile_size;

namespace {

constexpr std::int64_t tree_faces_grain = 4;  // Tiles.

// The tiles of the next finer level that a tile's cells are divided into.
template <int D>
using Children = std::array<std::size_t, std::size_t{1} << D>;

template <int D>
Children<D> children_of(const Tree<D>& tree, std::size_t k, std::size_t tile) {
  Children<D> children;
  for (std::size_t child = 0; child < children.size(); ++child) {
    children[child] = tree.level(k - 1).tiles.find(
        grid::child_of<D>(tree.level(k).tiles.coordinates(tile), child));
  }
  return children;
}

// The mean of the faces that the face on the lower side of a cell is made of: its place in its tile
// is `local`. Beyond the end of the domain there is no face, and so no way.
template <int D>
float mean_of_parts(const Children<D>& children, const Cell<D>& local, std::size_t axis,
                    const float* finer) {
  const grid::PlaceOfParts<D> parts(local);
  float sum = 0;
  for (std::size_t part = 0; part < std::size_t{1} << (D - 1); ++part)
    sum += finer[children[parts.child] * tile_size<D> + parts.of_face(axis, part)];
  return sum / static_cast<float>(1U << (D - 1));
}

// The faces of a tile's cells.
template <int D>
std::vector<UnevenFace> uneven_faces_of(const Tree<D>& tree, std::size_t k, std::size_t tile) {
  const auto& level = tree.level(k);
  std::vector<UnevenFace> out;
  level.cells[tile].for_each([&](std::size_t i) {
    for (std::uint8_t side = 0; side < side_count<D>; ++side) {
      const InTile at = next_cell<D>(level.tiles, tile, i, side);
      const bool is_there = at.tile < level.tiles.count();
      if (is_there && level.cells[at.tile].contains(at.place)) continue;
      const std::size_t index = tile * tile_size<D> + i;
      Cell<D> next = level.tiles.cell(index);
      next[side / 2] += side % 2 == 0 ? -1 : 1;
      if (!tree.is_inside(k, next)) continue;
      const auto coarse = tree.leaf_of(k, next);
      // A level has the tiles with the upper faces of its cells.
      const std::size_t face = side % 2 == 0 ? index : at.tile * tile_size<D> + at.place;
      out.push_back({static_cast<std::uint32_t>(level.first + index),
                     static_cast<std::uint32_t>(tree.level(coarse.level).first + coarse.index),
                     static_cast<std::uint32_t>(level.first + face), static_cast<std::uint8_t>(k),
                     static_cast<std::uint8_t>(coarse.level), side,
                     !level.divided[tile].contains(i)});
    }
  });
  return out;
}

}  // namespace

template <int D>
void average_parts(const Tree<D>& tree, Faces<D, float>& faces) {
  for (std::size_t k = 1; k < tree.level_count(); ++k) {
    const auto& level = tree.level(k);
    const std::size_t first_finer = tree.level(k - 1).first;
    parallel::for_each_index(level.tiles.count(), tree_faces_grain, [&](std::size_t tile) {
      const Children<D> children = children_of<D>(tree, k, tile);
      for (std::size_t i = 0; i < tile_size<D>; ++i) {
        for (std::size_t axis = 0; axis < D; ++axis) {
          const InTile before = next_cell<D>(level.tiles, tile, i, 2 * axis);
          const bool is_made_of_parts = level.divided[tile].contains(i) ||
                                        (before.tile < level.tiles.count() &&
                                         level.divided[before.tile].contains(before.place));
          if (!is_made_of_parts) continue;
          faces[axis][level.first + tile * tile_size<D> + i] =
              mean_of_parts<D>(children, local_cell<D>(i), axis, faces[axis].data() + first_finer);
        }
      }
    });
  }
}

template <int D>
UnevenFaces uneven_faces(const Tree<D>& tree) {
  UnevenFaces faces(tree.level_count());
  for (std::size_t k = 0; k < tree.level_count(); ++k) {
    std::vector<std::vector<UnevenFace>> by_tile(tree.level(k).tiles.count());
    parallel::for_each_index(by_tile.size(), tree_faces_grain, [&](std::size_t tile) {
      by_tile[tile] = uneven_faces_of<D>(tree, k, tile);
    });
    for (const std::vector<UnevenFace>& of_tile : by_tile)
      faces[k].insert(faces[k].end(), of_tile.begin(), of_tile.end());
  }
  return faces;
}

template void average_parts<2>(const Tree<2>&, Faces<2, float>&);
template void average_parts<3>(const Tree<3>&, Faces<3, float>&);
template UnevenFaces uneven_faces<2>(const Tree<2>&);
template UnevenFaces uneven_faces<3>(const Tree<3>&);

}  // namespace sluice::fluid::octree
