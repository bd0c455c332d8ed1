// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/octree/tree.h"

namespace sluice::fluid::octree {

using grid::Array;

/// Values at faces: arrays of a tree, by axis, that have at a cell the face on its lower side. A
/// face between cells of different size is one of the smaller cell's; so the upper faces of cells
/// beside larger ones are where a cell of their own size would be next to them.
template <int D, typename T>
using Faces = std::array<Array<T>, D>;

/// A face between a cell and a larger leaf.
struct UnevenFace {
  std::uint32_t fine, coarse;  ///< The cells, in arrays of the tree.
  std::uint32_t face;          ///< In arrays of the axis side / 2.
  std::uint8_t fine_level, coarse_level;
  std::uint8_t side;  ///< Of the smaller cell, that the larger is on.
  bool is_fine_leaf;  ///< Whether the smaller cell is a leaf.
};

/// By level: the faces that its cells, leaves and divided ones, have with larger leaves; by cell,
/// ascending, and then by side.
using UnevenFaces = std::vector<std::vector<UnevenFace>>;
template <int D>
[[nodiscard]] UnevenFaces uneven_faces(const Tree<D>& tree);

/// Sets the faces of divided cells, and those between a divided cell and a leaf, to the means of
/// the 2^(D-1) faces, half as large, that they are made of; from the finest level up.
template <int D>
void average_parts(const Tree<D>& tree, Faces<D, float>& faces);

/// [edges of the finest cells] How far the middles of cells of two levels that touch are apart
/// along the axis across their face.
[[nodiscard]] constexpr float distance_between(std::size_t level, std::size_t other) noexcept {
  return 0.5F * static_cast<float>((std::size_t{1} << level) + (std::size_t{1} << other));
}

/// [faces of the finest cells] The area of a face of a cell of a level; in 2D its length.
template <int D>
[[nodiscard]] constexpr float face_area(std::size_t level) noexcept {
  return static_cast<float>(std::size_t{1} << (D - 1) * level);
}

/// [finest cells] The volume of a cell of a level; in 2D its area.
template <int D>
[[nodiscard]] constexpr double cell_volume(std::size_t level) noexcept {
  return static_cast<double>(std::size_t{1} << D * level);
}

/// The area over the distance at a face between two cells of a level.
template <int D>
[[nodiscard]] constexpr float even_weight(std::size_t level) noexcept {
  return face_area<D>(level) / distance_between(level, level);
}

}  // namespace sluice::fluid::octree
