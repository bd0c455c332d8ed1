// SPDX-License-Identifier: Apache-2.0
// Water that is thrown on a sheet, and water at rest right under it. Nothing moves the latter: it
// stays where it is, to the last bit.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::dry_side_test {
namespace {

constexpr double cell = 0.01;

scene::Scene wet_above_and_dry_below(scene::CouplingMethod method, scene::Kernel kernel) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Constant(-0.25);
  scene.domain_upper = Vec3::Constant(0.25);
  scene.gravity = Vec3::Zero();
  scene.frame_rate = 250;
  scene.grid.cell_size = cell;
  scene.grid.kernel = kernel;
  scene.coupling.method = method;
  scene.coupling.max_iterations = 200;
  scene.cloths = {test::make_sheet(25, 25, 0.01, Vec3(0.003, 0.002, 0.0042))};
  scene.cloths[0].thickness = 1e-4;
  std::vector<std::int32_t> all(25 * 25);
  std::iota(all.begin(), all.end(), 0);
  scene.cloths[0].pins = {test::make_pin(all)};
  scene::Fluid thrown, resting;
  thrown.name = "thrown";
  thrown.regions = {test::make_box({-0.03, -0.03, 0.01}, {0.03, 0.03, 0.03})};
  thrown.velocity = Vec3(0.4, 0, -1);
  resting.name = "resting";
  resting.regions = {test::make_box({-0.04, -0.04, -0.03}, {0.04, 0.04, 0})};
  scene.fluids = {thrown, resting};
  return scene;
}

struct Case {
  const char* name;
  scene::CouplingMethod method;
  scene::Kernel kernel;
};
class DrySide : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    , DrySide,
    testing::Values(Case{"admm_ipc", scene::CouplingMethod::admm_ipc, scene::Kernel::quadratic},
                    Case{"admm_ipc_cubic", scene::CouplingMethod::admm_ipc, scene::Kernel::cubic},
                    Case{"newton_ipc", scene::CouplingMethod::newton_ipc, scene::Kernel::quadratic},
                    Case{"weak", scene::CouplingMethod::weak, scene::Kernel::quadratic}),
    [](const auto& one) { return one.param.name; });

TEST_P(DrySide, of_a_sheet_feels_nothing_of_what_hits_the_other) {
  const auto simulation =
      test::make_simulation(wet_above_and_dry_below(GetParam().method, GetParam().kernel));
  const std::vector<Vec3> thrown = test::positions(*simulation, 0);
  const std::vector<Vec3> resting = test::positions(*simulation, 1);
  test::advance(*simulation, 5);
  EXPECT_EQ(test::positions(*simulation, 1), resting);
  // It has arrived, and flows on over those at rest.
  double lowest = 1, moved = 0;
  for (std::size_t i = 0; i < thrown.size(); ++i) {
    const Vec3 now = test::positions(*simulation, 0)[i];
    lowest = std::min(lowest, now.z());
    moved = std::max(moved, (now - thrown[i]).norm());
  }
  EXPECT_LT(lowest, 0.0042 + 0.5 * cell);
  EXPECT_GT(lowest, 0.0042);
  EXPECT_GT(moved, 0.01);
}

}  // namespace
}  // namespace sluice::dry_side_test
