// SPDX-License-Identifier: Apache-2.0
// Particles and cloth together. Oracles: which side of the sheet a particle is on, found by plumb
// line (independent of the solver's collision detection); conservation of momentum; the inelastic
// impact of two masses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::contact_motion_test {
namespace {

using test::make_box;
using test::make_pin;
using test::make_sheet;
using test::make_simulation;
using test::positions;

/// Whether each particle is above the sheet: a line upwards from it meets the sheet an even number
/// of times, however the sheet is folded. The line leans a little, so that it meets no edge.
std::int64_t count_below(const Simulation& simulation) {
  const auto lean = [](const Vec3& x) {
    return Vec3(x.x() - 0.0123 * x.z(), x.y() - 0.0071 * x.z(), x.z());
  };
  const std::vector<Vec3> vertices = positions(simulation, 1);
  std::int64_t below_count = 0;
  for (const Vec3& particle : positions(simulation, 0)) {
    const Vec3 p = lean(particle);
    int above = 0;
    for (const auto& [i, j, k] : simulation.layout()[1].triangles) {
      const Vec3 a = lean(vertices[static_cast<std::size_t>(i)]),
                 b = lean(vertices[static_cast<std::size_t>(j)]),
                 c = lean(vertices[static_cast<std::size_t>(k)]);
      const auto twice_area = [&](const Vec3& q, const Vec3& r) {
        return (q.x() - p.x()) * (r.y() - p.y()) - (q.y() - p.y()) * (r.x() - p.x());
      };
      const double u = twice_area(b, c), v = twice_area(c, a), w = twice_area(a, b);
      const bool is_over = (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
      if (is_over && (u * a.z() + v * b.z() + w * c.z()) / (u + v + w) > p.z()) ++above;
    }
    below_count += above % 2;
  }
  return below_count;
}

/// A shallow tank whose floor is a sheet, held all around at the walls.
scene::Scene make_tank(int n, double width) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-width / 2, -width / 2, -0.2);
  scene.domain_upper = Vec3(width / 2, width / 2, 0.2);
  scene.grid.cell_size = 0.01;
  scene::Cloth cloth = make_sheet(n, n, width / (n - 1) * (1 - 1e-9), Vec3::Zero());
  cloth.structural_stiffness = 200;
  cloth.pins.push_back(make_pin(test::rim(n, n)));
  scene.cloths.push_back(cloth);
  scene.coupling.contact_distance = 1e-3;
  return scene;
}

TEST(ContactMotion, single_drop_ends_above_the_sheet) {
  for (const double speed : {0.0, 3.0, 30.0}) {
    scene::Scene scene = make_tank(13, 0.2);
    scene.fluids.push_back(
        {"drop", {make_box(Vec3(0.001, 0.001, 0.051), Vec3(0.004, 0.004, 0.054))}});
    scene.fluids[0].velocity = Vec3(0, 0, -speed);
    certificate::CrossingCertificate certificate;
    const auto simulation = make_simulation(scene, 1, &certificate);
    ASSERT_EQ(simulation->layout()[0].count, 1);
    while (simulation->frame_index() < 20)
      ASSERT_TRUE(simulation->advance_frame());
    EXPECT_EQ(certificate.crossing_count(), 0);
    EXPECT_EQ(certificate.jump_count(), 0);
    EXPECT_EQ(count_below(*simulation), 0);
    EXPECT_LT(positions(*simulation, 0)[0].z(), 0.02);
  }
}

TEST(ContactMotion, five_thousand_particles_stay_in_the_tank) {
  scene::Scene scene = make_tank(23, 0.2);
  scene.cloths[0].structural_stiffness = 2000;
  scene.fluids.push_back({"water", {make_box(Vec3(-0.07, -0.07, 0.02), Vec3(0.07, 0.07, 0.055))}});
  scene.fluids[0].velocity = Vec3(0, 0, -3);
  scene.fluids[0].sound_speed = 15;
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 2, &certificate);
  ASSERT_GT(simulation->layout()[0].count, 5000);
  double smallest = 1;
  std::int64_t contacts = 0;
  while (simulation->frame_index() < 8) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    smallest = std::min(smallest, statistics.value().smallest_gap);
    contacts = std::max(contacts, statistics.value().contact_count);
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  EXPECT_EQ(count_below(*simulation), 0);
  EXPECT_GT(smallest, 0);
  EXPECT_GT(contacts, 300);
}

TEST(ContactMotion, water_on_a_sheet_that_cannot_move_has_a_residual_too) {
  // Symptom: residuals of 1e139. Mechanism: they were relative to the sheet's motion alone.
  scene::Scene scene = make_tank(13, 0.1);
  scene::Pin& pin = scene.cloths[0].pins[0];
  pin.vertices.clear();
  for (std::int32_t v = 0; v < 169; ++v)
    pin.vertices.push_back(v);
  scene.fluids.push_back({"water", {make_box(Vec3(-0.04, -0.04, 0.003), Vec3(0.04, 0.04, 0.03))}});
  const auto simulation = make_simulation(scene);
  while (simulation->frame_index() < 6) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    EXPECT_LT(statistics.value().residual, 1e6);  // In millionths of the contact distance: 1.
  }
  EXPECT_EQ(count_below(*simulation), 0);
}

TEST(ContactMotion, impact_conserves_momentum) {
  scene::Scene scene;
  scene.gravity.setZero();
  scene.domain_lower = Vec3(-0.3, -0.3, -0.3);
  scene.domain_upper = Vec3(0.3, 0.3, 0.3);
  scene.grid.cell_size = 0.01;
  scene.fluids.push_back({"water", {make_box(Vec3(-0.03, -0.03, 0.005), Vec3(0.03, 0.03, 0.025))}});
  scene.fluids[0].velocity = Vec3(0.3, 0, -1);
  scene.cloths.push_back(make_sheet(21, 21, 0.01, Vec3::Zero()));
  scene.cloths[0].area_density = 0.5;
  scene.coupling.contact_distance = 1e-3;
  const auto simulation = make_simulation(scene);
  const double mass = 12 * 12 * 4 * 1000 * 1.25e-7;
  Vec3 expected = mass * scene.fluids[0].velocity;
  while (simulation->frame_index() < 6) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics);
    expected += statistics.value().filter_impulse;
    // Particles and grid are floats: the bound is that of fluid alone (mpm_fluid_test).
    EXPECT_LT((statistics.value().momentum - expected).norm(), 1e-5 * expected.norm());
    EXPECT_LT(statistics.value().filter_impulse.norm(), 1e-3 * expected.norm());
  }
  // The sheet has taken its part of it: everything moves on together.
  double mean = 0;
  const auto fields = simulation->fields();
  for (std::size_t i = 2; i < fields[3].values.size(); i += 3)
    mean += fields[3].values[i] / 441;
  EXPECT_LT(mean, -0.1);
}

TEST(ContactMotion, water_goes_around_a_curtain_and_not_through_it) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.1, -0.05, 0);
  scene.domain_upper = Vec3(0.1, 0.05, 0.12);
  scene.grid.cell_size = 0.01;
  scene.coupling.contact_distance = 1e-3;
  scene.fluids.push_back({"water", {make_box(Vec3(-0.095, -0.045, 0), Vec3(-0.02, 0.045, 0.06))}});
  scene.fluids[0].velocity = Vec3(1.5, 0, 0);
  scene.fluids[0].sound_speed = 12;
  scene::Cloth curtain = make_sheet(12, 12, 0.006, Vec3::Zero());
  for (Vec3& x : curtain.mesh.vertices)
    x = Vec3(-0.01, x.x(), x.y() + 0.06);
  curtain.structural_stiffness = 200;
  curtain.pins.push_back(make_pin({0, 11, 132, 143}));  // Its corners.
  scene.cloths.push_back(curtain);
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 2, &certificate);
  std::int64_t contacts = 0;
  while (simulation->frame_index() < 12) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    contacts = std::max(contacts, statistics.value().contact_count);
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  EXPECT_GT(contacts, 50);
}

TEST(ContactMotion, particles_between_closing_sheets_have_no_way_out_and_take_none) {
  // Two sheets 2.4 cm apart, held at every second vertex, each move 1.7 cm towards the other: past
  // it. Nothing can be right here but the guarantee.
  scene::Scene scene;
  scene.gravity.setZero();
  scene.domain_lower = Vec3(-0.05, -0.05, -0.05);
  scene.domain_upper = Vec3(0.05, 0.05, 0.05);
  scene.grid.cell_size = 0.01;
  scene.coupling.contact_distance = 1e-3;
  scene.fluids.push_back(
      {"water", {make_box(Vec3(-0.02, -0.02, -0.005), Vec3(0.02, 0.02, 0.005))}});
  for (const double side : {-1.0, 1.0}) {
    scene::Cloth cloth = make_sheet(10, 10, 0.0099, Vec3(0, 0, 0.012 * side));
    cloth.name = side < 0 ? "lower" : "upper";
    scene::Pin pin{"pin", {}, Vec3(0, 0, -side)};
    for (std::int32_t v = 0; v < 100; v += 2)
      pin.vertices.push_back(v);
    cloth.pins.push_back(pin);
    scene.cloths.push_back(cloth);
  }
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 1, &certificate);
  for (int frame = 0; frame < 2; ++frame) {
    if (frame == 1) {
      for (const char* name : {"lower", "upper"}) {
        ASSERT_TRUE(simulation->steer(MovePin{name, "pin", Vec3::Zero()}));
      }
    }
    const auto statistics = simulation->advance_frame();
    if (!statistics) break;  // It may say that it cannot; it may not let anything through.
  }
  EXPECT_GT(certificate.substep_count(), 10);
  EXPECT_EQ(certificate.crossing_count(), 0);
}

TEST(ContactMotion, water_on_the_sheet_comes_to_rest_above_it) {
  scene::Scene scene = make_tank(13, 0.1);
  scene.cloths[0].damping = 2;
  scene.cloths[0].structural_stiffness = 500;
  scene.fluids.push_back({"water", {make_box(Vec3(-0.05, -0.05, 0.003), Vec3(0.05, 0.05, 0.017))}});
  scene.fluids[0].sound_speed = 10;
  scene.fluids[0].dynamic_viscosity = 1;
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 2, &certificate);
  const double mass = static_cast<double>(simulation->layout()[0].count) * 1000 * 1.25e-7;
  double fastest = 0;
  while (simulation->frame_index() < 50) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics);
    if (simulation->frame_index() > 30) {
      fastest = std::max(fastest, statistics.value().momentum.norm() / mass);
    }
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(count_below(*simulation), 0);
  // Gravity's impulse is taken up by the sheet: 0.8 s of free fall would be 8 m/s.
  EXPECT_LT(fastest, 0.1);
}

}  // namespace
}  // namespace sluice::contact_motion_test
