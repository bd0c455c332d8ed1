// SPDX-License-Identifier: Apache-2.0
// Momentum, substep by substep, also where iterations end long before they converge. Oracle: it is
// conserved, to the rounding of doubles.
#include <gtest/gtest.h>

#include <algorithm>

#include "solver/coupling/admm_ipc.h"
#include "solver/fluid/mpm/mpm_fluid.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::coupling::momentum_test {
namespace {

constexpr double h = 2e-4;  // [s]

scene::Scene empty_scene(int max_iterations, double tolerance) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Constant(-0.3);
  scene.domain_upper = Vec3::Constant(0.3);
  scene.grid.cell_size = 0.01;
  scene.coupling.contact_distance = 1e-3;
  scene.coupling.max_iterations = max_iterations;
  scene.coupling.tolerance = tolerance;
  return scene;
}

Vec3 momentum_of(const solid::DeformableSystem& solids) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < solids.positions.size(); ++i)
    sum += solids.mass[i] * solids.velocities[i];
  return sum;
}

struct Effort {
  int max_iterations;
  double tolerance;
};
class Momentum : public testing::TestWithParam<Effort> {};
INSTANTIATE_TEST_SUITE_P(Efforts, Momentum,
                         testing::Values(Effort{3, 1}, Effort{30, 1e-3}, Effort{300, 1e-9}),
                         [](const auto& effort) {
                           return "at_most_" + std::to_string(effort.param.max_iterations);
                         });

TEST_P(Momentum, of_water_and_sheet_is_exchanged_equally) {
  scene::Scene scene = empty_scene(GetParam().max_iterations, GetParam().tolerance);
  scene.fluids.push_back(
      {"water", {test::make_box(Vec3(-0.03, -0.03, 0.003), Vec3(0.03, 0.03, 0.013))}});
  scene.fluids[0].velocity = Vec3(0.3, 0, -2);
  scene.cloths.push_back(test::make_sheet(21, 21, 0.01, Vec3::Zero()));
  scene.cloths[0].structural_stiffness = 500;
  solid::DeformableSystem solids = solid::make_deformable_system(scene);
  fluid::MpmFluid water(scene);
  AdmmIpc coupling(scene, solids);
  const Vec3 start = momentum_of(solids) + water.momentum();
  Vec3 stopped = Vec3::Zero();
  double exchanged = 0;
  for (int step = 0; step < 60; ++step) {
    const Vec3 before = momentum_of(solids);
    const auto report = coupling.step(h, {}, solids, &water);
    ASSERT_TRUE(report) << report.error().message;
    const Vec3 &given = report.value().fluid_impulse, &taken = report.value().solid_impulse;
    stopped += report.value().filter_impulse;
    // The grid's sums are floats.
    const Vec3 now = momentum_of(solids) + water.momentum();
    EXPECT_LE((now - start - stopped).norm(), 2e-6 * start.norm()) << step;
    // Contact of the sheet with itself adds nothing but rounding, of forces up to some newtons.
    EXPECT_LE((given + taken).norm(), 1e-12 * given.norm() + 1e-16);
    exchanged += given.norm();
    if (report.value().stopped_count > 0) continue;
    // Velocities are differences of positions: 1e-16 m of each vertex a substep.
    EXPECT_LE((momentum_of(solids) - before - taken).norm(), 1e-12 * exchanged);
  }
  EXPECT_GT(exchanged, 3e-3);  // The water brings 0.073 kg m/s.
}

TEST_P(Momentum, of_a_sheet_that_swings_stays) {
  scene::Scene scene = empty_scene(GetParam().max_iterations, GetParam().tolerance);
  scene.cloths.push_back(test::make_sheet(15, 9, 0.01, Vec3::Zero()));
  scene.cloths[0].structural_stiffness = 500;
  scene.cloths[0].velocity = Vec3(0.1, -0.2, 0.3);
  solid::DeformableSystem solids = solid::make_deformable_system(scene);
  for (std::size_t i = 0; i < solids.positions.size(); ++i)
    solids.velocities[i].z() += i % 4 == 0 ? 1 : -0.3;
  AdmmIpc coupling(scene, solids);
  const Vec3 before = momentum_of(solids);
  Vec3 filtered = Vec3::Zero();
  for (int step = 0; step < 50; ++step) {
    const auto report = coupling.step(h, {}, solids, nullptr);
    ASSERT_TRUE(report) << report.error().message;
    filtered +=
        report.value().filter_impulse;  // With few iterations it crumples, and meets itself.
  }
  EXPECT_LE((momentum_of(solids) - before - filtered).norm(), 1e-11 * before.norm());
}

}  // namespace
}  // namespace sluice::coupling::momentum_test
