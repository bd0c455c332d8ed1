// SPDX-License-Identifier: Apache-2.0
// A number that is not finite, wherever it comes up, ends the step with the name of its body: walls
// and obstacles clamp, and would turn it into a plausible one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "solver/coupling/admm_ipc.h"
#include "solver/fluid/mpm/mpm_fluid.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::coupling::divergence_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Water that falls on a sheet, in a tank with no-slip walls; another sheet below.
scene::Scene make_scene() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.1, -0.1, -0.1);
  scene.domain_upper = Vec3(0.1, 0.1, 0.1);
  scene.grid.cell_size = 0.01;
  scene.grid.wall = scene::WallCondition::no_slip;
  scene.coupling.contact_distance = 1e-3;
  scene.fluids.push_back(
      {"water", {test::make_box(Vec3(-0.05, -0.05, 0.004), Vec3(0.05, 0.05, 0.024))}});
  scene.fluids[0].velocity = Vec3(0, 0, -1);
  scene.cloths.push_back(test::make_sheet(12, 12, 0.014, Vec3::Zero()));
  scene.cloths[0].name = "curtain";
  scene.cloths.push_back(test::make_sheet(8, 8, 0.014, Vec3(0, 0, -0.08)));
  scene.cloths[1].name = "rug";
  return scene;
}

/// The bodies after some steps, when water presses on the sheet.
struct Bodies {
  Bodies() {
    actions.gravity = scene.gravity;
    for (int i = 0; i < 40; ++i) {
      const auto report = step();
      EXPECT_TRUE(report) << report.error().message;
      if (report) contact_count = report.value().contact_count;
    }
  }
  Result<SubstepReport> step() { return coupling.step(2e-4, actions, solids, &water); }

  /// The message of a step that must fail.
  std::string failure() {
    const auto report = step();
    if (report) return "no failure";
    EXPECT_EQ(report.error().code, ErrorCode::solver_diverged);
    return report.error().message;
  }

  scene::Scene scene = make_scene();
  solid::DeformableSystem solids = solid::make_deformable_system(scene);
  fluid::MpmFluid water{scene};
  AdmmIpc coupling{scene, solids};
  ExternalActions actions;
  std::int64_t contact_count = 0;
};

class Divergence : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Numbers, Divergence, testing::Values(nan, infinity, -infinity),
                         [](const auto& value) {
                           return std::isnan(value.param) ? "nan"
                                  : value.param > 0       ? "infinity"
                                                          : "minus_infinity";
                         });

void expect_named(const std::string& message, const std::string& body) {
  EXPECT_NE(message.find('"' + body + '"'), std::string::npos) << message;
  EXPECT_NE(message.find("may help"), std::string::npos) << message;
}

TEST_P(Divergence, the_scene_has_water_on_the_sheet) { EXPECT_GT(Bodies().contact_count, 10); }

TEST_P(Divergence, of_any_particle_and_axis_names_its_fluid) {
  for (const std::size_t particle : {0UL, 77UL, 4000UL}) {
    for (int axis = 0; axis < 3; ++axis) {
      Bodies bodies;
      // A solid's last word may leave this behind: it shows in the next step.
      bodies.water.velocities()[particle % bodies.water.velocities().size()][axis] =
          static_cast<float>(GetParam());
      expect_named(bodies.failure(), "water");
    }
  }
}

TEST_P(Divergence, of_any_vertex_names_its_cloth) {
  for (int axis = 0; axis < 3; ++axis) {
    Bodies bodies;
    bodies.solids.velocities[70][axis] = GetParam();
    expect_named(bodies.failure(), "curtain");
  }
  Bodies bodies;
  bodies.solids.positions[144 + 3].y() = GetParam();
  expect_named(bodies.failure(), "rug");
}

TEST_P(Divergence, of_what_acts_from_outside_names_a_body) {
  Bodies pulled;
  const solid::Anchor anchor{144 + 9, 10, Vec3(0, GetParam(), 0)};
  pulled.actions.anchors = std::span(&anchor, 1);
  expect_named(pulled.failure(), "rug");
  Bodies pushed;
  const fluid::Push push{Vec3::Zero(), 1, Vec3(GetParam(), 0, 0)};
  pushed.actions.pushes = std::span(&push, 1);
  expect_named(pushed.failure(), "water");
  Bodies falling;
  falling.actions.gravity = Vec3(0, 0, GetParam());
  expect_named(falling.failure(), "water");
}

TEST(DivergenceBySize, a_finite_number_too_large_for_a_frame_is_one_too) {
  Bodies flying;
  flying.solids.velocities[70].x() = 1e300;
  expect_named(flying.failure(), "curtain");
  Bodies falling;
  falling.actions.gravity = Vec3(0, 0, -1e100);  // Not a float.
  expect_named(falling.failure(), "water");
}

TEST(DivergenceAtWalls, a_place_that_is_no_number_stays_none) {
  scene::Scene scene = make_scene();
  scene.obstacles.push_back({"ball", {geometry::Sphere{0.03}, Vec3(0, 0, 0.07), Mat3::Identity()}});
  const Walls walls(scene);
  const Vec3 lower = Vec3::Constant(-0.1), upper = Vec3::Constant(0.1);
  for (const double value : {nan, infinity, -infinity}) {
    const Vec3 x(0.01, value, 0.02);
    EXPECT_FALSE(walls.resolve({Vec3::Zero(), Vec3::Zero(), 0, 1e-3, 1e-4}, x).allFinite());
    EXPECT_FALSE(walls.resolve_particle(x, lower, upper).allFinite());
  }
}

}  // namespace
}  // namespace sluice::coupling::divergence_test
