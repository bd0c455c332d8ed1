// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "solver/fluid/lattice/tiles.h"
#include "solver/fluid/octree/cell_set.h"

namespace sluice::fluid::octree {

/// An unrestricted octree (in 2D a quadtree) over a domain [Losasso2004]: cells that are next to
/// each other may differ in size by any number of levels.
///
/// A cell of level k has an edge of 2^k cells of level 0, which is the finest. Cell c of level k
/// has the places 2^k c to 2^k (c + 1); the domain is from 0 to `size` in cells of level 0. A cell
/// is divided into all of its children that are in the domain, or is a leaf. No cell lies partly
/// outside of the domain: where it would, it is divided.
///
/// It is stored without pointers, as a pyramid of sparse lattices, one a level, with two bits a
/// cell. An array of the tree has array_size() values: those of level 0, as an array of its tiles,
/// then those of level 1, and so on, each with its tile of zeros.
template <int D>
class Tree {
 public:
  /// More levels than that have cells that a float cannot place.
  static constexpr std::size_t most_levels = 24;

  struct Level {
    grid::Tiles<D> tiles;             ///< Tiles with a cell, or with the upper face of one.
    std::vector<CellSet<D>> cells;    ///< By tile: the cells that are there.
    std::vector<CellSet<D>> divided;  ///< By tile: the cells that have children.
    std::size_t first = 0;            ///< Where its array begins in an array of the tree.

    [[nodiscard]] CellSet<D> leaves(std::size_t tile) const noexcept {
      return cells[tile] - divided[tile];
    }
  };

  /// A cell of the tree: its level, and its place in arrays of that level.
  struct Place {
    std::size_t level, index;
    friend bool operator==(const Place&, const Place&) = default;
  };

  Tree() = default;

  /// The smallest tree in which the cells `wanted[k]` of level k are divided, in levels up to
  /// wanted.size() - 1, the coarsest; what is wanted outside of the domain, and of level 0, is
  /// ignored. `size` > 0 along each axis.
  Tree(const Cell<D>& size, std::vector<Cells<D>> wanted);

  [[nodiscard]] const Cell<D>& size() const noexcept { return size_; }
  [[nodiscard]] std::size_t level_count() const noexcept { return levels_.size(); }
  [[nodiscard]] const Level& level(std::size_t k) const noexcept { return levels_[k]; }
  [[nodiscard]] std::size_t array_size() const noexcept { return array_size_; }
  [[nodiscard]] std::size_t leaf_count(std::size_t level) const noexcept;
  [[nodiscard]] std::size_t leaf_count() const noexcept;

  /// Whether a cell of a level has something of the domain in it.
  [[nodiscard]] bool is_inside(std::size_t level, const Cell<D>& cell) const noexcept;
  /// Whether the tree has this cell, as a leaf or divided.
  [[nodiscard]] bool has(std::size_t level, const Cell<D>& cell) const noexcept;
  /// The leaf that has a cell of a level inside of the domain in it, or is that cell. The cell must
  /// not be divided.
  [[nodiscard]] Place leaf_of(std::size_t level, Cell<D> cell) const noexcept;

 private:
  Cell<D> size_{};
  std::vector<Level> levels_;
  std::size_t array_size_ = 0;
};

extern template class Tree<2>;
extern template class Tree<3>;

}  // namespace sluice::fluid::octree
