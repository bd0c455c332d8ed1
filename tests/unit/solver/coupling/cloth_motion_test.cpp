// SPDX-License-Identifier: Apache-2.0
// Cloth alone. Oracles: free fall, Hooke's law, the period of a pendulum, conservation of energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "solver/solid/spring.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::cloth_motion_test {
namespace {

using test::make_pin;
using test::make_sheet;
using test::make_simulation;
using test::positions;

scene::Scene empty_scene() {
  scene::Scene scene;
  scene.coupling.contact_distance = 2e-3;
  scene.domain_lower = Vec3(-10, -10, -10);
  scene.domain_upper = Vec3(10, 10, 10);
  return scene;
}

TEST(ClothMotion, falls_freely_without_pins) {
  scene::Scene scene = empty_scene();
  scene.cloths.push_back(make_sheet(10, 10, 0.05, Vec3::Zero()));
  scene.cloths[0].structural_stiffness = 2000;
  const auto simulation = make_simulation(scene);
  double time = 0;
  std::int64_t substeps = 0;
  while (simulation->frame_index() < 30) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    substeps += statistics.value().substep_count;
  }
  time = simulation->time();
  // Implicit Euler falls g t h / 2 further than g t^2 / 2.
  const double h = time / static_cast<double>(substeps);
  const double expected = -0.5 * 9.81 * time * (time + h);
  for (const Vec3& x : positions(*simulation, 0))
    EXPECT_NEAR(x.z(), expected, 2e-3 * -expected);
}

TEST(ClothMotion, hanging_strip_stretches_as_hooke_says) {
  // A strip of 2 x 21 vertices held at one end, without shear or bend: two chains; spring n from
  // the bottom carries the masses below it. Corner masses differ, the two sides together are one
  // chain of k = 2 x 50.
  scene::Scene scene = empty_scene();
  scene::Cloth strip = make_sheet(2, 21, 0.02, Vec3::Zero());
  for (Vec3& x : strip.mesh.vertices)
    x = Vec3(x.x(), 0, x.y());
  strip.shear_stiffness = 0;
  strip.bend_stiffness = 0;
  strip.structural_stiffness = 50;
  strip.area_density = 2;
  strip.damping = 8;
  strip.pins.push_back(make_pin({40, 41}));
  scene.cloths.push_back(strip);
  double expected = 0;
  const double square = 0.02 * 0.02 * strip.area_density;
  for (int n = 0; n < 20; ++n)
    expected += (0.5 + n) * square * 9.81 / (2 * 50);
  const auto simulation = make_simulation(scene);
  while (simulation->frame_index() < 240)
    ASSERT_TRUE(simulation->advance_frame());
  const auto x = positions(*simulation, 0);
  const double sag =
      (strip.mesh.vertices[0].z() + strip.mesh.vertices[1].z() - x[0].z() - x[1].z()) / 2;
  EXPECT_NEAR(sag, expected, 0.02 * expected);
}

TEST(ClothMotion, stiff_pair_of_triangles_swings_with_the_period_of_its_pendulum) {
  // A square hinged at two corners, dropped from 0.1 rad: a rigid lamina but for its springs.
  // Masses: lumped, so the lower edge carries half the mass at distance L: the period is that of a
  // point at L, 2 pi sqrt(L / g).
  scene::Scene scene = empty_scene();
  const double length = 0.25, angle = 0.1;
  scene::Cloth square = make_sheet(2, 2, length, Vec3::Zero());
  for (Vec3& x : square.mesh.vertices) {
    const double along = length / 2 - x.y();  // From the hinge at the top.
    x = Vec3(x.x(), along * std::sin(angle), -along * std::cos(angle));
  }
  square.structural_stiffness = 500;
  square.shear_stiffness = 500;
  square.pins.push_back(make_pin({2, 3}));
  scene.cloths.push_back(square);
  scene.coupling.max_substep = 1e-3;
  scene.coupling.tolerance = 1e-6;
  scene.coupling.max_iterations = 200;
  scene.frame_rate = 200;
  const auto simulation = make_simulation(scene);
  double last = 1, crossing[2] = {0, 0};
  int crossings = 0;
  while (crossings < 2 && simulation->frame_index() < 400) {
    ASSERT_TRUE(simulation->advance_frame());
    const double y = positions(*simulation, 0)[0].y();
    if (last > 0 && y <= 0) {
      crossing[crossings++] = simulation->time() - 1 / scene.frame_rate * y / (y - last);
    }
    last = y;
  }
  ASSERT_EQ(crossings, 2);
  const double expected = 2 * std::numbers::pi * std::sqrt(length / 9.81);
  EXPECT_NEAR(crossing[1] - crossing[0], expected, 0.01 * expected);
}

TEST(ClothMotion, energy_does_not_grow) {
  scene::Scene scene = empty_scene();
  scene.gravity.setZero();
  scene.cloths.push_back(make_sheet(12, 12, 0.05, Vec3::Zero()));
  scene::Cloth& cloth = scene.cloths[0];
  const solid::SpringStiffness stiffness{cloth.structural_stiffness, cloth.shear_stiffness,
                                         cloth.bend_stiffness};
  const auto springs = solid::lay_springs(cloth.mesh, stiffness);
  // Moving pins stretch it in 10 frames, then it swings on its own.
  cloth.pins.push_back({"left", {0, 12, 24}, Vec3(-0.5, 0, 0)});
  const auto simulation = make_simulation(scene);
  const auto energy = [&](double kinetic) {
    return kinetic + solid::energy(springs, positions(*simulation, 0));
  };
  double smallest = std::numeric_limits<double>::infinity();
  while (simulation->frame_index() < 120) {
    if (simulation->frame_index() == 10) {
      ASSERT_TRUE(simulation->steer(MovePin{"sheet", "left", Vec3::Zero()}));
    }
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics);
    const double now = energy(statistics.value().kinetic_energy);
    if (simulation->frame_index() <= 11) continue;
    // Each step is minimised to a residual of 1e-3, so a little may come back; it must not add up.
    EXPECT_LT(now, 1.02 * smallest);
    smallest = std::min(smallest, now);
  }
}

TEST(ClothMotion, lies_on_a_sphere_and_stays_out_of_it) {
  scene::Scene scene = empty_scene();
  scene.cloths.push_back(make_sheet(21, 21, 0.05, Vec3(0, 0, 0.45)));
  scene.obstacles.push_back({"ball",
                             {geometry::Sphere{0.3}, Vec3::Zero(), Mat3::Identity()},
                             scene::WallCondition::slip,
                             0.5});
  const auto simulation = make_simulation(scene);
  const double gap = scene.coupling.contact_distance + 0.5 * scene.cloths[0].thickness;
  while (simulation->frame_index() < 90) {
    ASSERT_TRUE(simulation->advance_frame());
    for (const Vec3& x : positions(*simulation, 0))
      ASSERT_GT(x.norm(), 0.3 + 0.99 * gap);
  }
  const auto x = positions(*simulation, 0);
  EXPECT_LT(x[220].norm(), 0.3 + 3 * gap);  // The middle rests on top.
  EXPECT_GT(x[220].z(), 0.29);
  EXPECT_LT(x[0].z(), 0.1);  // The corners hang.
}

TEST(ClothMotion, friction_decides_whether_it_slides_off_a_slope) {
  // A half-space tilted by 20 degrees: tan 20 = 0.364.
  for (const double friction : {0.5, 0.2}) {
    scene::Scene scene = empty_scene();
    const Mat3 tilt =
        Eigen::AngleAxisd(20 * std::numbers::pi / 180, Vec3::UnitY()).toRotationMatrix();
    scene::Cloth cloth = make_sheet(8, 8, 0.05, Vec3::Zero());
    for (Vec3& x : cloth.mesh.vertices)
      x = tilt * (x + Vec3(0, 0, 2.6e-3));
    cloth.friction = friction;
    scene.cloths.push_back(cloth);
    scene.obstacles.push_back({"slope",
                               {geometry::HalfSpace{}, Vec3::Zero(), tilt},
                               scene::WallCondition::slip,
                               friction});
    const auto simulation = make_simulation(scene);
    while (simulation->frame_index() < 60)
      ASSERT_TRUE(simulation->advance_frame());
    const double slid = (positions(*simulation, 0)[27] - cloth.mesh.vertices[27]).norm();
    const double angle = 20 * std::numbers::pi / 180;
    const double acceleration = 9.81 * (std::sin(angle) - friction * std::cos(angle));
    if (friction > 0.364) {
      EXPECT_LT(slid, 1e-3);
    } else {
      EXPECT_NEAR(slid, 0.5 * acceleration, 0.05 * 0.5 * acceleration);
    }
  }
}

}  // namespace
}  // namespace sluice::cloth_motion_test
