// SPDX-License-Identifier: Apache-2.0
// What bodies are made of, through the one door. Oracles: the theory of thin plates, Hooke's law,
// and the decay of a damped oscillation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/geometry/fill_shape.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::material_test {
namespace {

using test::advance;
using test::make_simulation;
using test::positions;

/// A strip of finite elements, 0.2 m by 0.04 m and 1 mm thick, held along its two first columns.
constexpr int nx = 41, ny = 9;
constexpr double spacing = 0.005, length = 0.2 - spacing;  // [m] of what is free
constexpr std::size_t tip = (ny / 2) * nx + nx - 1;

scene::Scene make_strip_scene() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-1, -1, -1);
  scene.domain_upper = Vec3(1, 1, 1);
  scene.solid_solver = {scene::Integrator::newton, 100, 1e-6};
  scene.cloths = {test::make_sheet(nx, ny, spacing, {0, 0, 0.5})};
  scene.cloths[0].shell = scene::ShellMaterial{};
  scene.cloths[0].shell->material.poisson_ratio = 0;
  std::vector<std::int32_t> held;
  for (int j = 0; j < ny; ++j) {
    held.push_back(j * nx);
    held.push_back(j * nx + 1);
  }
  scene.cloths[0].pins = {test::make_pin(held)};
  return scene;
}

TEST(Material, a_strip_of_cloth_sags_as_a_thin_plate) {
  scene::Scene scene = make_strip_scene();
  scene::Cloth& strip = scene.cloths[0];
  strip.shell->material.young_modulus = 1e6;
  strip.shell->bend_scale = 600;
  strip.damping = 60;  // Near critical for its first mode, 3.52 sqrt(B / (rho L^4)) = 50/s.
  const auto simulation = make_simulation(scene);
  advance(*simulation, 60);
  // w = q L^4 / (8 B); squares that are all cut along the same diagonal have 4/5 of B
  // (bending_potential.h). The hinges at the clamp bend for a whole cell, half of which is held.
  const double stiffness = 0.8 * 600 * 1e6 * 1e-9 / 12;
  const double expected =
      0.2 * 9.81 * std::pow(length, 4) / (8 * stiffness) * (1 + 2 * spacing / length);
  const auto now = positions(*simulation, 0);
  EXPECT_NEAR(0.5 - now[tip].z(), expected, 0.05 * expected);
}

/// [m] How much the strip grows by its own weight, with E = 1e4 Pa.
double growth(double poisson_ratio, bool plane_strain) {
  scene::Scene scene = make_strip_scene();
  scene::Cloth& strip = scene.cloths[0];
  scene.gravity = Vec3(9.81, 0, 0);
  strip.shell->material.young_modulus = 1e4;
  strip.shell->material.poisson_ratio = poisson_ratio;
  strip.shell->plane_strain = plane_strain;
  strip.damping = 50;
  const auto simulation = make_simulation(scene);
  const double before = positions(*simulation, 0)[tip].x();
  advance(*simulation, 60);
  return positions(*simulation, 0)[tip].x() - before;
}

TEST(Material, a_strip_of_cloth_grows_by_its_weight_over_its_stiffness) {
  // u = rho g L^2 / (2 E t)
  const double expected = 0.2 * 9.81 * length * length / (2 * 1e4 * 1e-3);
  EXPECT_NEAR(growth(0, false), expected, 0.03 * expected);
}

TEST(Material, a_slice_of_a_long_body_is_stiffer_by_its_poisson_ratio) {
  // Uniaxial stress in the plane, no strain across it: E / (1 - nu^2) in place of E. What the clamp
  // holds of the strip's narrowing is alike in both.
  constexpr double nu = 0.45;
  EXPECT_NEAR(growth(nu, true) / growth(nu, false), 1 - nu * nu, 0.02);
}

/// [1/s] Rate at which the energy of a bar that swings along its axis decays.
double decay_rate(double stiffness_damping, double kelvin_voigt_mu) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-1, -1, -1);
  scene.domain_upper = Vec3(1, 1, 1);
  scene.gravity.setZero();
  scene.frame_rate = 200;
  scene.coupling.max_substep = 2e-4;
  scene.solid_solver = {scene::Integrator::newton, 100, 1e-5};
  scene::SoftBody bar;
  bar.name = "bar";
  bar.mesh =
      geometry::fill_shape(test::make_box({-0.025, -0.025, 0}, {0.025, 0.025, 0.2}), 0.025, 10'000)
          .value();
  bar.material.young_modulus = 1e5;
  bar.material.poisson_ratio = 0;
  bar.material.stiffness_damping = stiffness_damping;
  bar.material.kelvin_voigt_mu = kelvin_voigt_mu;
  bar.velocity = Vec3(0, 0, -0.1);
  scene::Pin top{"top", {}};
  for (std::size_t i = 0; i < bar.mesh.vertices.size(); ++i) {
    if (bar.mesh.vertices[i].z() > 0.2 - 1e-9) top.vertices.push_back(static_cast<int>(i));
  }
  bar.pins = {top};
  scene.soft_bodies = {bar};
  const auto simulation = make_simulation(scene);
  const auto energy_after = [&](int frames) {
    FrameStatistics statistics;
    for (int i = 0; i < frames; ++i)
      statistics = simulation->advance_frame().value();
    return statistics.kinetic_energy + statistics.potential_energy;
  };
  // Whole periods apart, 2 pi / (pi/2 sqrt(E/rho) / L) = 0.08 s: of damping, energy has none
  // between, but the kinetic part loses more than the elastic one.
  const double early = energy_after(16), late = energy_after(48);
  return std::log(early / late) / 0.24;
}

TEST(Material, damping_takes_energy_at_the_rate_of_theory) {
  // A mode of frequency w decays by w^2 times the damping over stiffness; the step has its own.
  const double undamped = decay_rate(0, 0);
  const double w = std::numbers::pi / 2 * 10 / 0.2;
  const double rayleigh = decay_rate(1e-3, 0) - undamped;
  EXPECT_NEAR(rayleigh, 1e-3 * w * w, 0.05 * 1e-3 * w * w);
  // With nu = 0, mu is E / 2, so half of E times 1 ms is the same along the axis.
  const double kelvin_voigt = decay_rate(0, 50) - undamped;
  EXPECT_NEAR(kelvin_voigt, rayleigh, 0.01 * rayleigh);
}

}  // namespace
}  // namespace sluice::material_test
