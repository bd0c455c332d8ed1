// SPDX-License-Identifier: Apache-2.0
// A block of jelly on a slope of whatever fluid can meet. Oracle: Coulomb's law, as for solids: it
// slides with a = g (sin angle - mu cos angle) where mu is below tan angle, else it stays. (Where
// mu is hardly above, it creeps: solver/fluid/mpm/method.md.)
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "solver/geometry/tessellate_shape.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::fluid_friction_test {
namespace {

constexpr double cell = 0.01, floor_height = 0.04, length = 1.2, width = 0.16;
constexpr double g = 9.81, slope = 0.3;  // tan angle

enum class Floor { domain, obstacle, cloth, rigid_body };

struct Ground {
  Floor floor;
  scene::WallCondition wall;
  double friction;
  scene::CouplingMethod method = scene::CouplingMethod::admm_ipc;
};

std::string name_of(const Ground& ground) {
  constexpr std::array floors{"domain", "obstacle", "cloth", "rigid_body"};
  constexpr std::array walls{"slip", "no_slip", "friction"};
  return std::string(floors[static_cast<std::size_t>(ground.floor)]) + "_" +
         walls[static_cast<std::size_t>(ground.wall)] + "_" +
         std::to_string(std::lround(100 * ground.friction)) +
         (ground.method == scene::CouplingMethod::weak ? "_weak" : "");
}

// Gravity is turned instead of the ground.
scene::Scene make_scene(const Ground& ground) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = Vec3(length, width, 0.12);
  scene.frame_rate = 20;
  scene.grid.cell_size = cell;
  scene.coupling.method = ground.method;
  const double steep = std::atan(slope);
  scene.gravity = g * Vec3(std::sin(steep), 0, -std::cos(steep));
  const double bottom = ground.floor == Floor::domain ? 0 : floor_height;
  scene::Fluid jelly;
  jelly.name = "jelly";
  jelly.material = scene::Jelly{.young_modulus = 2e5, .poisson_ratio = 0.3};
  jelly.regions = {test::make_box({0.06, 0.04, bottom}, {0.14, 0.12, bottom + 0.04})};
  scene.fluids = {jelly};
  switch (ground.floor) {
    case Floor::domain:
      scene.grid.wall = ground.wall;
      scene.grid.wall_friction = ground.friction;
      break;
    case Floor::obstacle: {
      scene::Obstacle floor;
      floor.name = "floor";
      floor.shape = test::make_box({-1, -1, -1}, {2, 1, bottom});
      floor.wall = ground.wall;
      floor.friction = ground.friction;
      scene.obstacles = {floor};
      break;
    }
    case Floor::cloth: {
      scene::Cloth floor = test::make_sheet(59, 8, 0.02, Vec3(length / 2, width / 2, bottom));
      floor.thickness = 1e-4;
      floor.wall = ground.wall;
      floor.friction = ground.friction;
      std::vector<std::int32_t> all(59 * 8);
      std::iota(all.begin(), all.end(), 0);
      floor.pins = {test::make_pin(all)};
      scene.cloths = {floor};
      break;
    }
    case Floor::rigid_body: {
      scene::RigidBody floor;
      floor.name = "floor";
      floor.mesh = geometry::tessellate_shape(
                       test::make_box({0.01, 0.01, 0.01}, {length - 0.01, width - 0.01, bottom}),
                       0.02, 10'000)
                       .value();
      floor.script = {{.time = 1000}};
      floor.wall = ground.wall;
      floor.friction = ground.friction;
      scene.rigid_bodies = {floor};
      break;
    }
  }
  return scene;
}

// [m] Mean of the jelly along the slope, at 0.2, 0.4 and 0.6 s.
std::array<double, 3> ways_of(const scene::Scene& scene) {
  const auto simulation = test::make_simulation(scene);
  std::array<double, 3> ways{};
  for (double& way : ways) {
    test::advance(*simulation, 4);
    const std::vector<Vec3> places = test::positions(*simulation, 0);
    for (const Vec3& x : places)
      way += x.x() / static_cast<double>(places.size());
  }
  return ways;
}

class FluidFriction : public testing::TestWithParam<Ground> {};
using Slides = FluidFriction;
using Stays = FluidFriction;

TEST_P(Slides, as_coulomb_says) {
  const auto [x1, x2, x3] = ways_of(make_scene(GetParam()));
  const double mu = GetParam().wall == scene::WallCondition::friction ? GetParam().friction : 0;
  const double expected = g * std::cos(std::atan(slope)) * (slope - mu);
  EXPECT_NEAR((x3 - 2 * x2 + x1) / 0.04, expected, 0.06);
}
INSTANTIATE_TEST_SUITE_P(
    , Slides,
    testing::Values(Ground{Floor::domain, scene::WallCondition::slip, 0},
                    Ground{Floor::domain, scene::WallCondition::friction, 0.1},
                    Ground{Floor::domain, scene::WallCondition::friction, 0.2},
                    Ground{Floor::obstacle, scene::WallCondition::slip, 0.1},
                    Ground{Floor::obstacle, scene::WallCondition::friction, 0.1},
                    Ground{Floor::obstacle, scene::WallCondition::friction, 0.2},
                    Ground{Floor::cloth, scene::WallCondition::slip, 0.1},
                    Ground{Floor::cloth, scene::WallCondition::friction, 0.1},
                    Ground{Floor::cloth, scene::WallCondition::friction, 0.2},
                    Ground{Floor::cloth, scene::WallCondition::friction, 0.2,
                           scene::CouplingMethod::weak},
                    Ground{Floor::rigid_body, scene::WallCondition::friction, 0.1}),
    [](const auto& ground) { return name_of(ground.param); });

TEST_P(Stays, where_friction_holds_it) {
  const auto [x1, x2, x3] = ways_of(make_scene(GetParam()));
  EXPECT_NEAR(x3, x1, 1e-3);
}
INSTANTIATE_TEST_SUITE_P(
    Stays, Stays,
    testing::Values(Ground{Floor::domain, scene::WallCondition::friction, 0.5},
                    Ground{Floor::domain, scene::WallCondition::no_slip, 0},
                    Ground{Floor::obstacle, scene::WallCondition::friction, 0.5},
                    Ground{Floor::cloth, scene::WallCondition::friction, 0.5},
                    Ground{Floor::cloth, scene::WallCondition::no_slip, 0},
                    Ground{Floor::cloth, scene::WallCondition::no_slip, 0,
                           scene::CouplingMethod::weak},
                    Ground{Floor::rigid_body, scene::WallCondition::friction, 0.5},
                    Ground{Floor::rigid_body, scene::WallCondition::no_slip, 0}),
    [](const auto& ground) { return name_of(ground.param); });

// A belt: the body moves, the gravity is upright.
TEST(FluidOnABelt, is_carried_along_as_friction_allows) {
  for (const auto wall : {scene::WallCondition::friction, scene::WallCondition::no_slip}) {
    constexpr double speed = 0.5, mu = 0.05;
    scene::Scene scene = make_scene({Floor::rigid_body, wall, mu});
    scene.gravity = Vec3(0, 0, -g);
    scene.domain_upper.x() += 0.6;
    scene.fluids[0].regions[0].translation.x() = 0.6;
    scene.rigid_bodies[0].script = {{.time = 1, .offset = Vec3(speed, 0, 0)}};
    const auto [x1, x2, x3] = ways_of(scene);
    if (wall == scene::WallCondition::friction) {
      EXPECT_NEAR((x3 - 2 * x2 + x1) / 0.04, mu * g, 0.06);
    } else {
      EXPECT_NEAR((x3 - x2) / 0.2, speed, 0.02 * speed);
    }
  }
}

}  // namespace
}  // namespace sluice::fluid_friction_test
