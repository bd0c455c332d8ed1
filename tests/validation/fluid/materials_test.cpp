// SPDX-License-Identifier: Apache-2.0
// What particles are made of, against theory and experiments that know nothing of particles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::materials_test {
namespace {

constexpr double gravity = 9.81;

void run(MpmFluid& fluid, double seconds) {
  parallel::ThreadLimit limit(1);
  limit.run([&] {
    for (double time = 0; time < seconds - 1e-12;) {
      const double h = std::min({fluid.stable_substep(), 1e-3, seconds - time});
      fluid.advance_velocities(h, Vec3(0, 0, -gravity));
      fluid.commit();
      time += h;
    }
  });
}

// A column of jelly that fills the cross section of its tank, let go without strain: in uniaxial
// strain, with M = lambda + 2 mu, it swings by a quarter wave, T = 4 H sqrt(density / M), about a
// state whose centre is density g H^2 / (3 M) lower.
TEST(Materials, a_column_of_jelly_swings_and_sags_like_a_rod) {
  constexpr double cell = 0.01, height = 0.2, modulus = 5e5, nu = 0.3, density = 1000;
  scene::Scene scene = test::tank({4 * cell, 4 * cell, 2 * height}, cell,
                                  test::box({0, 0, 0}, {4 * cell, 4 * cell, height}));
  scene.fluids[0].material = scene::Jelly{modulus * (1 + nu) * (1 - 2 * nu) / (1 - nu), nu};
  MpmFluid jelly(scene);
  const double mass = density * 16 * cell * cell * height;
  const double start = jelly.mass_moment().z() / mass;
  const double energy = gravity * jelly.mass_moment().z();
  const double period = 4 * height * std::sqrt(density / modulus);
  constexpr int samples = 200, periods = 5;  // samples a period
  std::vector<double> sag;
  for (int n = 0; n < samples * periods; ++n) {
    run(jelly, period / samples);
    sag.push_back(start - jelly.mass_moment().z() / mass);
  }
  const double expected = density * gravity * height * height / (3 * modulus);
  double mean = 0;
  for (const double s : sag)
    mean += s / static_cast<double>(sag.size());
  EXPECT_NEAR(mean, expected, 0.03 * expected);
  // Upward passes of the mean, whole periods apart.
  std::vector<double> passes;
  for (std::size_t n = 1; n < sag.size(); ++n) {
    if (sag[n - 1] > expected && sag[n] <= expected) passes.push_back(static_cast<double>(n));
  }
  ASSERT_EQ(passes.size(), 5U);
  EXPECT_NEAR((passes.back() - passes.front()) / 4 / samples, 1, 0.02);
  // The energy that swings, at the start: half of density g H^2 / 3 M times the weight. APIC takes
  // little.
  const double left =
      jelly.kinetic_energy() + jelly.strain_energy() + gravity * jelly.mass_moment().z();
  EXPECT_LE(left, energy + 1e-5);
  EXPECT_GE(left, energy - 0.3 * mass * gravity * expected);
}

// [Lube2005] columns of dry grains let go on a rough floor between smooth walls: the front comes to
// rest 1.2 a widths from where the column ended for an aspect ratio a < 1.8, 1.9 a^(2/3) above;
// what is left is 1 (a < 1.15) or a^0.4 widths high. Their sands, sugar and rice rest at slopes of
// some 30 degrees; runs scatter by a tenth.
void expect_collapse(double aspect) {
  constexpr double cell = 0.005, width = 0.1, floor = 4 * cell, across = 4 * cell;
  scene::Scene scene =
      test::tank({0.6, across, floor + 1.2 * aspect * width}, cell,
                 test::box({0, 0, floor}, {width, across, floor + aspect * width}));
  scene.fluids[0].material =
      scene::Sand{.young_modulus = 1e6, .friction_angle = 30 * std::numbers::pi / 180};
  scene.fluids[0].density = 1600;
  scene::Obstacle rough;
  rough.name = "floor";
  rough.wall = scene::WallCondition::no_slip;
  rough.shape = test::box({-1, -1, -1}, {2, 1, floor});
  scene.obstacles = {rough};
  MpmFluid sand(scene);
  run(sand, 1);
  EXPECT_LT(sand.kinetic_energy(), 1e-6) << "still moving";
  std::vector<double> fronts;
  double top = 0;
  for (const Vec3f& x : sand.positions()) {
    fronts.push_back(static_cast<double>(x[0]));
    top = std::max(top, static_cast<double>(x[2]) - floor);
  }
  // The front without the grains that rolled ahead: a thousandth.
  std::ranges::sort(fronts);
  const double runout = fronts[fronts.size() * 999 / 1000] / width - 1;
  const double expected = aspect < 1.8 ? 1.2 * aspect : 1.9 * std::pow(aspect, 2.0 / 3);
  const double height = aspect < 1.15 ? aspect : std::pow(aspect, 0.4);
  EXPECT_NEAR(runout, expected, 0.2 * expected);
  EXPECT_NEAR((top + cell / 4) / width, height, 0.1 * height);
}

TEST(Materials, a_column_of_sand_as_high_as_wide_runs_out_as_measured) { expect_collapse(1); }
TEST(Materials, a_column_of_sand_twice_as_high_runs_out_as_measured) { expect_collapse(2); }

// [Pashias1996] the slump of a cylinder of height H and yield stress y density g H:
// 1 - 2 y (1 - ln(2 y)) of its height, for any width; measured within some 0.05 of it.
void expect_slump(double yield) {
  constexpr double cell = 0.00625, height = 0.1, density = 1000;
  scene::Scene scene = test::tank({0.3, 0.3, 0.15}, cell, test::box({0, 0, 0}, {0.3, 0.3, height}));
  scene.grid.wall = scene::WallCondition::no_slip;
  geometry::Shape cylinder;
  cylinder.form = geometry::Cylinder{0.05, height / 2};
  cylinder.translation = Vec3(0.15, 0.15, height / 2);
  scene.fluids[0].regions = {cylinder};
  const double stress = yield * density * gravity * height;
  scene.fluids[0].material = scene::Bingham{stress, 50 * stress};
  scene.fluids[0].dynamic_viscosity = 30;  // Slow enough that it does not overshoot.
  scene.fluids[0].sound_speed = 15;
  MpmFluid mud(scene);
  run(mud, 1);
  EXPECT_LT(mud.kinetic_energy(), 1e-5) << "still moving";
  double top = 0;
  for (const Vec3f& x : mud.positions())
    top = std::max(top, static_cast<double>(x[2]));
  const double slump = 1 - (top + cell / 4) / height;
  EXPECT_NEAR(slump, 1 - 2 * yield * (1 - std::log(2 * yield)), 0.04);
}

TEST(Materials, mud_slumps_by_its_yield_stress) {
  expect_slump(0.15);
  expect_slump(0.25);
}

TEST(Materials, mud_of_more_yield_stress_than_weight_stands) {
  scene::Scene scene =
      test::tank({0.2, 0.2, 0.2}, 0.01, test::box({0.05, 0.05, 0}, {0.15, 0.15, 0.1}));
  scene.fluids[0].material = scene::Bingham{700, 35'000};
  MpmFluid mud(scene);
  run(mud, 1);
  double top = 0, lowest_front = 0;
  for (const Vec3f& x : mud.positions()) {
    top = std::max(top, static_cast<double>(x[2]));
    lowest_front = std::max(lowest_front, static_cast<double>(x[0]));
  }
  EXPECT_GT(top, 0.0975 - 0.003) << "elastic: 0.981 kPa / 2 of 35 kPa";
  EXPECT_LT(lowest_front, 0.1475 + 0.003);
}

// [Stomakhin2013] figure 9: what packs gets harder. Snow that is squeezed keeps its new shape and
// then bears what unpacked snow does not; sand of the same stiffness falls apart.
TEST(Materials, snow_stands_where_sand_slides) {
  const auto top_after = [](const scene::FluidMaterial& material) {
    scene::Scene scene =
        test::tank({0.4, 0.04, 0.24}, 0.01, test::box({0.1, 0, 0}, {0.2, 0.04, 0.2}));
    scene.fluids[0].material = material;
    scene.fluids[0].density = 400;
    MpmFluid matter(scene);
    run(matter, 1);
    float top = 0;
    for (const Vec3f& x : matter.positions())
      top = std::max(top, x[2]);
    return static_cast<double>(top);
  };
  EXPECT_GT(top_after(scene::Snow{}), 0.19);
  EXPECT_LT(top_after(scene::Sand{.young_modulus = 1.4e5}), 0.12);
}

}  // namespace
}  // namespace sluice::fluid::materials_test
