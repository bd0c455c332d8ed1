// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/level_at_solids.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace sluice::fluid::grid::level_at_solids_test {
namespace {

// Beside a wall that covers all cells with x >= 4, and some part of those with x = 3 and 2. The
// surface of the liquid is in the layer of cells 1, with the next air above it.
constexpr std::int32_t surface_layer = 1;
constexpr float up_to = 1e-6F;

template <int D>
Vec<D> up() {
  Vec<D> up = Vec<D>::Zero();
  up[D - 1] = 1;
  return up;
}

template <int D>
MacGrid<D> beside_a_wall() {
  std::vector<Cell<D>> tiles;
  for (std::int32_t n = 0; n < (D == 3 ? 8 : 4); ++n) {
    Cell<D> tile{};
    for (std::size_t axis = 0; axis < D; ++axis)
      tile[axis] = (n >> axis & 1) - 1;
    tiles.push_back(tile);
  }
  MacGrid<D> grid;
  grid.tiles = Tiles<D>(tiles);
  const std::size_t size = grid.tiles.array_size();
  grid.room.assign(size, 1);
  grid.is_bodiless.assign(size, 1);
  grid.is_clear.assign(grid.tiles.count() + 1, 0);
  for (std::size_t axis = 0; axis < D; ++axis) {
    grid.open[axis].assign(size, 1);
    grid.velocity[axis].assign(size, 0);
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<float> part(0.2F, 0.9F);
  for (std::size_t cell = 0; cell < grid.tiles.count() * tile_size<D>; ++cell) {
    const std::int32_t x = grid.tiles.cell(cell)[0];
    if (x >= 4) {
      grid.room[cell] = 0;
      for (std::size_t axis = 0; axis < D; ++axis)
        grid.open[axis][cell] = 0;
    } else if (x >= 2) {
      grid.room[cell] = part(random);
    }
  }
  return grid;
}

// A surface a fifth of a cell above the layer's middles, and that off by up to `noise` in each.
template <int D>
Array<float> surface(const MacGrid<D>& grid, float noise) {
  Array<float> distance(grid.tiles.array_size(), 0);
  std::mt19937 random(2);
  std::uniform_real_distribution<float> error(-noise, noise);
  for (std::size_t cell = 0; cell < grid.tiles.count() * tile_size<D>; ++cell) {
    const std::int32_t z = grid.tiles.cell(cell)[D - 1];
    distance[cell] = -1;
    if (z > surface_layer) distance[cell] = 1;
    if (z == surface_layer) distance[cell] = -0.2F + error(random);
  }
  return distance;
}

template <typename Dimensions>
class LevelAtSolidsOf : public testing::Test {};
using Both = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(LevelAtSolidsOf, Both);

TYPED_TEST(LevelAtSolidsOf, leaves_an_even_surface_as_it_is) {
  constexpr int D = TypeParam::value;
  const MacGrid<D> grid = beside_a_wall<D>();
  const Array<float> before = surface(grid, 0);
  Array<float> distance = before;
  const auto level = level_at_solids<D>(grid, up<D>(), distance);
  ASSERT_FALSE(level.at.empty());
  for (std::size_t cell = 0; cell < grid.tiles.count() * tile_size<D>; ++cell)
    EXPECT_NEAR(distance[cell], before[cell], up_to);
}

TYPED_TEST(LevelAtSolidsOf, evens_out_and_gives_what_it_takes) {
  constexpr int D = TypeParam::value;
  const MacGrid<D> grid = beside_a_wall<D>();
  const Array<float> before = surface(grid, 0.25F);
  Array<float> distance = before;
  static_cast<void>(level_at_solids<D>(grid, up<D>(), distance));
  double volume = 0, squares_before = 0, squares = 0;
  for (std::size_t cell = 0; cell < grid.tiles.count() * tile_size<D>; ++cell) {
    const Cell<D> at = grid.tiles.cell(cell);
    if (at[D - 1] != surface_layer || at[0] < 1 || at[0] > 3) {
      EXPECT_EQ(distance[cell], before[cell]) << at[0] << " " << at[D - 1];
      continue;
    }
    const auto room = static_cast<double>(grid.room[cell]);
    const double old_error = static_cast<double>(before[cell]) + 0.2;
    const double error = static_cast<double>(distance[cell]) + 0.2;
    volume += room * (error - old_error);
    squares_before += room * old_error * old_error;
    squares += room * error * error;
  }
  EXPECT_NEAR(volume, 0, 1e-5);
  EXPECT_LT(squares, 0.8 * squares_before);
}

TYPED_TEST(LevelAtSolidsOf, finds_what_air_does_not_reach) {
  constexpr int D = TypeParam::value;
  const MacGrid<D> grid = beside_a_wall<D>();
  Array<float> distance = surface(grid, 0);
  Cell<D> deep{}, next_to_air{};
  deep[0] = next_to_air[0] = 3;
  deep[D - 1] = surface_layer - 3;
  next_to_air[D - 1] = surface_layer;
  const std::size_t shut_off = grid.tiles.find_cell(deep);
  const std::size_t open = grid.tiles.find_cell(next_to_air);
  distance[shut_off] = distance[open] = 0.9F;
  const auto level = level_at_solids<D>(grid, up<D>(), distance);
  EXPECT_EQ(level.at[shut_off], AtSolid::shut_off);
  EXPECT_NE(level.at[open], AtSolid::shut_off);
}

TYPED_TEST(LevelAtSolidsOf, does_nothing_without_gravity_or_obstacles) {
  constexpr int D = TypeParam::value;
  MacGrid<D> grid = beside_a_wall<D>();
  const Array<float> before = surface(grid, 0.25F);
  Array<float> distance = before;
  EXPECT_TRUE(level_at_solids<D>(grid, Vec<D>::Zero(), distance).at.empty());
  EXPECT_EQ(distance, before);
  grid.is_bodiless.clear();
  EXPECT_TRUE(level_at_solids<D>(grid, up<D>(), distance).at.empty());
  EXPECT_EQ(distance, before);
}

TYPED_TEST(LevelAtSolidsOf, calms_what_is_slow_at_the_edge_alone) {
  constexpr int D = TypeParam::value;
  constexpr float gravity = 9.81F, cell_size = 0.02F, h = 0.01F;
  const float least = 0.06F * std::sqrt(gravity * cell_size);
  MacGrid<D> grid = beside_a_wall<D>();
  Array<float> distance = surface(grid, 0);
  const auto level = level_at_solids<D>(grid, up<D>(), distance);
  Cell<D> edge{}, farther{}, deep{};
  edge[0] = deep[0] = 2;
  farther[0] = -3;
  edge[D - 1] = farther[D - 1] = surface_layer;
  deep[D - 1] = surface_layer - 5;
  for (const auto& [cell, is_calmed] :
       {std::pair(edge, true), std::pair(farther, false), std::pair(deep, false)}) {
    const std::size_t face = grid.tiles.find_cell(cell);
    for (const float speed : {-0.5F * least, 0.5F * least, 1.01F * least}) {
      grid.velocity[0][face] = speed;
      calm_at_solids(level, gravity, h, cell_size, grid);
      const float part = grid.velocity[0][face] / speed;
      if (is_calmed && std::abs(speed) < least) {
        EXPECT_GT(part, 0.8F);
        EXPECT_LT(part, 0.95F);
      } else {
        EXPECT_EQ(part, 1);
      }
    }
  }
}

}  // namespace
}  // namespace sluice::fluid::grid::level_at_solids_test
