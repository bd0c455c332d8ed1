// SPDX-License-Identifier: Apache-2.0
// What the coupling methods that a scene can choose have in common, and what each is for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::coupling_method_test {
namespace {

using scene::CouplingMethod;
using test::advance;
using test::make_sheet;
using test::make_simulation;
using test::positions;

/// Water that stands on a heavy sheet, held at its rim, or falls on it.
scene::Scene make_basin(CouplingMethod method) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.2, -0.2, 0);
  scene.domain_upper = Vec3(0.2, 0.2, 0.5);
  scene.grid.cell_size = 0.03;
  scene.coupling.contact_distance = 2e-3;
  scene.coupling.method = method;
  scene.cloths = {make_sheet(13, 13, 0.4 / 12, Vec3(0, 0, 0.2))};
  scene.cloths[0].area_density = 20;
  scene.cloths[0].structural_stiffness = 5000;
  scene.cloths[0].shear_stiffness = 2000;
  scene.cloths[0].pins = {test::make_pin(test::rim(13, 13))};
  scene.fluids = {{"water", {test::make_box(Vec3(-0.15, -0.15, 0.21), Vec3(0.15, 0.15, 0.29))}}};
  return scene;
}

class NothingCrosses : public testing::TestWithParam<CouplingMethod> {};

TEST_P(NothingCrosses, and_the_sheet_carries_the_water) {
  scene::Scene scene = make_basin(GetParam());
  scene.output.fields = {Field::contact_force};
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 1, &certificate);
  double carried = 0;
  for (int frame = 1; frame <= 60; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    EXPECT_GT(statistics.value().iteration_count, 0);
    EXPECT_GT(statistics.value().smallest_gap, 0);
    if (frame <= 20) continue;
    EXPECT_GT(statistics.value().contact_count, 0);
    for (const float force : test::values_of(*simulation, 0, Field::contact_force))
      carried += static_cast<double>(force) / 40;
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  // The force that holds the water up, on average over two thirds of a second, is its weight.
  const double weight = 0.3 * 0.3 * 0.08 * 1000 * 9.81;
  EXPECT_NEAR(carried, weight, 0.1 * weight);
}

INSTANTIATE_TEST_SUITE_P(Methods, NothingCrosses,
                         testing::Values(CouplingMethod::admm_ipc, CouplingMethod::weak));

TEST(CouplingMethods, weak_coupling_exchanges_momentum_in_equal_parts) {
  scene::Scene scene = make_basin(CouplingMethod::weak);
  scene.gravity.setZero();
  scene.cloths[0].pins.clear();
  scene.cloths[0].friction = 0;  // Its rim is at the walls.
  scene.cloths[0].velocity = Vec3(0, 0, 1);
  const auto simulation = make_simulation(scene);
  const double before = 0.4 * 0.4 * 20 * 1;
  auto statistics = simulation->advance_frame();
  Vec3 filtered = Vec3::Zero();
  for (int frame = 1; frame <= 3; ++frame) {  // Before anything comes to a wall.
    ASSERT_TRUE(statistics);
    filtered += statistics.value().filter_impulse;
    statistics = simulation->advance_frame();
  }
  filtered += statistics.value().filter_impulse;
  EXPECT_GT(statistics.value().contact_count, 0);
  EXPECT_NEAR(statistics.value().momentum.z() - filtered.z(), before, 1e-3 * before);
}

TEST(CouplingMethods, one_way_fluid_moves_as_if_it_were_alone) {
  scene::Scene scene = make_basin(CouplingMethod::one_way);
  const auto with_sheet = make_simulation(scene);
  scene.cloths.clear();
  const auto alone = make_simulation(scene);
  for (int frame = 0; frame < 20; ++frame) {
    advance(*with_sheet, 1);
    advance(*alone, 1);
  }
  const auto a = positions(*with_sheet, 0), b = positions(*alone, 0);
  double furthest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    furthest = std::max(furthest, (a[i] - b[i]).norm());
  EXPECT_LT(furthest, 1e-4);  // Other substeps.
}

TEST(CouplingMethods, one_way_fluid_takes_solids_along) {
  // A river that fills the domain, and things in it.
  scene::Scene scene;
  scene.domain_lower = Vec3(-1, -0.1, 0);
  scene.domain_upper = Vec3(1, 0.1, 0.2);
  scene.gravity.setZero();
  scene.grid.cell_size = 0.025;
  scene.coupling.method = CouplingMethod::one_way;
  scene.coupling.contact_distance = 2e-3;
  scene.fluids = {{"river", {test::make_box(Vec3(-0.9, -0.1, 0), Vec3(0, 0.1, 0.2))}}};
  scene.fluids[0].velocity = Vec3(1, 0, 0);
  scene.cloths = {make_sheet(5, 5, 0.02, Vec3(-0.5, 0, 0.15))};
  scene::RigidBody block;
  block.name = "block";
  block.mesh = geometry::make_box(Vec3(-0.45, -0.02, 0.04), Vec3(-0.41, 0.02, 0.08));
  block.angular_velocity = Vec3(0, 0, 5);
  scene.rigid_bodies = {block};
  scene.coupling.drag = 1e5;  // So that both have the water's velocity at once.
  const auto simulation = make_simulation(scene);
  const Vec3 sheet = positions(*simulation, 1).at(12), corner = positions(*simulation, 2).at(0);
  advance(*simulation, 12);
  EXPECT_NEAR((positions(*simulation, 1).at(12) - sheet).x(), 0.2, 0.01);
  EXPECT_NEAR((positions(*simulation, 2).at(0) - corner).x(), 0.2, 0.01);  // It turns no more.
  EXPECT_NEAR((positions(*simulation, 2).at(0) - corner).y(), 0, 0.005);
}

TEST(CouplingMethods, the_global_step_filter_stops_everything_where_the_local_one_stops_a_part) {
  // Two drops a sheet each, of which one is hit so hard that the filter has to end its way.
  const auto stopped = [](scene::StepFilter filter) {
    scene::Scene scene;
    scene.domain_lower = Vec3(-1, -1, 0);
    scene.domain_upper = Vec3(1, 1, 1);
    scene.gravity.setZero();
    scene.grid.cell_size = 0.05;
    scene.coupling.contact_distance = 1e-3;
    scene.coupling.max_iterations = 1;  // Leaves much to the filter.
    scene.coupling.step_filter = filter;
    scene.cloths = {make_sheet(9, 9, 0.05, Vec3(-0.5, 0, 0.5))};
    scene.fluids = {{"jet", {test::make_box(Vec3(-0.6, -0.1, 0.55), Vec3(-0.4, 0.1, 0.65))}},
                    {"calm", {test::make_box(Vec3(0.4, -0.1, 0.55), Vec3(0.6, 0.1, 0.65))}}};
    scene.fluids[0].velocity = Vec3(0, 0, -30);
    scene.fluids[1].velocity = Vec3(0, 0, 1);
    certificate::CrossingCertificate certificate;
    const auto simulation = make_simulation(scene, 1, &certificate);
    const auto start = positions(*simulation, 1);
    const auto statistics = simulation->advance_frame();
    EXPECT_TRUE(statistics);
    EXPECT_GT(statistics.value().stopped_count, 0);
    EXPECT_EQ(certificate.crossing_count(), 0);
    const auto end = positions(*simulation, 1);
    Vec3 way = Vec3::Zero();
    for (std::size_t i = 0; i < end.size(); ++i)
      way += (end[i] - start[i]) / static_cast<double>(end.size());
    return way.z();
  };
  EXPECT_NEAR(stopped(scene::StepFilter::local), 1.0 / 60, 0.02 / 60);
  EXPECT_LT(stopped(scene::StepFilter::global), 0.9 / 60);
}

}  // namespace
}  // namespace sluice::coupling_method_test
