// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/interior_tree.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "solver/fluid/adaptive/sizing.h"
#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/octree/tree_bytes.h"

namespace sluice::fluid::adaptive {

using grid::tile_size;

template <int D>
bool InteriorTree<D>::is_liquid(std::size_t level, const Cell<D>& leaf) const noexcept {
  const auto& of_level = tree_.level(level);
  return level > 0 && is_liquid_[of_level.first + of_level.tiles.find_cell(leaf)] != 0;
}

template <int D>
bool InteriorTree<D>::is_empty() const noexcept {
  return std::ranges::all_of(is_liquid_, [](std::uint8_t flag) { return flag == 0; });
}

template <int D>
bool InteriorTree<D>::has(Cell<D> cell) const noexcept {
  if (is_liquid_.empty()) return false;
  for (std::size_t a = 0; a < D; ++a)
    cell[a] = std::clamp(cell[a], 0, tree_.size()[a] - 1);
  const auto place = tree_.leaf_of(0, cell);
  return place.level > 0 && is_liquid_[tree_.level(place.level).first + place.index] != 0;
}

// The finest cells are in the interior with all others of their parent.
template <int D>
InteriorMarks<D> InteriorTree<D>::marks(const grid::Tiles<D>& tiles) const {
  InteriorMarks<D> marks{Array<std::uint8_t>(tiles.array_size(), 0),
                         std::vector<std::uint8_t>(tiles.count() + 1, 0)};
  if (is_liquid_.empty()) return marks;
  grid::for_each_tile(tiles, [&](std::size_t tile) {
    const Cell<D> first = tiles.first_cell(tile);
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      const Cell<D> local = grid::local_cell<D>(i);
      if (std::ranges::any_of(local, [](std::int32_t c) { return c % 2 != 0; })) continue;
      Cell<D> cell = first;
      for (std::size_t a = 0; a < D; ++a)
        cell[a] += local[a];
      if (!has(cell)) continue;
      marks.tiles[tile] = 1;
      for (std::size_t sibling = 0; sibling < std::size_t{1} << D; ++sibling) {
        Cell<D> at = local;
        for (std::size_t a = 0; a < D; ++a)
          at[a] += static_cast<std::int32_t>(sibling >> a & 1U);
        marks.cells[tile * tile_size<D> + grid::index_in_tile<D>(at)] = 1;
      }
    }
  });
  return marks;
}

template <int D>
std::vector<std::vector<Cell<D>>> InteriorTree<D>::shell(std::size_t rings) const {
  std::vector<std::vector<Cell<D>>> shell;
  WantedCells<D> so_far(2);
  so_far[1] = divided_cells<D>(tree_)[1];
  while (shell.size() < rings) {
    const std::vector<std::int32_t> one{0, 1};
    const octree::Cells<D> wider = widened<D>(tree_.size(), so_far, one)[1];
    shell.emplace_back();
    std::size_t n = 0;
    for (const octree::TileCells<D>& part : wider) {
      while (n < so_far[1].size() && so_far[1][n].tile < part.tile)
        ++n;
      octree::CellSet<D> more = part.cells;
      if (n < so_far[1].size() && so_far[1][n].tile == part.tile) more -= so_far[1][n].cells;
      more.for_each([&](std::size_t i) {
        Cell<D> cell = grid::local_cell<D>(i);
        for (std::size_t a = 0; a < D; ++a)
          cell[a] += part.tile[a] * grid::tile_edge<D>;
        if (has(grid::child_of<D>(cell, 0))) shell.back().push_back(cell);
      });
    }
    so_far[1] = wider;
  }
  return shell;
}

template <int D>
void InteriorTree<D>::save(ByteWriter& out) const {
  out.put(static_cast<std::uint8_t>(is_liquid_.empty() ? 0 : 1));
  if (is_liquid_.empty()) return;
  octree::save_tree<D>(tree_, out);
  out.put_array(std::span<const std::uint8_t>(is_liquid_));
}

template <int D>
bool InteriorTree<D>::restore(const Cell<D>& size, std::size_t level_count, ByteReader& in) {
  std::uint8_t is_there = 0;
  if (!in.get(is_there)) return false;
  *this = InteriorTree();
  if (is_there == 0) return true;
  std::optional<octree::Tree<D>> tree = octree::restored_tree<D>(size, level_count, in);
  if (!tree) return false;
  tree_ = std::move(*tree);
  is_liquid_.resize(tree_.array_size());
  return in.get_array(std::span<std::uint8_t>(is_liquid_));
}

template class InteriorTree<2>;
template class InteriorTree<3>;

}  // namespace sluice::fluid::adaptive
