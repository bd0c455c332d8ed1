// SPDX-License-Identifier: Apache-2.0
// The extra fields of frames. Oracles: hydrostatics, Tait's equation, the weight of what rests.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::output_test {
namespace {

using test::advance;
using test::all_values;
using test::make_box;
using test::make_pin;
using test::make_sheet;
using test::make_simulation;
using test::positions;
using test::save_and_restore;
using test::values_of;

constexpr double g = 9.81;

double sum(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

scene::Scene make_column() {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = Vec3(0.08, 0.08, 0.6);
  scene.fluids.push_back({"water", {make_box(Vec3::Zero(), Vec3(0.08, 0.08, 0.4))}});
  scene.output.fields = {Field::density, Field::pressure};
  return scene;
}

TEST(Output, a_column_at_rest_has_hydrostatic_pressure) {
  const auto simulation = make_simulation(make_column());
  advance(*simulation, 150);
  const auto x = positions(*simulation, 0);
  const auto pressures = values_of(*simulation, 0, Field::pressure);
  ASSERT_EQ(pressures.size(), x.size());
  // By layers of 4 cm, the one at the surface left out: there the density feedback takes a part.
  for (int layer = 0; layer < 9; ++layer) {
    const double low = 0.04 * layer;
    double total = 0, depth = 0;
    int count = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i].z() < low || x[i].z() >= low + 0.04) continue;
      total += static_cast<double>(pressures[i]);
      depth += 0.398 - x[i].z();
      ++count;
    }
    ASSERT_GT(count, 0);
    EXPECT_NEAR(total / count, 1000 * g * depth / count, 1000 * g * 0.012) << low;
  }
}

TEST(Output, pressure_and_density_obey_the_equation_of_state) {
  const auto simulation = make_simulation(make_column());
  advance(*simulation, 20);
  const auto pressures = values_of(*simulation, 0, Field::pressure);
  const auto densities = values_of(*simulation, 0, Field::density);
  ASSERT_EQ(densities.size(), pressures.size());
  int compressed = 0;
  for (std::size_t i = 0; i < pressures.size(); ++i) {
    const double ratio = static_cast<double>(densities[i]) / 1000;
    const double tait = 1000.0 * 20 * 20 / 7 * (std::pow(ratio, 7) - 1);
    // A rounding of the density is some 0.03 Pa.
    EXPECT_NEAR(static_cast<double>(pressures[i]), std::max(tait, 0.0), 0.1 + 1e-5 * tait);
    compressed += tait > 100;
  }
  EXPECT_GT(compressed, 1000);
}

/// A tank with a sheet as its floor, every vertex of it held, and 4 kg of water on it.
scene::Scene make_held_floor() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.1, -0.1, -0.06);
  scene.domain_upper = Vec3(0.1, 0.1, 0.2);
  scene.fluids.push_back({"water", {make_box(Vec3(-0.1, -0.1, 0.01), Vec3(0.1, 0.1, 0.11))}});
  scene.fluids[0].sound_speed = 15;
  scene::Cloth cloth = make_sheet(11, 11, 0.02 * (1 - 1e-9), Vec3::Zero());
  std::vector<std::int32_t> all(121);
  std::iota(all.begin(), all.end(), 0);
  cloth.pins.push_back(make_pin(all));
  scene.cloths.push_back(cloth);
  scene.output.fields = {Field::contact_force};
  return scene;
}

TEST(Output, a_held_sheet_carries_the_weight_of_the_water_on_it) {
  const auto simulation = make_simulation(make_held_floor());
  const double weight = static_cast<double>(simulation->layout()[0].count) * 1e-3 * g;
  ASSERT_NEAR(weight, 4 * g, 0.1 * g);
  EXPECT_EQ(sum(values_of(*simulation, 0, Field::contact_force)), 0);
  advance(*simulation, 110);
  double on_water = 0, on_sheet = 0;
  constexpr int frame_count = 10;  // The mean evens out the sound's bouncing.
  for (int i = 0; i < frame_count; ++i) {
    advance(*simulation, 1);
    on_water += sum(values_of(*simulation, 0, Field::contact_force)) / frame_count;
    on_sheet += sum(values_of(*simulation, 1, Field::contact_force)) / frame_count;
  }
  EXPECT_NEAR(on_water, weight, 0.05 * weight);
  EXPECT_NEAR(on_sheet, on_water, 1e-3 * on_water);  // All along one normal: the sums are equal.
}

TEST(Output, a_box_carries_the_weight_of_the_sheet_on_it) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.5, -0.5, -0.5);
  scene.domain_upper = Vec3(0.5, 0.5, 0.5);
  scene.cloths.push_back(make_sheet(11, 11, 0.02, Vec3(0, 0, 0.01)));
  scene.obstacles.push_back({"table", make_box(Vec3(-0.4, -0.4, -0.1), Vec3(0.4, 0.4, 0))});
  scene.coupling.tolerance = 1e-6;
  scene.coupling.max_iterations = 200;
  scene.output.fields = {Field::contact_force};
  const auto simulation = make_simulation(scene);
  advance(*simulation, 30);
  const double weight = 0.2 * 0.2 * 0.2 * g;  // Area and area density.
  EXPECT_NEAR(sum(values_of(*simulation, 0, Field::contact_force)), weight, 0.01 * weight);
}

TEST(Output, every_body_says_which_fields_it_has) {
  scene::Scene scene = make_held_floor();
  scene.output.fields = {Field::contact_force, Field::pressure};
  const auto simulation = make_simulation(scene);
  using Fields = std::vector<Field>;
  EXPECT_EQ(simulation->layout()[0].fields,
            (Fields{Field::position, Field::velocity, Field::contact_force, Field::pressure}));
  EXPECT_EQ(simulation->layout()[1].fields,
            (Fields{Field::position, Field::velocity, Field::contact_force}));
  std::size_t view = 0;
  for (std::size_t body = 0; body < 2; ++body) {
    const BodyLayout& layout = simulation->layout()[body];
    for (const Field field : layout.fields) {
      const FieldView found = simulation->fields().at(view++);
      EXPECT_EQ(found.body, body);
      EXPECT_EQ(found.field, field);
      EXPECT_EQ(found.values.size(),
                static_cast<std::size_t>(layout.count * component_count(field)));
    }
  }
  EXPECT_EQ(simulation->fields().size(), view);
}

TEST(Output, extra_fields_are_restored_and_change_no_motion) {
  scene::Scene scene = make_held_floor();
  const auto with = make_simulation(scene);
  advance(*with, 4);
  EXPECT_EQ(all_values(*save_and_restore(*with, scene, 2)), all_values(*with));
  EXPECT_GT(sum(values_of(*with, 0, Field::contact_force)), 0);
  scene.output.fields.clear();
  const auto without = make_simulation(scene);
  advance(*without, 4);
  EXPECT_EQ(positions(*without, 0), positions(*with, 0));
  EXPECT_EQ(without->fields().size(), 4U);
}

}  // namespace
}  // namespace sluice::output_test
