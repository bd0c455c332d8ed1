// SPDX-License-Identifier: Apache-2.0
// Bodies much stiffer, heavier or lighter than what they rest on, by Newton's method over solids
// and their contacts. Oracles: they stay where they are put; statics; no energy from nowhere; the
// crossing certificate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "solver/geometry/tessellate_shape.h"
#include "tests/unit/solver/simulation_scenes.h"
#include "tests/validation/contact/watched.h"

namespace sluice::stiff_contact_test {
namespace {

using scene::Integrator;
using test::make_block;
using test::make_box;
using test::make_sheet;
using test::middle;
using test::positions;
using test::Watched;

double furthest(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
  double way = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    way = std::max(way, (to[i] - from[i]).norm());
  return way;
}

/// The change that would be 1 % of the energy in play, as FrameChecks has it.
void expect_no_energy_from_nowhere(const FrameStatistics& frame, const std::string& what) {
  for (const Warning& warning : frame.warnings)
    EXPECT_NE(warning.kind, WarningKind::energy_grew) << what << ": " << warning.message;
}

/// Three playing cards of 0.3 mm, 10 um further apart than contact keeps them, on a table.
scene::Scene make_cards(double friction) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.2, -0.2, 0);
  scene.domain_upper = Vec3(0.2, 0.2, 0.2);
  scene.coupling.contact_distance = 1e-4;
  scene.solid_solver.integrator = Integrator::newton;
  scene.obstacles.push_back({"table", make_box({-0.15, -0.15, 0}, {0.15, 0.15, 0.001})});
  scene.obstacles.back().friction = friction;
  for (int i = 0; i < 3; ++i) {
    scene::Cloth card = make_sheet(12, 9, 0.008, {0, 0, 0.00126 + 0.00041 * i});
    card.name = "card" + std::to_string(i);
    card.thickness = 3e-4;
    card.area_density = 0.3;
    card.friction = friction;
    card.shell = scene::ShellMaterial{};
    card.shell->material.young_modulus = 3e9;
    card.shell->material.poisson_ratio = 0.3;
    scene.cloths.push_back(card);
  }
  return scene;
}

// Symptom: the cards were 69 mm up after 3 frames. Contact and walls were forces between solves of
// stiff bodies, each found as if vertices were free, and overshot.
TEST(StiffContact, cards_in_a_pile_stay_where_they_are) {
  for (const double friction : {0.0, 0.3}) {
    const scene::Scene scene = make_cards(friction);
    Watched run(scene);
    std::vector<std::vector<Vec3>> start;
    for (std::size_t i = 0; i < 3; ++i)
      start.push_back(positions(run.simulation(), i));
    for (int frame = 0; frame < 8; ++frame) {
      run.advance(1);
      expect_no_energy_from_nowhere(run.last_frame(), "cards");
      for (std::size_t i = 0; i < 3; ++i)
        ASSERT_LT(furthest(start[i], positions(run.simulation(), i)), 1e-4) << i << ' ' << frame;
    }
  }
}

scene::Scene make_pad(double young_modulus, double pad_density, double box_density) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.6, -0.6, 0);
  scene.domain_upper = Vec3(0.6, 0.6, 1.2);
  scene.coupling.contact_distance = 1e-3;
  scene.solid_solver.integrator = Integrator::newton;
  scene::SoftBody pad = make_block({-0.1, -0.1, 0.002}, {0.1, 0.1, 0.102}, 0.035, young_modulus);
  pad.name = "pad";
  pad.density = pad_density;
  pad.material.poisson_ratio = 0.3;
  pad.material.stiffness_damping = 0.002;
  scene.soft_bodies.push_back(pad);
  scene::RigidBody box;
  box.name = "box";
  box.mesh =
      geometry::tessellate_shape(make_box({-0.08, -0.085, 0.104}, {0.1, 0.095, 0.284}), 0.2, 1000)
          .value();
  box.density = box_density;
  scene.rigid_bodies.push_back(box);
  return scene;
}

// Statics: a column of foam is shorter by pressure over modulus.
TEST(StiffContact, a_box_stands_on_a_foam_pad) {
  for (const double density : {200.0, 20'000.0}) {
    Watched run(make_pad(1e6, 20, density));
    const Vec3 start = middle(run.simulation(), 1);
    for (int frame = 0; frame < 14; ++frame) {
      run.advance(1);
      expect_no_energy_from_nowhere(run.last_frame(), "pad");
    }
    const double pressure = density * 9.81 * 0.18 * 0.18 * 0.18 / 0.04;
    const double sink = 0.1 * pressure / 1e6 + 0.002;
    const Vec3 way = middle(run.simulation(), 1) - start;
    EXPECT_NEAR(way.z(), -sink, 1e-3 + 0.3 * sink) << density;
    // It stands off the pad's middle, and rocks while that yields.
    EXPECT_LT(std::hypot(way.x(), way.y()), 1e-3 + 0.5 * sink) << density;
  }
}

// Field case 23. Springs of 50 N/m between vertices of 70 nanograms: the sheet was thrown off with
// ten thousand times its energy.
TEST(StiffContact, a_sheet_of_millimetres_falls_on_a_ball) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.02, -0.02, -0.02);
  scene.domain_upper = Vec3(0.02, 0.02, 0.02);
  scene.frame_rate = 240;
  scene.coupling.contact_distance = 1e-4;
  scene.solid_solver.integrator = Integrator::newton;
  scene::Cloth sheet = make_sheet(17, 17, 0.01 / 16, {0, 0, 0});
  sheet.thickness = 1e-4;
  scene.cloths.push_back(sheet);
  scene.obstacles.push_back(
      {"ball", {geometry::Sphere{0.002}, Vec3(0, 0, -0.0035), Mat3::Identity()}});
  Watched run(scene);
  for (int frame = 0; frame < 12; ++frame) {
    run.advance(1);
    expect_no_energy_from_nowhere(run.last_frame(), "sheet");
  }
  // It hangs on the ball, whose top is 1.5 mm below where it began.
  double top = -1;
  for (const Vec3& x : positions(run.simulation(), 0))
    top = std::max(top, x.z());
  EXPECT_NEAR(top, -0.0015 + 1.5e-4, 2e-4);
}

}  // namespace
}  // namespace sluice::stiff_contact_test
