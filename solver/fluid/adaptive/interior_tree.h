// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"
#include "solver/fluid/octree/tree.h"

namespace sluice::fluid::adaptive {

using grid::Array, grid::Cell;

/// Which cells of a lattice of the finest cells are in an interior.
template <int D>
struct InteriorMarks {
  Array<std::uint8_t> cells;
  std::vector<std::uint8_t> tiles;  ///< Whether a tile has some.
};

/// A tree, and which of its leaves, larger than the finest cells, are the interior of a liquid.
template <int D>
class InteriorTree {
 public:
  /// Of no interior.
  InteriorTree() = default;
  /// `is_liquid` is by place in arrays of the tree, and 0 at all of level 0.
  InteriorTree(octree::Tree<D> tree, std::vector<std::uint8_t> is_liquid)
      : tree_(std::move(tree)), is_liquid_(std::move(is_liquid)) {}

  [[nodiscard]] const octree::Tree<D>& tree() const noexcept { return tree_; }
  [[nodiscard]] bool is_liquid(std::size_t level, const Cell<D>& leaf) const noexcept;
  [[nodiscard]] bool is_empty() const noexcept;
  /// Whether one of the finest cells is in the interior. Cells beyond the domain's sides are as
  /// those before them.
  [[nodiscard]] bool has(Cell<D> cell) const noexcept;
  /// Marks those of a lattice.
  [[nodiscard]] InteriorMarks<D> marks(const grid::Tiles<D>& tiles) const;

  /// The cells of level 1 in the interior next to cells of level 1 that are divided, then those
  /// next to these, and so on: so many `rings` of them.
  [[nodiscard]] std::vector<std::vector<Cell<D>>> shell(std::size_t rings) const;

  /// Calls visit(level, cell) for each leaf of the interior, in the order of levels.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t k = 1; k < tree_.level_count(); ++k) {
      const auto& level = tree_.level(k);
      for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
        level.leaves(tile).for_each([&](std::size_t i) {
          const std::size_t index = tile * grid::tile_size<D> + i;
          if (is_liquid_[level.first + index] != 0) visit(k, level.tiles.cell(index));
        });
      }
    }
  }

  void save(ByteWriter& out) const;
  /// Reads what save() wrote; returns false if the bytes do not fit.
  [[nodiscard]] bool restore(const Cell<D>& size, std::size_t level_count, ByteReader& in);

 private:
  octree::Tree<D> tree_;
  std::vector<std::uint8_t> is_liquid_;
};

extern template class InteriorTree<2>;
extern template class InteriorTree<3>;

}  // namespace sluice::fluid::adaptive
