// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/tree.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/solver/fluid/octree/random_tree.h"

namespace sluice::fluid::octree {
namespace {

// By definition, from the top down: the finest cell's leaf is the first of its ancestors that
// nothing asks to divide, and that the domain does not cut.
template <int D>
class Oracle {
 public:
  Oracle(const Cell<D>& size, const CellsByLevel<D>& wanted)
      : size_(size), top_(wanted.size() - 1) {
    for (std::size_t k = 1; k < wanted.size(); ++k) {
      for (Cell<D> cell : wanted[k]) {
        for (std::size_t level = k; level <= top_; ++level) {
          divided_.insert({level, cell});
          cell = parent(cell);
        }
      }
    }
  }
  std::pair<std::size_t, Cell<D>> leaf_of(const Cell<D>& finest) const {
    for (std::size_t k = top_;; --k) {
      Cell<D> cell = finest;
      bool is_cut = false;
      for (std::size_t axis = 0; axis < D; ++axis) {
        cell[axis] >>= k;
        is_cut = is_cut || (cell[axis] + 1) << k > size_[axis];
      }
      if (k == 0 || (!is_cut && !divided_.contains({k, cell}))) return {k, cell};
    }
  }

 private:
  static Cell<D> parent(Cell<D> cell) {
    for (std::int32_t& c : cell)
      c >>= 1;
    return cell;
  }
  Cell<D> size_;
  std::size_t top_;
  std::set<std::pair<std::size_t, Cell<D>>> divided_;
};

template <int D>
void expect_as_defined(const Cell<D>& size, std::size_t level_count, int count, unsigned seed) {
  const CellsByLevel<D> cells = random_cells<D>(size, level_count, count, seed);
  const Tree<D> tree = tree_of<D>(size, cells);
  const Oracle<D> oracle(size, cells);
  std::set<std::pair<std::size_t, Cell<D>>> leaves;
  Cell<D> finest{};
  for (bool is_done = false; !is_done;) {
    const auto [level, cell] = oracle.leaf_of(finest);
    leaves.insert({level, cell});
    const auto found = tree.leaf_of(0, finest);
    ASSERT_EQ(found.level, level);
    ASSERT_EQ(found.index, tree.level(level).tiles.find_cell(cell));
    const std::size_t tile = found.index / grid::tile_size<D>;
    ASSERT_TRUE(tree.level(level).leaves(tile).contains(found.index % grid::tile_size<D>));
    is_done = true;
    for (std::size_t axis = 0; axis < D && is_done; ++axis) {
      is_done = ++finest[axis] == size[axis];
      if (is_done) finest[axis] = 0;
    }
  }
  EXPECT_EQ(tree.leaf_count(), leaves.size());
}

TEST(Tree, has_the_leaves_that_its_definition_has) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    expect_as_defined<2>({64, 64}, 6, 1 + static_cast<int>(seed), seed);
    expect_as_defined<2>({57, 41}, 7, static_cast<int>(seed), seed);
    expect_as_defined<3>({32, 32, 32}, 6, 1 + static_cast<int>(seed), seed);
    expect_as_defined<3>({19, 32, 24}, 5, static_cast<int>(seed), seed);
  }
}

TEST(Tree, ignores_what_is_wanted_outside_of_the_domain) {
  const Tree<2> tree({32, 32}, {{}, {}, gathered<2>({{-1, 3}, {8, 0}, {100, 100}})});
  EXPECT_EQ(tree.leaf_count(), 64U);
  EXPECT_EQ(tree.leaf_count(2), 64U);
}

TEST(Tree, has_a_place_for_the_upper_faces_of_all_of_its_cells) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Tree<3> tree = random_tree<3>({64, 32, 64}, 6, 8, seed);
    for (std::size_t k = 0; k < tree.level_count(); ++k) {
      const auto& level = tree.level(k);
      for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
        level.cells[tile].for_each([&](std::size_t i) {
          for (std::size_t axis = 0; axis < 3; ++axis) {
            Cell<3> next = level.tiles.cell(tile * grid::tile_size<3> + i);
            ++next[axis];
            EXPECT_LT(level.tiles.find_cell(next), level.tiles.count() * grid::tile_size<3>);
          }
        });
      }
    }
  }
}

}  // namespace
}  // namespace sluice::fluid::octree
