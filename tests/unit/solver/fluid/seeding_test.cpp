// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/seeding.h"

#include <gtest/gtest.h>

#include <numbers>

#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid {
namespace {

TEST(Seeding, fills_a_box_with_the_lattice_of_its_cells) {
  // 0.2 x 0.1 x 0.3 m of cells of 0.05 m with 2 seeds an axis: 8 x 4 x 12.
  const auto scene = test::tank({1, 1, 1}, 0.05, test::box({0.1, 0.2, 0.3}, {0.3, 0.3, 0.6}));
  const Seeds seeds = seed_particles(scene);
  ASSERT_EQ(seeds.positions.size(), 8U * 4 * 12);
  EXPECT_EQ(seeds.counts, (std::vector<std::int64_t>{8 * 4 * 12}));
  EXPECT_EQ(seeds.positions.front(), Vec3f(0.1125F, 0.2125F, 0.3125F));
  EXPECT_EQ(seeds.positions.back(), Vec3f(0.2875F, 0.2875F, 0.5875F));
}

TEST(Seeding, a_ball_has_the_volume_of_its_particles) {
  const auto scene = test::tank({1, 1, 1}, 0.02, test::sphere({0.5, 0.5, 0.5}, 0.3));
  const double volume = static_cast<double>(count_particles(scene, 10'000'000)) * 1e-6;
  const double exact = 4.0 / 3 * std::numbers::pi * 0.027;
  EXPECT_NEAR(volume, exact, 0.005 * exact);
}

TEST(Seeding, counts_a_union_once_and_skips_obstacles_and_the_outside) {
  auto scene = test::tank({0.4, 0.4, 0.4}, 0.1, test::box({0, 0, 0}, {0.2, 0.4, 0.4}));
  scene.fluids[0].regions.push_back(test::box({0.1, 0, 0}, {0.3, 0.4, 0.4}));
  EXPECT_EQ(count_particles(scene, 1000), 6 * 8 * 8);
  scene.fluids[0].regions.push_back(test::box({-5, -5, -5}, {0.1, 5, 5}));
  EXPECT_EQ(count_particles(scene, 1000), 6 * 8 * 8);
  scene::Obstacle obstacle;
  obstacle.shape = test::box({0, 0, 0}, {0.1, 0.4, 0.4});
  scene.obstacles = {obstacle};
  EXPECT_EQ(count_particles(scene, 1000), 4 * 8 * 8);
}

TEST(Seeding, gives_a_point_to_the_first_fluid_that_has_it) {
  auto scene = test::tank({0.4, 0.4, 0.4}, 0.1, test::box({0, 0, 0}, {0.2, 0.4, 0.4}));
  scene.fluids.push_back(scene.fluids[0]);
  geometry::Shape below;
  below.form = geometry::HalfSpace{};
  below.translation = Vec3(0, 0, 0.1);
  scene.fluids[1].regions = {below};
  EXPECT_EQ(seed_particles(scene).counts, (std::vector<std::int64_t>{4 * 8 * 8, 4 * 8 * 2}));
}

TEST(Seeding, stops_counting_above_the_limit) {
  const auto scene = test::tank({1, 1, 1}, 0.005, test::box({0, 0, 0}, {1, 1, 1}));
  EXPECT_EQ(count_particles(scene, 100'000), 100'001);  // of 64 million
}

TEST(Seeding, does_not_depend_on_threads) {
  const auto scene = test::tank({1, 1, 1}, 0.05, test::sphere({0.5, 0.5, 0.5}, 0.3));
  const Seeds serial = seed_particles(scene);
  parallel::ThreadLimit limit(3);
  Seeds parallel;
  limit.run([&] { parallel = seed_particles(scene); });
  EXPECT_EQ(parallel.positions, serial.positions);
}

}  // namespace
}  // namespace sluice::fluid
