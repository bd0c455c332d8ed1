// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/wall_fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "solver/fluid/liquid/mac_transfer.h"

namespace sluice::fluid::grid::wall_fold_test {
namespace {

constexpr float cell_size = 0.1F;
constexpr float volume = 0.125F;  // The volume of a particle, in cells.

template <int D>
CellFrame<D> frame() {
  return {cell_size, Vec3f(-0.3F, 0.2F, -1)};
}

// A basin, or in 2D a trough, whose first side is open; smaller than a tile along one axis, and as
// wide as one along another.
template <int D>
Sides<D> basin() {
  Sides<D> sides;
  sides.cells = D == 3 ? Cell<D>{5, 8} : Cell<D>{5, 16};
  sides.cells[D - 1] = D == 3 ? 11 : 16;
  for (auto& of_axis : sides.is_wall)
    of_axis.fill(true);
  sides.is_wall[0][0] = false;
  return sides;
}

// In cells.
template <int D>
void add_particle(const Vec<D>& X, Particles& particles) {
  const std::size_t i = particles.count;
  particles.resize(i + 1);
  particles.positions[i] = Vec3f(-0.3F, 0.2F, -1);
  for (int axis = 0; axis < D; ++axis)
    particles.positions[i][world_axis<D>(axis)] += cell_size * X[axis];
}

template <int D>
MacGrid<D> folded(const Particles& particles) {
  const std::span<const Vec3f> positions(particles.positions.data(), particles.count);
  const ParticleCells<D> cells = find_cells<D>(frame<D>(), positions, 2, {});
  MacGrid<D> grid;
  grid.tiles = cells.tiles;
  typename MacGrid<D>::template Faces<float> weights;
  for (std::size_t axis = 0; axis < D; ++axis) {
    grid.velocity[axis].assign(grid.tiles.array_size(), 0);
    weights[axis].assign(grid.tiles.array_size(), 0);
  }
  grid.density.assign(grid.tiles.array_size(), 0);
  const std::vector<float> mass{1};
  particles_to_faces<D>(frame<D>(), cells, Screens<D>(frame<D>(), 0), mass, {&volume, 1}, particles,
                        grid, weights);
  SolidFaces<D>(frame<D>(), basin<D>(), 0).find(grid);
  fold_at_walls<D>(basin<D>(), grid);
  return grid;
}

template <int D>
bool is_in_basin(const Cell<D>& cell) {
  const Sides<D> sides = basin<D>();
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (sides.is_wall[axis][0] && cell[axis] < 0) return false;
    if (sides.is_wall[axis][1] && cell[axis] >= sides.cells[axis]) return false;
  }
  return true;
}

template <typename T>
class WallFold : public testing::Test {};
template <int D>
struct Dimensions {
  static constexpr int value = D;
};
using Both = testing::Types<Dimensions<2>, Dimensions<3>>;
TYPED_TEST_SUITE(WallFold, Both);

// Wherever particles stand, also in a corner: what a tent is cut off from at a wall is not lost.
TYPED_TEST(WallFold, counts_all_of_the_liquid_once) {
  constexpr int D = TypeParam::value;
  std::mt19937 random(4);
  Particles particles;
  for (int n = 0; n < 500; ++n) {
    Vec<D> X;
    for (int axis = 0; axis < D; ++axis) {
      const auto most = static_cast<float>(basin<D>().cells[static_cast<std::size_t>(axis)]);
      X[axis] = std::uniform_real_distribution<float>(1e-4F, most - 1e-4F)(random);
    }
    add_particle<D>(X, particles);
  }
  const MacGrid<D> grid = folded<D>(particles);
  double sum = 0;
  for (std::size_t cell = 0; cell < grid.tiles.count() * tile_size<D>; ++cell) {
    if (is_in_basin<D>(grid.tiles.cell(cell))) sum += static_cast<double>(grid.density[cell]);
  }
  EXPECT_NEAR(sum, 500 * static_cast<double>(volume), 1e-4 * sum);
}

// Next to a wall a particle counts the same wherever it stands: none is worth more under the tent's
// top, where evening out would gather them.
TYPED_TEST(WallFold, counts_what_is_next_to_a_wall_alike) {
  constexpr int D = TypeParam::value;
  for (const float away : {0.01F, 0.2F, 0.49F}) {
    Particles particles;
    Vec<D> X = Vec<D>::Constant(2.5F);
    X[D - 1] = away;
    add_particle<D>(X, particles);
    const MacGrid<D> grid = folded<D>(particles);
    Cell<D> cell;
    cell.fill(2);
    cell[D - 1] = 0;
    EXPECT_NEAR(grid.density[grid.tiles.find_cell(cell)], volume, 1e-5F) << away;
    Cell<D> beyond = cell;
    beyond[D - 1] = -1;
    EXPECT_EQ(grid.density[grid.tiles.find_cell(beyond)], grid.density[grid.tiles.find_cell(cell)]);
  }
}

// All that is in the basin has the room of a whole cell, and what is beyond has none.
TYPED_TEST(WallFold, leaves_whole_cells) {
  constexpr int D = TypeParam::value;
  Particles particles;
  for (float x = 0.5F; x < 16; ++x) {
    Vec<D> X = Vec<D>::Constant(x);
    for (int axis = 0; axis < D; ++axis)
      X[axis] = std::min(
          X[axis], static_cast<float>(basin<D>().cells[static_cast<std::size_t>(axis)]) - 0.5F);
    add_particle<D>(X, particles);
  }
  const MacGrid<D> grid = folded<D>(particles);
  int inside = 0;
  for (std::size_t index = 0; index < grid.tiles.count() * tile_size<D>; ++index) {
    const Cell<D> cell = grid.tiles.cell(index);
    if (!is_in_basin<D>(cell)) {
      EXPECT_LE(grid.room[index], 0.0F);
    } else {
      EXPECT_NEAR(grid.room[index], 1, 1e-6F);
      ++inside;
    }
  }
  EXPECT_GT(inside, 50);
}

}  // namespace
}  // namespace sluice::fluid::grid::wall_fold_test
