// SPDX-License-Identifier: Apache-2.0
// ADMM-IPC and Newton-IPC on the same small scenes, both iterated tightly. Oracle: each other; they
// have nothing in common but the energy that they minimise (elements, MPM step) and the geometry.
//
// By construction they differ by a part of the gap that contact keeps: ADMM-IPC keeps it exactly,
// and a barrier pushes from there on, so that bodies rest at some nine tenths of it, more or less
// as they are pressed; and what meets that much sooner or later goes on from there. Both states
// become one as the gap does: with 1e-4 of the size of the scenes they differ by up to 4e-4 of it
// (a cloth that wraps a ball), with the 2e-5 of here by less than the tolerance. Thickness is part
// of the gap, and next to nothing here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::method_agreement_test {
namespace {

using test::make_box;
using test::make_pin;
using test::make_sheet;

constexpr double size = 0.4;               // [m] of the domain
constexpr double tolerance = 1e-4 * size;  // [m]

scene::Scene small_scene() {
  scene::Scene scene;
  scene.domain_lower = Vec3::Constant(-size / 2);
  scene.domain_upper = Vec3::Constant(size / 2);
  scene.coupling.contact_distance = 2e-5 * size;
  scene.coupling.tolerance = 1e-6;
  scene.coupling.max_iterations = 2000;
  scene.coupling.max_substep = 1e-3;
  return scene;
}

struct Run {
  std::vector<std::vector<Vec3>> frames;  // All positions [m].
  std::vector<std::int64_t> substep_counts;
  std::int64_t contact_count = 0;
};

Run run(scene::Scene scene, scene::CouplingMethod method, int frame_count) {
  scene.coupling.method = method;
  certificate::CrossingCertificate certificate;
  const auto simulation = test::make_simulation(scene, 1, &certificate);
  Run result;
  for (int frame = 0; frame < frame_count; ++frame) {
    const auto statistics = simulation->advance_frame();
    if (!statistics) {
      ADD_FAILURE() << statistics.error().message;
      break;
    }
    result.substep_counts.push_back(statistics.value().substep_count);
    result.contact_count = std::max(result.contact_count, statistics.value().contact_count);
    result.frames.emplace_back();
    for (std::size_t body = 0; body < simulation->layout().size(); ++body) {
      const std::vector<Vec3> places = test::positions(*simulation, body);
      result.frames.back().insert(result.frames.back().end(), places.begin(), places.end());
    }
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  return result;
}

// Returns what Newton-IPC did.
Run expect_agreement(const scene::Scene& scene, int frame_count) {
  const Run admm = run(scene, scene::CouplingMethod::admm_ipc, frame_count);
  const Run newton = run(scene, scene::CouplingMethod::newton_ipc, frame_count);
  if (newton.frames.size() != admm.frames.size()) return newton;  // It has failed.
  // Implicit Euler takes more energy in longer steps.
  EXPECT_EQ(newton.substep_counts, admm.substep_counts);
  for (std::size_t frame = 0; frame < admm.frames.size(); ++frame) {
    double farthest = 0;
    for (std::size_t i = 0; i < admm.frames[frame].size(); ++i)
      farthest = std::max(farthest, (admm.frames[frame][i] - newton.frames[frame][i]).norm());
    EXPECT_LE(farthest, tolerance) << "frame " << frame + 1;
  }
  return newton;
}

// [m] How far the point that has fallen least is above where all would be by themselves.
double held_up(const Run& run, double top) {
  double highest = -size;
  for (const Vec3& x : run.frames.back())
    highest = std::max(highest, x.z());
  const double time = static_cast<double>(run.frames.size()) / 60;
  return highest - (top - 0.5 * 9.81 * time * time);
}

TEST(MethodAgreement, of_a_cloth_that_falls_on_a_ball) {
  scene::Scene scene = small_scene();
  scene::Obstacle ball;
  ball.name = "ball";
  ball.shape = {geometry::Sphere{0.08}, Vec3(0, 0, -0.1)};
  scene.obstacles.push_back(ball);
  scene.cloths.push_back(make_sheet(9, 9, 0.02, Vec3(0, 0, -0.015)));
  scene.cloths[0].thickness = 1e-6;
  EXPECT_GT(held_up(expect_agreement(scene, 5), -0.015), 0.01);
}

TEST(MethodAgreement, of_a_cloth_that_falls_on_another) {
  scene::Scene scene = small_scene();
  scene.cloths.push_back(make_sheet(7, 7, 0.04, Vec3::Zero()));
  scene.cloths[0].pins.push_back(make_pin(test::rim(7, 7)));
  scene.cloths.push_back(make_sheet(5, 5, 0.03, Vec3(0.003, 0.007, 0.006)));
  scene.cloths[1].name = "upper";
  for (scene::Cloth& cloth : scene.cloths)
    cloth.thickness = 1e-6;
  EXPECT_GT(expect_agreement(scene, 6).contact_count, 3);
}

TEST(MethodAgreement, of_a_soft_cube_on_the_floor) {
  scene::Scene scene = small_scene();
  scene.soft_bodies.push_back(test::make_block(Vec3(-0.05, -0.05, -size / 2 + 0.005),
                                               Vec3(0.05, 0.05, -size / 2 + 0.105), 0.05, 3e4));
  EXPECT_GT(held_up(expect_agreement(scene, 8), -size / 2 + 0.105), 0.02);
}

TEST(MethodAgreement, of_water_on_a_held_cloth) {
  scene::Scene scene = small_scene();
  scene.grid.cell_size = 0.02;
  scene.fluids.push_back({"water", {make_box(Vec3(-0.04, -0.04, 0.001), Vec3(0.04, 0.04, 0.061))}});
  scene.cloths.push_back(make_sheet(9, 9, 0.03, Vec3::Zero()));
  scene.cloths[0].structural_stiffness = 500;
  scene.cloths[0].thickness = 1e-6;
  scene.cloths[0].pins.push_back(make_pin(test::rim(9, 9)));
  EXPECT_GT(expect_agreement(scene, 4).contact_count, 3);
}

}  // namespace
}  // namespace sluice::method_agreement_test
