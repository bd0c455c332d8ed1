// SPDX-License-Identifier: Apache-2.0
// Particles and cloth together. Oracles: which side of the sheet a particle is on, found by plumb
// line (independent of the solver's collision detection); conservation of momentum; the inelastic
// impact of two masses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "tests/unit/solver/simulation_scenes.h"

namespace sluice {
namespace {

using test::make_box;
using test::make_pin;
using test::make_sheet;
using test::make_simulation;
using test::positions;

/// Checks at every substep that each particle is above the sheet: a line upwards from it meets the
/// sheet an even number of times, however the sheet is folded. The line leans a little, so that it
/// meets no edge.
class AboveTheSheet : public SubstepObserver {
 public:
  void on_substep(const SubstepStates& s) override {
    const auto lean = [](const Vec3& x) {
      return Vec3(x.x() - 0.0123 * x.z(), x.y() - 0.0071 * x.z(), x.z());
    };
    std::vector<Vec3> x;
    for (const Vec3& vertex : s.vertices_t1)
      x.push_back(lean(vertex));
    std::map<std::pair<int, int>, std::vector<std::size_t>>
        bins;  // Triangles over a square of the ground.
    const auto bin_of = [](double value) { return static_cast<int>(std::floor(value * 100)); };
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
      Vec3 lower = x[static_cast<std::size_t>(s.triangles[t][0])], upper = lower;
      for (const std::int32_t v : s.triangles[t]) {
        lower = lower.cwiseMin(x[static_cast<std::size_t>(v)]);
        upper = upper.cwiseMax(x[static_cast<std::size_t>(v)]);
      }
      for (int i = bin_of(lower.x()); i <= bin_of(upper.x()); ++i) {
        for (int j = bin_of(lower.y()); j <= bin_of(upper.y()); ++j)
          bins[{i, j}].push_back(t);
      }
    }
    for (const Vec3f& particle : s.particles_t1) {
      const Vec3 p = lean(particle.cast<double>());
      int above = 0;
      for (const std::size_t t : bins[{bin_of(p.x()), bin_of(p.y())}]) {
        const auto corner = [&](std::size_t k) {
          return x[static_cast<std::size_t>(s.triangles[t][k])];
        };
        const Vec3 a = corner(0), b = corner(1), c = corner(2);
        const auto twice_area = [&](const Vec3& q, const Vec3& r) {
          return (q.x() - p.x()) * (r.y() - p.y()) - (q.y() - p.y()) * (r.x() - p.x());
        };
        const double u = twice_area(b, c), v = twice_area(c, a), w = twice_area(a, b);
        const bool is_over = (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
        if (is_over && (u * a.z() + v * b.z() + w * c.z()) / (u + v + w) > p.z()) ++above;
      }
      below_count += above % 2;
    }
  }
  std::int64_t below_count = 0;
};

/// A shallow tank whose floor is a sheet, held all around, outside the walls.
scene::Scene make_tank(int n, double width) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-width / 2, -width / 2, -0.2);
  scene.domain_upper = Vec3(width / 2, width / 2, 0.2);
  scene.grid.cell_size = 0.01;
  scene::Cloth cloth = make_sheet(n, n, width / (n - 3), Vec3::Zero());
  cloth.structural_stiffness = 200;
  cloth.pins.push_back(make_pin(test::rim(n, n)));
  scene.cloths.push_back(cloth);
  scene.coupling.contact_distance = 1e-3;
  return scene;
}

TEST(ContactMotionTest, single_drop_ends_above_the_sheet) {
  for (const double speed : {0.0, 3.0, 30.0}) {
    scene::Scene scene = make_tank(13, 0.2);
    scene.fluids.push_back(
        {"drop", {make_box(Vec3(0.001, 0.001, 0.051), Vec3(0.004, 0.004, 0.054))}});
    scene.fluids[0].velocity = Vec3(0, 0, -speed);
    AboveTheSheet observer;
    const auto simulation = make_simulation(scene, 1, &observer);
    ASSERT_EQ(simulation->layout()[0].count, 1);
    while (simulation->frame_index() < 20)
      ASSERT_TRUE(simulation->advance_frame());
    EXPECT_EQ(observer.below_count, 0);
    EXPECT_LT(positions(*simulation, 0)[0].z(), 0.02);
  }
}

TEST(ContactMotionTest, five_thousand_particles_stay_in_the_tank) {
  scene::Scene scene = make_tank(23, 0.2);
  scene.cloths[0].structural_stiffness = 2000;
  scene.fluids.push_back({"water", {make_box(Vec3(-0.07, -0.07, 0.02), Vec3(0.07, 0.07, 0.055))}});
  scene.fluids[0].velocity = Vec3(0, 0, -3);
  scene.fluids[0].sound_speed = 15;
  AboveTheSheet observer;
  const auto simulation = make_simulation(scene, 2, &observer);
  ASSERT_GT(simulation->layout()[0].count, 5000);
  double smallest = 1;
  std::int64_t contacts = 0;
  while (simulation->frame_index() < 15) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    smallest = std::min(smallest, statistics.value().smallest_gap);
    contacts = std::max(contacts, statistics.value().contact_count);
  }
  EXPECT_EQ(observer.below_count, 0);
  EXPECT_GT(smallest, 0);
  EXPECT_GT(contacts, 300);
}

TEST(ContactMotionTest, impact_conserves_momentum) {
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
  scene.coupling.tolerance = 1e-5;
  scene.coupling.max_iterations = 200;
  const auto simulation = make_simulation(scene);
  const double mass = 12 * 12 * 4 * 1000 * 1.25e-7;
  const Vec3 before = mass * scene.fluids[0].velocity;
  Vec3 after;
  while (simulation->frame_index() < 6) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics);
    after = statistics.value().momentum;
    EXPECT_LT((after - before).norm(), 2e-3 * before.norm());
  }
  // The sheet has taken its part of it: everything moves on together.
  double mean = 0;
  const auto fields = simulation->fields();
  for (std::size_t i = 2; i < fields[3].values.size(); i += 3)
    mean += fields[3].values[i] / 441;
  EXPECT_LT(mean, -0.1);
}

TEST(ContactMotionTest, water_at_rest_on_the_sheet_is_carried_by_its_springs) {
  // In the end the fluid's momentum is zero: the sheet pushes back with its whole weight.
  scene::Scene scene = make_tank(23, 0.2);
  scene.cloths[0].damping = 2;
  scene.cloths[0].structural_stiffness = 1000;
  scene.fluids.push_back({"water", {make_box(Vec3(-0.1, -0.1, 0.003), Vec3(0.1, 0.1, 0.022))}});
  scene.fluids[0].sound_speed = 10;
  scene.fluids[0].dynamic_viscosity = 1;
  AboveTheSheet observer;
  const auto simulation = make_simulation(scene, 2, &observer);
  const double mass = static_cast<double>(simulation->layout()[0].count) * 1000 * 1.25e-7;
  double settled = 0;
  while (simulation->frame_index() < 60) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics);
    if (simulation->frame_index() > 40)
      settled = std::max(settled, statistics.value().momentum.norm());
  }
  EXPECT_EQ(observer.below_count, 0);
  EXPECT_LT(
      settled,
      0.1 * mass);  // [kg m/s]: less than 0.1 m/s on average, after free fall of 1 s would be 9.8.
}

}  // namespace
}  // namespace sluice
