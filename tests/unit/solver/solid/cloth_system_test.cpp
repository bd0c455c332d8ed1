// SPDX-License-Identifier: Apache-2.0
// Oracles: areas and motions worked by hand.
#include "solver/solid/cloth_system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::solid {
namespace {

scene::Cloth make_cloth() {
  scene::Cloth cloth;
  cloth.name = "sheet";
  cloth.mesh = grid_mesh(4, 3, 0.5);
  cloth.area_density = 0.3;
  cloth.velocity = Vec3(1, 0, 0);
  cloth.pins.push_back({"corner", {0, 3}, Vec3(0, 2, 0)});
  return cloth;
}

TEST(ClothSystemTest, masses_sum_to_area_times_density) {
  const std::vector<scene::Cloth> cloths{make_cloth(), make_cloth()};
  const ClothSystem system = make_cloth_system(cloths);
  EXPECT_NEAR(std::accumulate(system.mass.begin(), system.mass.end(), 0.0), 2 * 1.5 * 1.0 * 0.3,
              1e-12);
  ASSERT_EQ(system.positions.size(), 24U);
  EXPECT_EQ(system.triangles[12][0], 12);
  EXPECT_EQ(system.is_held[12], 1);
  EXPECT_EQ(system.velocities[15], Vec3(0, 2, 0));
}

TEST(ClothSystemTest, vertex_without_triangle_is_held_still) {
  std::vector<scene::Cloth> cloths{make_cloth()};
  cloths[0].mesh.vertices.emplace_back(9, 9, 9);
  const ClothSystem system = make_cloth_system(cloths);
  EXPECT_EQ(system.is_held.back(), 1);
  EXPECT_EQ(system.velocities.back(), Vec3::Zero());
}

TEST(InertialTermTest, targets_are_free_flight_and_pins_follow_their_velocity) {
  std::vector<scene::Cloth> cloths{make_cloth()};
  cloths[0].damping = 2;
  const ClothSystem system = make_cloth_system(cloths);
  InertialTerm term;
  const double h = 0.01;
  set_inertial_term(system, h, Vec3(0, 0, -10), {}, term);
  EXPECT_TRUE(std::isinf(term.inertia[0]));
  EXPECT_NEAR((term.targets[0] - (system.positions[0] + Vec3(0, 0.02, 0))).norm(), 0, 1e-15);
  const Vec3 expected = system.positions[1] + Vec3(h * std::exp(-0.02), 0, -10 * h * h);
  EXPECT_NEAR((term.targets[1] - expected).norm(), 0, 1e-15);
  EXPECT_NEAR(term.inertia[1], system.mass[1] / (h * h), 1e-9);
}

TEST(InertialTermTest, anchors_draw_the_target_by_their_share_of_stiffness) {
  const std::vector<scene::Cloth> cloths{make_cloth()};
  const ClothSystem system = make_cloth_system(cloths);
  InertialTerm free, drawn;
  set_inertial_term(system, 0.01, Vec3::Zero(), {}, free);
  const std::vector<Anchor> anchors{{1, free.inertia[1], Vec3(5, 5, 5)}, {0, 1e9, Vec3(5, 5, 5)}};
  set_inertial_term(system, 0.01, Vec3::Zero(), anchors, drawn);
  EXPECT_NEAR((drawn.targets[1] - 0.5 * (free.targets[1] + Vec3(5, 5, 5))).norm(), 0, 1e-12);
  EXPECT_NEAR(drawn.inertia[1], 2 * free.inertia[1], 1e-9);
  EXPECT_EQ(drawn.targets[0], free.targets[0]);
}

}  // namespace
}  // namespace sluice::solid
