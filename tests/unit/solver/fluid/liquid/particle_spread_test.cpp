// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/particle_spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace sluice::fluid::grid::particle_spread_test {
namespace {

constexpr float spacing = 0.5F;

// Moves particles on cells of 1 m once, in liquid that is `distance` cells from its surface.
template <int D>
void spread(std::vector<Vec3f>& positions, float distance = 0) {
  const CellFrame<D> frame{1, Vec3f::Zero()};
  const ParticleCells<D> cells = find_cells<D>(frame, positions, 2);
  MacGrid<D> grid;
  grid.tiles = cells.tiles;
  grid.distance.assign(grid.tiles.array_size(), distance);
  grid.room.assign(grid.tiles.array_size(), 1);
  Screens<D> screens(frame, 0);
  screens.look_around(grid.tiles, 1, 0);
  Particles particles;
  particles.resize(positions.size());
  std::ranges::copy(positions, particles.positions.begin());
  std::ranges::copy(positions, particles.targets.begin());
  spread_particles<D>(frame, cells, grid, screens, spacing, particles);
  std::copy_n(particles.targets.begin(), positions.size(), positions.begin());
}

Vec3f mean(const std::vector<Vec3f>& positions) {
  Vec3f sum = Vec3f::Zero();
  for (const Vec3f& x : positions)
    sum += x;
  return sum / static_cast<float>(positions.size());
}

float least_distance(const std::vector<Vec3f>& positions) {
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      least = std::min(least, (positions[i] - positions[j]).norm());
  }
  return least;
}

// Rows along x of particles that are 0.2 spacings apart, as a flow leaves them that has drawn them
// out across that; over the ends of cells and tiles.
template <int D>
std::vector<Vec3f> strings() {
  std::vector<Vec3f> positions;
  for (int n = 0; n < 40; ++n) {
    const float x = 6.3F + 0.1F * static_cast<float>(n);
    positions.push_back({x, D == 3 ? 7.9F : 0, 8.2F});
    positions.push_back({x, D == 3 ? 9.1F : 0, 9.6F});
  }
  return positions;
}

template <int D>
void expect_strings_to_widen() {
  std::vector<Vec3f> positions = strings<D>();
  const Vec3f middle = mean(positions);
  for (int n = 0; n < 60; ++n)
    spread<D>(positions);
  EXPECT_GT(least_distance(positions), 0.7F * spacing);
  EXPECT_LT((mean(positions) - middle).norm(), 0.01F);  // [cells] Ways that are cut are not equal.
  if (D == 2) {
    for (const Vec3f& x : positions)
      EXPECT_EQ(x.y(), 0);
  }
}

TEST(ParticleSpread, makes_sheets_of_strings) {
  expect_strings_to_widen<2>();
  expect_strings_to_widen<3>();
}

TEST(ParticleSpread, leaves_a_lattice_as_it_is) {
  std::vector<Vec3f> positions;
  for (int n = 0; n < 1000; ++n) {
    positions.push_back({5.25F + 0.5F * static_cast<float>(n % 10),
                         5.25F + 0.5F * static_cast<float>(n / 10 % 10),
                         5.25F + 0.46F * static_cast<float>(n / 100)});
  }
  const std::vector<Vec3f> before = positions;
  spread<3>(positions);
  EXPECT_EQ(positions, before);
}

TEST(ParticleSpread, leaves_what_is_deep_in_the_liquid_as_it_is) {
  std::vector<Vec3f> positions = strings<3>();
  const std::vector<Vec3f> before = positions;
  spread<3>(positions, -2);
  EXPECT_EQ(positions, before);
}

}  // namespace
}  // namespace sluice::fluid::grid::particle_spread_test
