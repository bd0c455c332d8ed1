// SPDX-License-Identifier: Apache-2.0
// Walls and obstacles push what comes and let go what leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::grid_sides_test {
namespace {

using test::box;

constexpr double cell = 0.02;
constexpr double spacing = cell / 2;
constexpr double g = 9.81;

Vec3 mean(std::span<const Vec3f> values) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3f& value : values)
    sum += value.cast<double>();
  return sum / static_cast<double>(values.size());
}

void advance(MpmFluid& fluid, const scene::Scene& scene, double seconds) {
  for (double left = seconds; left > 1e-12;) {
    const double h = std::min({fluid.stable_substep(), left, 1e-3});
    fluid.advance_velocities(h, scene.gravity);
    fluid.commit();
    left -= h;
  }
}

// From rest, in [m], of what nothing holds.
void expect_free_fall(const scene::Scene& scene, std::int64_t count, double tolerance = 0.01) {
  constexpr double seconds = 0.1;
  MpmFluid fluid(scene);
  ASSERT_EQ(fluid.particle_count(), count);
  const Vec3 before = mean(fluid.positions());
  advance(fluid, scene, seconds);
  const Vec3 way = mean(fluid.positions()) - before;
  const Vec3 expected = scene.gravity * seconds * seconds / 2;
  EXPECT_LT((way - expected).norm(), tolerance * expected.norm())
      << "went " << way.transpose() << " m in place of " << expected.transpose();
}

// Liquid that a wall threw back, or only stopped, flies on as if the wall was not there.
void expect_to_leave(const scene::Scene& scene, const Vec3& inwards) {
  MpmFluid fluid(scene);
  const auto leaving = [&] { return mean(fluid.velocities()).dot(inwards); };
  advance(fluid, scene, 0.02);  // It has met the wall.
  const double before = leaving();
  EXPECT_GT(before, -0.1);
  advance(fluid, scene, 0.06);  // Pressed liquid has expanded again.
  const double then = leaving();
  advance(fluid, scene, 0.05);
  EXPECT_NEAR(leaving() - then, g * 0.05, 0.01 * g * 0.05);
}

constexpr scene::WallCondition conditions[] = {
    scene::WallCondition::slip, scene::WallCondition::no_slip, scene::WallCondition::friction};

std::string name_of(scene::WallCondition wall) {
  return wall == scene::WallCondition::slip      ? "slip"
         : wall == scene::WallCondition::no_slip ? "no slip"
                                                 : "friction";
}

// One particle or a drop, `seeds` along each axis, whose corner is at `lower`.
geometry::Shape drop(const Vec3& lower, int seeds) {
  return box(lower, lower + Vec3::Constant(seeds * spacing));
}

scene::Scene room(int dimensions, scene::WallCondition wall) {
  scene::Scene scene = test::tank(Vec3::Constant(0.4), cell, {});
  scene.grid.dimensions = dimensions;
  scene.grid.wall = wall;
  return scene;
}

// Calls visit(scene, inwards, count) for one particle and a drop at each wall, in a field of
// gravity that takes them away from it.
template <typename Visit>
void at_each_wall(const Visit& visit) {
  for (const int dimensions : {2, 3}) {
    for (const scene::WallCondition wall : conditions) {
      for (const auto kernel : {scene::Kernel::quadratic, scene::Kernel::cubic}) {
        for (int axis = 0; axis < 3; ++axis) {
          if (dimensions == 2 && axis == 1) continue;
          for (const bool is_upper : {false, true}) {
            for (const int seeds : {1, 2}) {
              scene::Scene scene = room(dimensions, wall);
              scene.grid.kernel = kernel;
              Vec3 lower = Vec3::Constant(0.2);
              lower[axis] = is_upper ? 0.4 - seeds * spacing : 0;
              scene.fluids[0].regions = {drop(lower, seeds)};
              if (dimensions == 2)
                scene.fluids[0].regions[0] =
                    box(lower - Vec3(0, 1, 0), lower + Vec3(seeds * spacing, 1, seeds * spacing));
              const Vec3 inwards = (is_upper ? -1 : 1) * Vec3::Unit(axis);
              scene.gravity = g * inwards;
              SCOPED_TRACE(std::to_string(dimensions) + "D, " + name_of(wall) + ", axis " +
                           std::to_string(axis) + (is_upper ? " upper" : " lower") + ", " +
                           std::to_string(seeds) + " seeds, " +
                           (kernel == scene::Kernel::quadratic ? "quadratic" : "cubic"));
              visit(scene, inwards, dimensions == 2 ? seeds * seeds : seeds * seeds * seeds);
            }
          }
        }
      }
    }
  }
}

TEST(LettingGo, what_touches_a_wall_leaves_it_as_it_falls_free) {
  at_each_wall([](const scene::Scene& scene, const Vec3& /*inwards*/, std::int64_t count) {
    expect_free_fall(scene, count);
  });
}

TEST(LettingGo, what_was_thrown_at_a_wall_leaves_it_again) {
  at_each_wall([](scene::Scene scene, const Vec3& inwards, std::int64_t count) {
    // A drop that closes up again before the wall is out of a cubic kernel's reach has pressure,
    // and what has pressure is held: these four particles lose 4 % there.
    if (scene.grid.kernel == scene::Kernel::cubic && count == 4) return;
    scene.fluids[0].velocity = -inwards;
    expect_to_leave(scene, inwards);
  });
}

TEST(LettingGo, what_is_in_a_corner_leaves_both_walls) {
  for (const scene::WallCondition wall : conditions) {
    SCOPED_TRACE(name_of(wall));
    scene::Scene scene = room(3, wall);
    scene.fluids[0].regions = {drop({0, 0.2, 0.4 - 2 * spacing}, 2)};
    scene.gravity = Vec3(3, 0, -9);
    expect_free_fall(scene, 8);
  }
}

TEST(LettingGo, what_is_under_an_obstacle_falls) {
  scene::Obstacle plate;
  plate.name = "plate";
  plate.shape = box({0.1, 0.1, 0.253}, {0.3, 0.3, 0.303});
  scene::Obstacle ball = plate;
  ball.shape = test::sphere({0.2, 0.2, 0.3}, 0.0481);
  for (const scene::Obstacle& obstacle : {plate, ball}) {
    for (const int dimensions : {2, 3}) {
      for (const scene::WallCondition wall : conditions) {
        for (const int seeds : {1, 2}) {
          SCOPED_TRACE(std::to_string(dimensions) + "D, " + name_of(wall) + ", " +
                       std::to_string(seeds) + " seeds");
          scene::Scene scene = room(dimensions, scene::WallCondition::slip);
          scene.obstacles = {obstacle};
          scene.obstacles[0].wall = wall;
          const double side = seeds * spacing;
          scene.fluids[0].regions = {dimensions == 2
                                         ? box({0.2, -1, 0.25 - side}, {0.2 + side, 1, 0.25})
                                         : drop({0.2, 0.2, 0.25 - side}, seeds)};
          // A ball that liquid sticks to holds it along its surface for a moment.
          const bool sticks = wall == scene::WallCondition::no_slip;
          expect_free_fall(scene, dimensions == 2 ? seeds * seeds : seeds * seeds * seeds,
                           sticks ? 0.06 : 0.01);
        }
      }
    }
  }
}

TEST(LettingGo, a_full_tank_is_held_by_its_lid) {
  // Water that fills its tank presses on the ceiling when gravity points up, and stays.
  scene::Scene scene = test::tank(Vec3::Constant(0.1), cell, box({0, 0, 0}, {0.1, 0.1, 0.1}));
  scene.gravity = Vec3(0, 0, g);
  MpmFluid fluid(scene);
  advance(fluid, scene, 0.3);
  EXPECT_NEAR(mean(fluid.positions()).z(), 0.05, 0.0005);
}

}  // namespace
}  // namespace sluice::fluid::grid_sides_test
