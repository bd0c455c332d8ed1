// SPDX-License-Identifier: Apache-2.0
// Values around a tree's cells. Oracles: linear functions, which interpolation and means keep, and
// means by hand.
#include "solver/fluid/adaptive/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/unit/solver/fluid/octree/random_tree.h"

namespace sluice::fluid::adaptive {
namespace {

using grid::tile_size;

template <typename T>
class LayersOf : public testing::Test {};

template <int dimensions>
struct Dimensions {
  static constexpr int D = dimensions;
};
using BothDimensions = testing::Types<Dimensions<2>, Dimensions<3>>;
TYPED_TEST_SUITE(LayersOf, BothDimensions);

constexpr std::size_t level_count = 4;
constexpr std::int32_t reach = 5;

template <int D>
Cell<D> domain() {
  Cell<D> size;
  size.fill(64);
  size[0] = 40;
  size[1] = 48;
  return size;
}

template <int D>
Sides<D> walls() {
  Sides<D> sides;
  sides.cells = domain<D>();
  for (auto& of_axis : sides.is_wall)
    of_axis = {true, true};
  return sides;
}

template <int D>
struct Grids {
  octree::Tree<D> tree;
  Layers<D> layers;
  std::vector<Array<float>> values;
  ByLevel by_level;

  explicit Grids(unsigned seed, const Sides<D>& sides = walls<D>())
      : tree(octree::random_tree<D>(domain<D>(), level_count, 20, seed)),
        layers(tree, sides, std::vector<std::int32_t>(level_count, reach)),
        values(level_count) {
    for (std::size_t k = 0; k < level_count; ++k)
      values[k].assign(layers[k].tiles.array_size(), -1e9F);
    for (auto& of_level : values)
      by_level.push_back(&of_level);
  }

  // Calls visit(level, index, middle [finest cells], kind) for all cells of all tiles.
  template <typename Visit>
  void for_each_cell(const Visit& visit) const {
    for (std::size_t k = 0; k < level_count; ++k) {
      for (std::size_t i = 0; i < layers[k].tiles.count() * tile_size<D>; ++i) {
        std::array<double, D> middle;
        for (std::size_t a = 0; a < D; ++a)
          middle[a] = (layers[k].tiles.cell(i)[a] + 0.5) * std::ldexp(1.0, static_cast<int>(k));
        visit(k, i, middle, layers[k].cells[i]);
      }
    }
  }
};

template <int D>
double linear(const std::array<double, D>& x) {
  double value = 3;
  for (std::size_t a = 0; a < D; ++a)
    value += (static_cast<double>(a) + 1) * x[a] / 64;
  return value;
}

// Whether nothing of what a place is interpolated from is a mirror image.
template <int D>
bool is_far_from_sides(const std::array<double, D>& x) {
  for (std::size_t a = 0; a < D; ++a) {
    if (x[a] < 16 || x[a] > domain<D>()[a] - 16) return false;
  }
  return true;
}

TYPED_TEST(LayersOf, have_linear_values_around_and_in_divided_cells) {
  constexpr int D = TypeParam::D;
  int around = 0, divided = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Grids<D> grids(seed);
    grids.for_each_cell(
        [&](std::size_t k, std::size_t i, const std::array<double, D>& x, CellKind kind) {
          if (kind == CellKind::leaf) grids.values[k][i] = static_cast<float>(linear<D>(x));
        });
    grids.layers.fill(0, grids.by_level);
    grids.for_each_cell(
        [&](std::size_t k, std::size_t i, const std::array<double, D>& x, CellKind kind) {
          if (kind == CellKind::outside || !is_far_from_sides<D>(x)) return;
          ASSERT_NEAR(grids.values[k][i], linear<D>(x), 1e-5);
          around += kind == CellKind::around ? 1 : 0;
          divided += kind == CellKind::divided ? 1 : 0;
        });
  }
  EXPECT_GT(around, 1000);
  EXPECT_GT(divided, 20);
}

TYPED_TEST(LayersOf, have_linear_velocities_around_and_on_divided_faces) {
  constexpr int D = TypeParam::D;
  for (unsigned seed = 0; seed < 10; ++seed) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      Grids<D> grids(seed);
      const auto place = [&](std::size_t k, std::size_t i) {
        std::array<double, D> x;
        for (std::size_t a = 0; a < D; ++a)
          x[a] = (grids.layers[k].tiles.cell(i)[a] + (a == axis ? 0 : 0.5)) *
                 std::ldexp(1.0, static_cast<int>(k));
        return x;
      };
      grids.for_each_cell([&](std::size_t k, std::size_t i, const auto&, CellKind) {
        if (grids.layers[k].faces[axis][i] == FaceKind::whole)
          grids.values[k][i] = static_cast<float>(linear<D>(place(k, i)));
      });
      grids.layers.find_fluid([](std::size_t, const Cell<D>&) { return false; });
      grids.layers.fill_faces(axis, grids.by_level);
      grids.for_each_cell([&](std::size_t k, std::size_t i, const auto&, CellKind) {
        const auto x = place(k, i);
        if (grids.layers[k].faces[axis][i] == FaceKind::outside || !is_far_from_sides<D>(x)) return;
        // Cubics feel the sides, beyond which values are images, from further away.
        ASSERT_NEAR(grids.values[k][i], linear<D>(x), 5e-3);
      });
    }
  }
}

// All places that code for equal cells may look at from a cell of the level.
TYPED_TEST(LayersOf, have_values_wherever_one_looks) {
  constexpr int D = TypeParam::D;
  Sides<D> sides = walls<D>();
  sides.is_wall[0][0] = false;
  sides.velocity[1][1].velocity = Vec3(0.25, 0.5, 0.75);
  for (unsigned seed = 0; seed < 10; ++seed) {
    Grids<D> grids(seed, sides);
    grids.for_each_cell([&](std::size_t k, std::size_t i, const auto&, CellKind kind) {
      if (kind == CellKind::leaf) grids.values[k][i] = static_cast<float>(i % 7);
    });
    grids.layers.fill(0, grids.by_level);
    grids.for_each_cell([&](std::size_t k, std::size_t i, const auto&, CellKind kind) {
      if (kind != CellKind::leaf) return;
      const auto& tiles = grids.layers[k].tiles;
      for (std::size_t a = 0; a < D; ++a) {
        for (const std::int32_t step : {-reach, -1, 1, reach}) {
          Cell<D> cell = tiles.cell(i);
          cell[a] += step;
          // Paths end next to the domain, and interpolation looks two cells further.
          cell[a] = std::clamp(cell[a], -3, grids.layers[k].sides.cells[a] + 2);
          const std::size_t at = tiles.find_cell(cell);
          ASSERT_LT(at, tiles.count() * tile_size<D>);
          ASSERT_GT(grids.values[k][at], -1e8F) << k << " " << step;
        }
      }
    });
  }
}

// Leaves of both trees keep their values, to the bit.
TYPED_TEST(LayersOf, move_values_to_another_tree) {
  constexpr int D = TypeParam::D;
  for (unsigned seed = 0; seed < 10; ++seed) {
    Grids<D> from(seed), to(seed + 100);
    from.for_each_cell(
        [&](std::size_t k, std::size_t i, const std::array<double, D>& x, CellKind kind) {
          if (kind == CellKind::leaf) from.values[k][i] = static_cast<float>(linear<D>(x));
        });
    from.layers.fill(0, from.by_level);
    const std::vector<Array<float>> before = from.values;
    from.layers.move_cells(to.layers, from.by_level);
    to.for_each_cell(
        [&](std::size_t k, std::size_t i, const std::array<double, D>& x, CellKind kind) {
          if (kind != CellKind::leaf) return;
          if (is_far_from_sides<D>(x)) {
            ASSERT_NEAR(from.values[k][i], linear<D>(x), 1e-5);
          }
          const std::size_t old = from.layers[k].tiles.find_cell(to.layers[k].tiles.cell(i));
          if (from.layers[k].cells[old] == CellKind::leaf) {
            ASSERT_EQ(from.values[k][i], before[k][old]);
          }
        });
  }
}

}  // namespace
}  // namespace sluice::fluid::adaptive
