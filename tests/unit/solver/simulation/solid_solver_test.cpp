// SPDX-License-Identifier: Apache-2.0
// The integrators that a scene can choose, through the one door. Oracles: each other, where they
// solve the same equations; weight, Coulomb's law and Newton's for what contact does to a body that
// is solved whole; the certificate; the same run made another way, bit by bit.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::solid_solver_test {
namespace {

using scene::Integrator;
using test::advance;
using test::all_values;
using test::make_block;
using test::make_box;
using test::make_simulation;
using test::positions;
using test::save_and_restore;

/// A sheet of springs, one of finite elements that is damped, and a block, joined, all swinging.
scene::Scene make_mobile() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-1, -1, -1);
  scene.domain_upper = Vec3(1, 1, 1);
  scene.cloths = {test::make_sheet(4, 4, 0.1, {0, 0, 0.5}),
                  test::make_sheet(4, 4, 0.1, {0, 0.5, 0.5})};
  scene.cloths[0].pins = {test::make_pin({0, 3})};
  scene.cloths[1].name = "shell";
  scene.cloths[1].pins = {test::make_pin({0, 3})};
  scene.cloths[1].shell = scene::ShellMaterial{};
  scene.cloths[1].shell->material.young_modulus = 2e4;
  scene.cloths[1].shell->material.stiffness_damping = 2e-3;
  scene.soft_bodies = {make_block({-0.1, -0.1, 0.1}, {0.1, 0.1, 0.3}, 0.1, 2e4)};
  scene.springs = {{{"sheet", 12}, {"block", 0}, 30, std::nullopt},
                   {{"shell", 12}, {"block", 1}, 30, std::nullopt}};
  scene.frame_rate = 100;
  scene.coupling.max_substep = 0.01;
  return scene;
}

TEST(SolidSolver, every_implicit_integrator_takes_bodies_the_same_way) {
  scene::Scene scene = make_mobile();
  scene.solid_solver = {Integrator::newton, 100, 1e-8};
  const auto reference = make_simulation(scene);
  advance(*reference, 8);
  for (const Integrator integrator :
       {Integrator::accelerated_consensus_admm, Integrator::admm, Integrator::projective_dynamics,
        Integrator::lbfgs, Integrator::newton_pcg, Integrator::steepest_descent}) {
    // Steepest descent needs a thousand iterations a digit.
    const bool is_slow = integrator == Integrator::steepest_descent;
    scene.solid_solver = {integrator, 100'000, is_slow ? 1e-3 : 1e-6};
    const auto simulation = make_simulation(scene);
    advance(*simulation, 8);
    for (std::size_t body = 0; body < 3; ++body) {
      const auto expected = positions(*reference, body), found = positions(*simulation, body);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_LT((found[i] - expected[i]).norm(), is_slow ? 1e-3 : 5e-6)
            << "integrator " << static_cast<int>(integrator) << ", body " << body;
      }
    }
  }
}

TEST(SolidSolver, consensus_admm_and_explicit_steps_go_the_same_way_at_short_steps) {
  scene::Scene scene = make_mobile();
  scene.coupling.max_substep = 2e-4;
  scene.solid_solver = {Integrator::newton, 100, 1e-6};
  const auto reference = make_simulation(scene);
  advance(*reference, 10);
  const double fall = 0.5 * 9.81 * 0.1 * 0.1;
  for (const Integrator integrator : {Integrator::consensus_admm, Integrator::symplectic_euler}) {
    scene.solid_solver.integrator = integrator;
    const auto simulation = make_simulation(scene);
    advance(*simulation, 10);
    for (std::size_t body = 0; body < 3; ++body) {
      const auto expected = positions(*reference, body), found = positions(*simulation, body);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_LT((found[i] - expected[i]).norm(), 0.02 * fall)
            << "integrator " << static_cast<int>(integrator) << ", body " << body;
      }
    }
  }
}

TEST(SolidSolver, a_body_that_only_springs_hold_hangs_from_them) {
  // Oracle: weight over the springs' stiffness.
  for (const Integrator integrator : {Integrator::consensus_admm, Integrator::newton}) {
    scene::Scene scene;
    scene.domain_lower = Vec3(-1, -1, -1);
    scene.domain_upper = Vec3(1, 1, 1);
    scene.solid_solver.integrator = integrator;
    scene.cloths = {test::make_sheet(3, 3, 0.1, {0, 0, 0.8})};
    scene.cloths[0].pins = {test::make_pin({0, 1, 2, 3, 4, 5, 6, 7, 8})};
    scene.soft_bodies = {make_block({-0.1, -0.1, 0.3}, {0.1, 0.1, 0.5}, 0.1, 2e5)};
    scene.soft_bodies[0].damping = 20;  // Near critical: 24/s.
    const auto& vertices = scene.soft_bodies[0].mesh.vertices;
    std::vector<std::size_t> top;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      for (int v = 0; v < 9; ++v) {
        const Vec3& above = scene.cloths[0].mesh.vertices[static_cast<std::size_t>(v)];
        if ((vertices[i] - above + Vec3(0, 0, 0.3)).norm() > 1e-9) continue;
        scene.springs.push_back(
            {{"sheet", v}, {"block", static_cast<std::int32_t>(i)}, 500, std::nullopt});
        top.push_back(i);
      }
    }
    ASSERT_EQ(top.size(), 9U);
    const auto simulation = make_simulation(scene);
    advance(*simulation, 60);
    double drop = 0;
    for (const std::size_t i : top)
      drop += (0.5 - positions(*simulation, 1)[i].z()) / 9;
    const double expected = 8 * 9.81 / (9 * 500);  // 8 kg
    EXPECT_NEAR(drop, expected, 0.03 * expected) << "integrator " << static_cast<int>(integrator);
  }
}

TEST(SolidSolver, the_floor_carries_a_body_that_is_solved_whole) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.5, -0.5, 0);
  scene.domain_upper = Vec3(0.5, 0.5, 1);
  scene.solid_solver.integrator = Integrator::newton;
  scene.soft_bodies = {make_block({-0.1, -0.1, 0.02}, {0.1, 0.1, 0.22}, 0.1, 3e4)};
  scene.soft_bodies[0].damping = 5;
  scene.output.fields = {Field::contact_force};
  const auto simulation = make_simulation(scene);
  double lowest_energy = std::numeric_limits<double>::infinity(), kinetic = 0;
  for (int frame = 0; frame < 90; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    kinetic = statistics.value().kinetic_energy;
    const double now = kinetic + statistics.value().potential_energy;
    EXPECT_LT(now, lowest_energy + 0.01) << "frame " << frame;  // It is 12 J at the start.
    lowest_energy = std::min(lowest_energy, now);
  }
  EXPECT_LT(kinetic, 1e-3);
  for (const Vec3& x : positions(*simulation, 0))
    EXPECT_GT(x.z(), 0.999 * scene.coupling.contact_distance);
  double carried = 0;
  for (const float force : test::values_of(*simulation, 0, Field::contact_force))
    carried += static_cast<double>(force);
  EXPECT_NEAR(carried, 8 * 9.81, 0.02 * 8 * 9.81);  // 8 kg
}

/// How far a block on a slope of `angle` with Coulomb friction `friction` comes in half a second.
double slide(double angle, double friction) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-5, -5, -5);
  scene.domain_upper = Vec3(5, 5, 5);
  // The slope stays level and gravity leans: the same, and the block starts in line with it.
  scene.gravity = 9.81 * Vec3(std::sin(angle), 0, -std::cos(angle));
  scene.obstacles = {{"slope", {geometry::HalfSpace{}, Vec3::Zero(), Mat3::Identity()}}};
  scene.obstacles[0].friction = friction;
  scene.solid_solver = {Integrator::newton, 100, 1e-5};
  scene.coupling.contact_distance = 1e-3;
  scene.coupling.max_iterations = 100;
  scene.coupling.tolerance = 1e-4;
  scene.soft_bodies = {make_block({-0.1, -0.1, 1e-3}, {0.1, 0.1, 0.101}, 0.1, 2e5)};
  scene.soft_bodies[0].friction = friction;
  const auto start = scene.soft_bodies[0].mesh.vertices;
  const auto simulation = make_simulation(scene);
  advance(*simulation, 30);
  const auto now = positions(*simulation, 0);
  double sum = 0;
  for (std::size_t i = 0; i < now.size(); ++i)
    sum += now[i].x() - start[i].x();
  return sum / static_cast<double>(now.size());
}

TEST(SolidSolver, a_block_sticks_to_a_slope_and_slides_as_coulomb_says) {
  EXPECT_LT(std::abs(slide(0.2, 0.25)), 1e-3);  // tan 0.2 = 0.203
  const double expected = 0.5 * 9.81 * (std::sin(0.4) - 0.25 * std::cos(0.4)) * 0.5 * 0.5;
  EXPECT_NEAR(slide(0.4, 0.25), expected, 0.03 * expected);
}

/// Water that falls on a block.
scene::Scene make_wet_scene() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.2, -0.2, 0);
  scene.domain_upper = Vec3(0.2, 0.2, 0.6);
  scene.grid.cell_size = 0.025;
  scene.fluids.push_back({"water", {make_box({-0.08, -0.08, 0.2}, {0.08, 0.08, 0.3})}});
  scene.fluids[0].sound_speed = 10;
  scene.coupling.contact_distance = 0.0025;
  scene.solid_solver.integrator = Integrator::newton;
  scene.soft_bodies = {make_block({-0.1, -0.1, 0.05}, {0.1, 0.1, 0.15}, 0.05, 3e4)};
  return scene;
}

TEST(SolidSolver, water_stays_outside_a_body_that_is_solved_whole) {
  const scene::Scene scene = make_wet_scene();
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 1, &certificate);
  advance(*simulation, 30);
  EXPECT_EQ(certificate.crossing_count(), 0);
  double lowest = 1;
  for (const Vec3& x : positions(*simulation, 0))
    lowest = std::min(lowest, x.z());
  EXPECT_LT(lowest, 0.1);  // It has run off.
}

TEST(SolidSolver, gives_the_same_bits_on_two_threads_and_after_a_restore) {
  const scene::Scene scene = make_wet_scene();
  const auto undisturbed = make_simulation(scene, 1);
  const auto other = make_simulation(scene, 2);
  advance(*undisturbed, 12);
  advance(*other, 7);
  const auto restored = save_and_restore(*other, scene, 2);
  advance(*restored, 5);
  EXPECT_EQ(all_values(*undisturbed), all_values(*restored));
}

TEST(SolidSolver, halves_steps_that_an_explicit_integrator_cannot_take) {
  scene::Scene scene = make_mobile();
  scene.solid_solver.integrator = Integrator::symplectic_euler;
  const auto simulation = make_simulation(scene);
  const auto statistics = simulation->advance_frame();
  ASSERT_TRUE(statistics) << statistics.error().message;
  EXPECT_GT(statistics.value().substep_count, 1);
  for (const Vec3& x : positions(*simulation, 2))
    EXPECT_LT(x.norm(), 0.6);
}

TEST(SolidSolver, a_step_that_fails_at_any_length_names_its_body_and_leaves_the_frame_before) {
  scene::Scene scene = make_mobile();
  scene.solid_solver.integrator = Integrator::symplectic_euler;
  // At 2e9 Pa sound crosses an element in less than a 64th of the step.
  scene.soft_bodies[0].material.young_modulus = 2e9;
  const auto stiff = make_simulation(scene);
  const auto start = all_values(*stiff);
  const auto refused = stiff->advance_frame();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::solver_diverged);
  EXPECT_NE(refused.error().message.find("frame 1"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("\"block\""), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(stiff->frame_index(), 0);
  EXPECT_EQ(all_values(*stiff), start);
}

}  // namespace
}  // namespace sluice::solid_solver_test
