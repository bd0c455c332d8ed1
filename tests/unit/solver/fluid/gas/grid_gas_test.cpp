// SPDX-License-Identifier: Apache-2.0
// The gas of a scene. Oracles: by hand, exact solutions, conservation, the same made another way.
#include "solver/fluid/gas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid {
namespace {

using scene::Carried;
using test::box;
using test::sphere;

constexpr double frame = 1.0 / 60;

// A closed box from the origin to `size`, full of gas that carries all that it can.
scene::Scene closed_box(const Vec3& size, int dimensions) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = size;
  scene.grid.cell_size = 0.05;
  scene.grid.cfl = 2;
  scene.grid.dimensions = dimensions;
  scene.gas.emplace();
  scene.gas->name = "air";
  scene.gas->carries = {Carried::smoke, Carried::temperature, Carried::dye};
  return scene;
}

FluidActions still(double duration = frame, double time = 0) {
  return {.duration = duration, .time = time, .gravity = Vec3::Zero(), .pushes = {}};
}

FluidActions falling(double duration = frame, double time = 0) {
  FluidActions actions = still(duration, time);
  actions.gravity = {0, 0, -9.81};
  return actions;
}

std::vector<float> read(const Gas& gas, Field field) {
  std::vector<float> values(static_cast<std::size_t>(gas.lattice().cell_count()) *
                            static_cast<std::size_t>(component_count(field)));
  gas.read(field, values);
  return values;
}

// Calls visit(index, middle [m]) for all cells.
template <typename Visit>
void for_each_cell(const CellLattice& lattice, const Visit& visit) {
  std::size_t index = 0;
  for (std::int32_t z = 0; z < lattice.counts[2]; ++z) {
    for (std::int32_t y = 0; y < lattice.counts[1]; ++y) {
      for (std::int32_t x = 0; x < lattice.counts[0]; ++x) {
        const Vec3 middle =
            lattice.lower + lattice.edges.cwiseProduct(Vec3(x + 0.5, y + 0.5, z + 0.5));
        visit(index++, middle);
      }
    }
  }
}

// Blobs of everything, thrown about.
void stir(scene::Scene& scene) {
  const Vec3 size = scene.domain_upper;
  const Vec3 middle = size / 2;
  for (int n = 0; n < 4; ++n) {
    const int row = n / 2;
    scene::GasRegion region;
    region.shape = sphere(middle + 0.3 * Vec3((n % 2 - 0.5) * size.x(), 0, (row - 0.5) * size.z()),
                          0.18 * size.x());
    region.content.velocity = Vec3(n % 2 == 0 ? 1 : -1, 0.4, row == 0 ? 2 : -1);
    region.content.smoke = 0.5 + 0.25 * n;
    region.content.temperature = 300 + 50 * n;
    region.content.dye = Vec3(n == 0, n == 1, n == 2);
    scene.gas->regions.push_back(region);
  }
}

scene::Obstacle ball(const Vec3& center, double radius) {
  scene::Obstacle made;
  made.name = "ball";
  made.shape = sphere(center, radius);
  return made;
}

double sum(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(Gas, at_rest_stays_at_rest) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = closed_box({1, 0.8, 1}, dimensions);
    scene.obstacles = {ball({0.4, 0.4, 0.5}, 0.2)};
    scene.grid.sides[2][1] = scene::Side::open;
    scene.gas->dynamic_viscosity = 0.1;
    scene.gas->vorticity_confinement = 1;
    const auto gas = make_gas(scene);
    for (int n = 0; n < 3; ++n)
      ASSERT_TRUE(gas->advance(falling()));
    EXPECT_EQ(gas->kinetic_energy(), 0);
    for (const float temperature : read(*gas, Field::temperature))
      EXPECT_EQ(temperature, 293.15F);
    for (const float pressure : read(*gas, Field::pressure))
      EXPECT_EQ(pressure, 0);
    EXPECT_EQ(gas->stable_substep(0), std::numeric_limits<double>::infinity());
    EXPECT_DOUBLE_EQ(gas->stable_substep(4), 2 * static_cast<double>(0.05F) / 4);
  }
}

// The lattice, in 2D a cell deep; and in which order cells come.
TEST(Gas, fills_the_cells_of_the_domain) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = closed_box({1.03, 0.8, 0.6}, dimensions);
    scene.domain_lower = {-0.5, 0.2, 1};
    scene.domain_upper += scene.domain_lower;
    scene::GasRegion region;
    region.shape = box(Vec3(-9, -9, -9), Vec3(-0.1, 9, 9));
    region.content.dye = Vec3(0.25, 0.5, 2);
    region.content.smoke = 3;
    scene.gas->regions = {region};
    region.shape = box(Vec3(-9, -9, 1.3), Vec3(9, 9, 9));
    region.content.dye = Vec3(1, 0, 0);
    region.content.smoke.reset();
    scene.gas->regions.push_back(region);
    const auto gas = make_gas(scene);
    const CellLattice& lattice = gas->lattice();
    EXPECT_EQ(lattice.counts, (std::array<std::int32_t, 3>{20, dimensions == 3 ? 16 : 1, 12}));
    EXPECT_EQ(lattice.lower, scene.domain_lower);
    EXPECT_NEAR(lattice.edges.y(), dimensions == 3 ? 0.05 : 0.8, 1e-12);
    const std::vector<float> smoke = read(*gas, Field::smoke), dye = read(*gas, Field::dye);
    for_each_cell(lattice, [&](std::size_t i, const Vec3& x) {
      const bool is_left = x.x() < -0.1, is_upper = x.z() > 1.3;
      EXPECT_EQ(smoke[i], is_left ? 3 : 0);
      EXPECT_EQ(dye[3 * i], is_upper ? 1.0F : is_left ? 0.25F : 0);
      EXPECT_EQ(dye[3 * i + 1], is_upper ? 0 : is_left ? 0.5F : 0);
      EXPECT_EQ(dye[3 * i + 2], is_upper ? 0 : is_left ? 2 : 0);
    });
  }
}

// In solids there is nothing to read: no smoke, no flow; and the temperature is that around.
TEST(Gas, has_nothing_in_obstacles) {
  scene::Scene scene = closed_box({1, 0.8, 1}, 3);
  scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
  scene.gas->velocity = {1, 0, 0};
  scene.gas->ambient_temperature = 280;
  scene::GasRegion region;
  region.shape = box(Vec3(-9, -9, -9), Vec3(9, 9, 9));
  region.content.smoke = 2;
  region.content.temperature = 350;
  region.content.dye = Vec3(1, 2, 3);
  scene.gas->regions = {region};
  scene.obstacles = {ball({0.4, 0.4, 0.5}, 0.25)};
  const auto gas = make_gas(scene);
  ASSERT_TRUE(gas->advance(still()));
  const auto smoke = read(*gas, Field::smoke), temperature = read(*gas, Field::temperature);
  const auto dye = read(*gas, Field::dye), velocity = read(*gas, Field::velocity);
  const auto pressure = read(*gas, Field::pressure);
  int inside = 0;
  for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3& x) {
    const double away = (x - Vec3(0.4, 0.4, 0.5)).norm() - 0.25;
    if (away < -0.05) {  // All of the cell.
      ++inside;
      EXPECT_EQ(smoke[i], 0);
      EXPECT_EQ(temperature[i], 280);
      EXPECT_EQ(pressure[i], 0);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(dye[3 * i + c], 0);
        EXPECT_EQ(velocity[3 * i + c], 0);
      }
    } else if (away > 0.05 && x.x() > 0.1) {
      EXPECT_NEAR(smoke[i], 2, 1e-5);
      EXPECT_NEAR(temperature[i], 350, 1e-3);
      EXPECT_NEAR(dye[3 * i + 2], 3, 1e-5);
    }
  });
  EXPECT_GT(inside, 100);
}

// A closed box has nowhere to take other smoke from, whatever is in it.
TEST(Gas, what_is_everywhere_the_same_stays_so) {
  for (const int dimensions : {2, 3}) {
    for (const auto method : {scene::Advection::cubic, scene::Advection::maccormack}) {
      scene::Scene scene = closed_box({1, 0.8, 1}, dimensions);
      stir(scene);
      for (scene::GasRegion& region : scene.gas->regions) {
        region.content.smoke.reset();
        region.content.dye.reset();
      }
      scene::GasRegion all;
      all.shape = box(Vec3(-9, -9, -9), Vec3(9, 9, 9));
      all.content.smoke = 0.75;
      all.content.dye = Vec3(0.5, 0.25, 1);
      scene.gas->regions.push_back(all);
      scene.gas->advection = method;
      scene.obstacles = {ball({0.4, 0.4, 0.5}, 0.15)};
      const auto gas = make_gas(scene);
      for (int n = 0; n < 15; ++n)
        ASSERT_TRUE(gas->advance(falling()));
      EXPECT_GT(gas->kinetic_energy(), 0.001);
      const auto smoke = read(*gas, Field::smoke), dye = read(*gas, Field::dye);
      for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3& x) {
        if ((x - Vec3(0.4, 0.4, 0.5)).norm() < 0.2 + (dimensions == 2 ? 0.05 : 0)) return;
        // Means of some of them, in the ball, are right to rounding.
        EXPECT_NEAR(smoke[i], 0.75, 1e-5);
        EXPECT_NEAR(dye[3 * i], 0.5, 1e-5);
      });
    }
  }
}

// Smoke is carried by values, not by amounts: it drifts by little.
TEST(Gas, keeps_smoke_in_a_closed_box) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = closed_box({1.6, dimensions == 3 ? 0.8 : 1, 1.6}, dimensions);
    scene.gas->carries = {Carried::smoke};
    stir(scene);
    for (scene::GasRegion& region : scene.gas->regions) {
      region.content.temperature.reset();
      region.content.dye.reset();
    }
    const auto gas = make_gas(scene);
    const double before = sum(read(*gas, Field::smoke));
    for (int n = 0; n < 60; ++n)
      ASSERT_TRUE(gas->advance(still()));
    EXPECT_NEAR(sum(read(*gas, Field::smoke)), before, 0.03 * before) << dimensions;
  }
}

// A shaft that is open above and below: all of it goes at once, as the difference in density says.
// Only 19.5 of its 20 cells count: on an open side there is half of the gas around. The gas that
// comes in meanwhile fills 1e-4 of a cell.
TEST(Gas, rises_where_it_is_hot_and_sinks_where_it_is_heavy) {
  struct Case {
    double temperature, smoke, acceleration;
  };
  for (const auto& [temperature, smoke, acceleration] :
       {Case{2 * 293.15, 0, 9.81 / 2}, Case{293.15 / 1.5, 0, -9.81 / 2},
        Case{293.15, 2, -9.81 * 2 * 0.3 / 1.2}, Case{2 * 293.15, 1, 9.81 * (0.5 - 0.25)}}) {
    for (const int dimensions : {2, 3}) {
      scene::Scene scene = closed_box({0.4, 0.4, 1}, dimensions);
      scene.grid.sides[2] = {scene::Side::open, scene::Side::open};
      scene.gas->smoke_density = 0.3;
      scene::GasRegion all;
      all.shape = box(Vec3(-9, -9, -9), Vec3(9, 9, 9));
      all.content.smoke = smoke;
      all.content.temperature = temperature;
      scene.gas->regions = {all};
      const auto gas = make_gas(scene);
      constexpr double h = 0.0005;
      for (int n = 0; n < 3; ++n)
        ASSERT_TRUE(gas->advance(falling(h)));
      const std::vector<float> velocity = read(*gas, Field::velocity);
      for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3&) {
        EXPECT_NEAR(velocity[3 * i], 0, 1e-6);
        EXPECT_NEAR(velocity[3 * i + 1], 0, 1e-6);
        EXPECT_NEAR(velocity[3 * i + 2], 3 * h * acceleration * 19.5 / 20, 1e-4 * 3 * h * 9.81);
      });
    }
  }
}

// Layers that are as dense all along them do not move, and pressure is their weight.
TEST(Gas, lies_still_in_layers) {
  scene::Scene scene = closed_box({0.8, 0.8, 1}, 2);
  scene.gas->smoke_density = 0.6;
  scene::GasRegion layer;
  layer.shape = box(Vec3(-9, -9, -9), Vec3(9, 9, 0.4));
  layer.content.smoke = 1;
  scene.gas->regions = {layer};
  scene.grid.pressure.tolerance = 1e-9;
  const auto gas = make_gas(scene);
  for (int n = 0; n < 5; ++n)
    ASSERT_TRUE(gas->advance(falling()));
  for (const float v : read(*gas, Field::velocity))
    EXPECT_NEAR(v, 0, 1e-5);
  const std::vector<float> pressure = read(*gas, Field::pressure);
  // Equal up to a constant. A face at the layer's rim has half of the layer's smoke.
  const auto weight = [](double z) { return 0.6 * 9.81 * std::max(0.4 - z, 0.0); };
  const double at_floor = weight(0.025) - static_cast<double>(pressure[0]);
  for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3& x) {
    EXPECT_NEAR(pressure[i] + at_floor, weight(x.z()), 0.01) << x.z();
  });
}

TEST(Gas, fades_and_cools_as_e_to_the_minus_rate_times_time) {
  scene::Scene scene = closed_box({0.4, 0.4, 0.4}, 3);
  scene.gas->fading = 2;
  scene.gas->cooling = 0.5;
  scene::GasRegion all;
  all.shape = box(Vec3(-9, -9, -9), Vec3(9, 9, 9));
  all.content.smoke = 0.8;
  all.content.temperature = 400;
  all.content.dye = Vec3(0, 0.5, 1);
  scene.gas->regions = {all};
  const auto gas = make_gas(scene);
  double time = 0;
  for (const double h : {0.01, 0.3, 0.05, 0.14}) {
    ASSERT_TRUE(gas->advance(still(h, time)));
    time += h;
  }
  const double faded = std::exp(-2 * time), cooled = std::exp(-0.5 * time);
  for (const float smoke : read(*gas, Field::smoke))
    EXPECT_NEAR(smoke, 0.8 * faded, 1e-6);
  for (const float temperature : read(*gas, Field::temperature))
    EXPECT_NEAR(temperature, 293.15 + (400 - 293.15) * cooled, 1e-3);
  const std::vector<float> dye = read(*gas, Field::dye);
  EXPECT_EQ(dye[0], 0);
  EXPECT_NEAR(dye[1], 0.5 * faded, 1e-6);
  EXPECT_NEAR(dye[2], faded, 1e-6);
}

// In a wind that takes away what is there.
TEST(Gas, is_in_sources_as_told_while_they_are_open) {
  scene::Scene scene = closed_box({1, 0.8, 0.8}, 3);
  scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
  scene.gas->velocity = {1, 0, 0};
  scene::GasSource source;
  source.shape = sphere({0.3, 0.4, 0.4}, 0.15);
  source.content.smoke = 0.7;
  source.content.temperature = 350;
  source.open = {2 * frame, 5 * frame};
  scene.gas->sources = {source};
  const auto gas = make_gas(scene);
  for (int n = 0; n < 32; ++n) {
    ASSERT_TRUE(gas->advance(still(frame, n * frame)));
    const auto smoke = read(*gas, Field::smoke), temperature = read(*gas, Field::temperature);
    const auto dye = read(*gas, Field::dye);
    EXPECT_EQ(sum(dye), 0);
    if (n < 2) {
      EXPECT_EQ(sum(smoke), 0) << n;
    }
    float most = 0;
    for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3& x) {
      const bool is_within = (x - source.shape.translation).norm() < 0.15;
      if (is_within) most = std::max(most, smoke[i]);
      if (!is_within || n < 2 || n >= 5) return;
      EXPECT_EQ(smoke[i], 0.7F) << n;
      EXPECT_EQ(temperature[i], 350);
    });
    if (n > 30) {  // It is 0.3 m long; the wind went 0.43 m.
      EXPECT_LT(most, 0.02);
    }
  }
}

// A fan in a box that is open on both sides of it.
TEST(Gas, blows_from_sources_that_have_a_velocity) {
  scene::Scene scene = closed_box({1, 0.8, 0.8}, 2);
  scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
  scene::GasSource fan;
  fan.shape = box({0.4, 0, 0}, {0.6, 0.8, 0.8});
  fan.content.velocity = Vec3(2, 5, 0);
  scene.gas->sources = {fan};
  const auto gas = make_gas(scene);
  for (int n = 0; n < 60; ++n)
    ASSERT_TRUE(gas->advance(still()));
  const std::vector<float> velocity = read(*gas, Field::velocity);
  for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3&) {
    EXPECT_NEAR(velocity[3 * i], 2, 0.01);
    EXPECT_EQ(velocity[3 * i + 1], 0);
  });
}

// The weight of a stroke, by hand; as much in a frame, whatever its substeps; y is nothing in 2D.
TEST(Gas, takes_strokes) {
  for (const int dimensions : {2, 3}) {
    Stroke stroke;
    const double y = dimensions == 3 ? 0.4 : 77;
    stroke.from = {0.3, y, 0.3};
    stroke.to = {0.7, y, 0.5};
    stroke.radius = 0.2;
    stroke.content.smoke = 0.5;
    stroke.content.temperature = 300;
    scene::Scene scene = closed_box({1, 0.8, 0.8}, dimensions);
    scene::GasRegion all;
    all.shape = box(Vec3(-9, -9, -9), Vec3(9, 9, 9));
    all.content.smoke = 0.1;
    all.content.dye = Vec3(1, 2, 3);
    scene.gas->regions = {all};
    for (const int substeps : {1, 3}) {
      const auto gas = make_gas(scene);
      for (int n = 0; n < substeps; ++n) {
        gas->set_strokes(std::span(&stroke, 1), frame);
        ASSERT_TRUE(gas->advance(still(frame / substeps, n * frame / substeps)));
      }
      const auto smoke = read(*gas, Field::smoke), temperature = read(*gas, Field::temperature);
      const auto dye = read(*gas, Field::dye);
      double most = 0;
      for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3& middle) {
        Vec3 x = middle;
        if (dimensions == 2) x.y() = y;
        const Vec3 way = stroke.to - stroke.from;
        const double part = std::clamp((x - stroke.from).dot(way) / way.squaredNorm(), 0.0, 1.0);
        const double away = (x - stroke.from - part * way).norm() / stroke.radius;
        const double weight = away < 1 ? std::pow(1 - away * away, 2) : 0;
        most = std::max(most, weight);
        EXPECT_NEAR(smoke[i], 0.1 + weight * (0.5 - 0.1), 1e-6);
        EXPECT_NEAR(temperature[i], 293.15 + weight * (300 - 293.15), 1e-4);
        EXPECT_EQ(dye[3 * i + 1], 2);
      });
      EXPECT_GT(most, 0.9);
      EXPECT_EQ(gas->kinetic_energy(), 0);
    }
  }
}

// One that begins where it ends, of wind alone: smoke stays as it is; the gas goes where it is
// painted to, and back around.
TEST(Gas, takes_strokes_of_wind) {
  scene::Scene scene = closed_box({1, 0.8, 0.8}, 2);
  const auto gas = make_gas(scene);
  Stroke stroke;
  stroke.from = stroke.to = {0.5, 0.4, 0.4};
  stroke.radius = 0.2;
  stroke.content.velocity = Vec3(3, 3, 0);
  gas->set_strokes(std::span(&stroke, 1), frame);
  ASSERT_TRUE(gas->advance(still()));
  const auto velocity = read(*gas, Field::velocity);
  for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3& x) {
    EXPECT_EQ(velocity[3 * i + 1], 0);
    if (std::hypot(x.x() - 0.5, x.z() - 0.4) < 0.05) {
      EXPECT_GT(velocity[3 * i], 1);
    }
    if (std::abs(x.x() - 0.5) < 0.05 && std::abs(x.z() - 0.4) > 0.25) {
      EXPECT_LT(velocity[3 * i], 0);
    }
  });
  EXPECT_EQ(sum(read(*gas, Field::smoke)), 0);
}

// A push of all of the gas along a way that is open, for a substep.
TEST(Gas, goes_where_it_is_pushed) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = closed_box({1, 0.8, 0.8}, dimensions);
    scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
    const auto gas = make_gas(scene);
    // In 2D, a ball is a disc for all y.
    const bool is_flat = dimensions == 2;
    const Push push{{0.5, is_flat ? 50 : 0.4, 0.4}, 2, {3, is_flat ? 9.0 : 0.0, 0}};
    FluidActions actions = still(0.01);
    actions.pushes = std::span(&push, 1);
    ASSERT_TRUE(gas->advance(actions));
    const auto velocity = read(*gas, Field::velocity);
    for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3&) {
      EXPECT_NEAR(velocity[3 * i], 0.03, 1e-6);
      EXPECT_NEAR(velocity[3 * i + 1], 0, 1e-6);
      EXPECT_NEAR(velocity[3 * i + 2], 0, 1e-6);
    });
    // The gas may gain the same speed again: 0.06 m/s.
    EXPECT_NEAR(gas->stable_substep(0), 2 * 0.05 / 0.06, 1e-4);
  }
  // Out of its reach nothing is pushed: within a frame, the rest is what pressure passes on.
  scene::Scene scene = closed_box({1, 0.8, 0.8}, 2);
  const auto gas = make_gas(scene);
  const Push beside{{3, 0.4, 0.4}, 1, {3, 0, 0}};
  FluidActions actions = still();
  actions.pushes = std::span(&beside, 1);
  ASSERT_TRUE(gas->advance(actions));
  EXPECT_EQ(gas->kinetic_energy(), 0);
}

// All of the gas moves as one: its mass times the velocity, and half times its square; 1.2 kg/m^3
// in 0.64 m^3, whether it comes in by an inlet or as it is pressed.
TEST(Gas, has_the_momentum_and_the_energy_of_its_mass) {
  for (const int dimensions : {2, 3}) {
    for (const bool has_inlet : {false, true}) {
      scene::Scene scene = closed_box({1, 0.8, 0.8}, dimensions);
      scene.gas->velocity = {1.5, 0, 0};
      scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
      if (has_inlet) {
        scene.grid.sides[0][0] = scene::Side::wall;
        scene.grid.side_velocities[0][0].velocity = {1.5, 0, 0};
      }
      const auto gas = make_gas(scene);
      for (int n = 0; n < 2; ++n) {
        const double mass = 1.2 * 0.64;
        EXPECT_NEAR(gas->momentum().x(), mass * 1.5, 1e-5) << dimensions << has_inlet;
        EXPECT_NEAR(gas->momentum().z(), 0, 1e-5);
        EXPECT_NEAR(gas->kinetic_energy(), 0.5 * mass * 1.5 * 1.5, 1e-5);
        EXPECT_NEAR(gas->stable_substep(0), 2 * 0.05 / 1.5, 1e-6);
        ASSERT_TRUE(gas->advance(still()));
      }
    }
  }
}

// By an inlet, and by an open side, gas comes in as it is around: behind it goes what was there.
TEST(Gas, comes_in_as_it_is_around) {
  for (const bool has_inlet : {false, true}) {
    scene::Scene scene = closed_box({1, 0.8, 0.8}, 3);
    scene.gas->velocity = {1.5, 0, 0};
    scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
    if (has_inlet) {
      scene.grid.sides[0][0] = scene::Side::wall;
      scene.grid.side_velocities[0][0].velocity = {1.5, 0, 0};
    }
    scene::GasRegion all;
    all.shape = box(Vec3(-9, -9, -9), Vec3(9, 9, 9));
    all.content.smoke = 1;
    all.content.temperature = 400;
    scene.gas->regions = {all};
    const auto gas = make_gas(scene);
    for (int n = 0; n < 20; ++n)
      ASSERT_TRUE(gas->advance(still()));
    const auto smoke = read(*gas, Field::smoke), temperature = read(*gas, Field::temperature);
    const double way = 1.5 * 20 * frame;  // 0.5 m, and no sharper than some cells.
    for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3& x) {
      if (std::abs(x.x() - way) < 0.15) return;
      EXPECT_NEAR(smoke[i], x.x() < way ? 0 : 1, 0.01) << x.x();
      EXPECT_NEAR(temperature[i], x.x() < way ? 293.15 : 400, 1) << x.x();
    });
  }
}

// All that a gas can have and do.
scene::Scene everything(int dimensions) {
  scene::Scene scene = closed_box({1, 0.8, 1}, dimensions);
  stir(scene);
  scene.obstacles = {ball({0.4, 0.4, 0.5}, 0.15)};
  scene.obstacles[0].wall = scene::WallCondition::no_slip;
  scene.grid.wall = scene::WallCondition::no_slip;
  scene.grid.sides[0][1] = scene::Side::open;
  scene.grid.side_velocities[0][0] = {{0.5, 0, 0}, true};
  scene.gas->dynamic_viscosity = 0.01;
  scene.gas->vorticity_confinement = 0.5;
  scene.gas->smoke_density = 0.5;
  scene.gas->fading = 0.3;
  scene.gas->cooling = 0.2;
  scene::GasSource source;
  source.shape = box({0.1, 0.2, 0.1}, {0.3, 0.4, 0.3});
  source.content.smoke = 1;
  source.content.temperature = 600;
  source.open = {0, 0.05};
  scene.gas->sources = {source};
  return scene;
}

// After frame `n` of it, while the ball moves.
std::vector<scene::Obstacle> obstacles_at(const scene::Scene& scene, int n, bool moves) {
  std::vector<scene::Obstacle> obstacles = scene.obstacles;
  if (!moves) return obstacles;
  obstacles[0].velocity = {n < 4 ? 0.5 : 0, 0, 0.3};
  obstacles[0].shape.translation += frame * (n + 1) * Vec3(0.5, 0, 0.3);
  return obstacles;
}

// Frame `n`, while it is pushed and painted.
void advance(Gas& gas, const scene::Scene& scene, int n, bool moves = true) {
  gas.set_obstacles(obstacles_at(scene, n, moves));
  const Push push{{0.6, 0.4, 0.6}, 0.3, {3, 1, 20}};
  Stroke stroke{{0.2, 0.4, 0.8}, {0.8, 0.4, 0.7}, 0.2, {}};
  stroke.content.velocity = Vec3(1, 0, -1);
  stroke.content.dye = Vec3(1, 0.5, 0);
  FluidActions actions = falling(n % 3 == 0 ? frame : frame / 2, n * frame);
  actions.pushes = std::span(&push, 1);
  gas.set_strokes(std::span(&stroke, n > 1 ? 1U : 0U), frame);
  ASSERT_TRUE(gas.advance(actions));
}

std::vector<float> all_of(const Gas& gas) {
  std::vector<float> all;
  for (const Field field :
       {Field::smoke, Field::temperature, Field::dye, Field::velocity, Field::pressure}) {
    const std::vector<float> values = read(gas, field);
    all.insert(all.end(), values.begin(), values.end());
  }
  all.push_back(static_cast<float>(gas.stable_substep(0)));
  return all;
}

TEST(Gas, of_any_number_of_threads_has_the_same_bits) {
  for (const int dimensions : {2, 3}) {
    const scene::Scene scene = everything(dimensions);
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2, 3}) {
      parallel::ThreadLimit limit(threads);
      limit.run([&] {
        const auto gas = make_gas(scene);
        for (int n = 0; n < 6; ++n)
          advance(*gas, scene, n);
        results.push_back(all_of(*gas));
      });
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
}

// Saved at every step, into a new gas or one that has gone on; while the ball moves, and with one
// that never does.
TEST(Gas, goes_on_with_the_same_bits_where_it_was_saved) {
  for (const int dimensions : {2, 3}) {
    for (const bool moves : {false, true}) {
      const scene::Scene scene = everything(dimensions);
      const auto whole = make_gas(scene);
      auto cut = make_gas(scene);
      for (int n = 0; n < 6; ++n) {
        advance(*whole, scene, n, moves);
        ByteWriter out;
        cut->save(out);
        const std::vector<std::byte> bytes = out.take();
        if (n % 2 == 0) {
          cut = make_gas(scene);
        } else {
          advance(*cut, scene, n + 3, moves);
        }
        cut->set_obstacles(obstacles_at(scene, n - 1, moves && n > 0));
        ByteReader in(bytes);
        ASSERT_TRUE(cut->restore(in));
        EXPECT_TRUE(in.is_at_end());
        advance(*cut, scene, n, moves);
        EXPECT_EQ(all_of(*cut), all_of(*whole)) << n;
      }
    }
  }
}

TEST(Gas, is_not_restored_from_other_bytes) {
  const auto gas = make_gas(everything(2));
  ByteWriter out;
  gas->save(out);
  const std::vector<std::byte> bytes = out.take();
  const std::size_t most = bytes.size();
  for (const std::size_t size : {std::size_t{0}, std::size_t{9}, most / 3, most - 1}) {
    ByteReader in(std::span<const std::byte>(bytes).first(size));
    EXPECT_FALSE(make_gas(everything(2))->restore(in)) << size;
  }
  ByteReader in(bytes);
  EXPECT_FALSE(make_gas(closed_box({2, 0.8, 1}, 2))->restore(in));
}

TEST(Gas, tells_when_it_is_no_longer_finite) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = closed_box({1, 0.8, 0.8}, dimensions);
    const auto gas = make_gas(scene);
    const Push push{{0.5, 0.4, 0.4}, 0.3, {1e300, 0, 0}};
    FluidActions actions = still();
    actions.pushes = std::span(&push, 1);
    EXPECT_FALSE(gas->advance(actions));
    EXPECT_TRUE(std::isnan(gas->stable_substep(0)));
  }
}

// A plunger that goes down a shaft, over one that is open below: what it takes up goes out.
// A ball, and a gust with smoke beside it, in a wind, in a row of boxes without end: where they are
// shifted by `shift` [cells], all else is.
scene::Scene endless(int dimensions, const std::array<int, 3>& shift) {
  const int cells = dimensions == 2 ? 64 : 32;
  const double cell = 0.05, edge = cells * cell;
  scene::Scene scene = closed_box({edge, dimensions == 2 ? cell : edge, edge}, dimensions);
  scene.grid.pressure.tolerance = 1e-7;
  const Vec3 by = cell * Vec3(shift[0], dimensions == 2 ? 0 : shift[1], shift[2]);
  for (const std::size_t axis : {0U, 1U, 2U}) {
    if (axis != 1 || dimensions == 3)
      scene.grid.sides[axis] = {scene::Side::periodic, scene::Side::periodic};
  }
  scene.gas->velocity = {2, dimensions == 2 ? 0.0 : -1, 1};
  const double middle = dimensions == 2 ? 0.5 * cell : 0.5;
  scene::GasContent gust;
  gust.velocity = Vec3(0, 0, 4);
  gust.smoke = 1;
  scene.gas->regions = {{box(Vec3(0.31, dimensions == 2 ? 0 : 0.11, 0.31) + by,
                             Vec3(0.59, dimensions == 2 ? cell : 0.59, 0.49) + by),
                         gust}};
  scene.obstacles.resize(1);
  scene.obstacles[0].name = "ball";
  scene.obstacles[0].shape = sphere(Vec3(0.75, middle, 0.65) + by, 0.16);
  return scene;
}

TEST(Gas, without_end_is_the_same_from_wherever_it_is_seen) {
  for (const int dimensions : {2, 3}) {
    const std::array<int, 3> shift{13, dimensions == 2 ? 0 : 9, 11};
    const auto here = make_gas(endless(dimensions, {})),
               there = make_gas(endless(dimensions, shift));
    for (int n = 0; n < 30; ++n) {
      ASSERT_TRUE(here->advance(still()));
      ASSERT_TRUE(there->advance(still()));
    }
    const std::array<std::int32_t, 3> counts = here->lattice().counts;
    for (const Field field : {Field::velocity, Field::smoke}) {
      const std::vector<float> a = read(*here, field), b = read(*there, field);
      const std::size_t components =
          a.size() / static_cast<std::size_t>(here->lattice().cell_count());
      float largest = 0;
      for (const float value : a)
        largest = std::max(largest, std::abs(value));
      for (std::int32_t z = 0; z < counts[2]; ++z) {
        for (std::int32_t y = 0; y < counts[1]; ++y) {
          for (std::int32_t x = 0; x < counts[0]; ++x) {
            const auto index = [&](std::int32_t i, std::int32_t j, std::int32_t k) {
              const std::int32_t row = (k % counts[2]) * counts[1] + j % counts[1];
              return static_cast<std::size_t>(row * counts[0] + i % counts[0]) * components;
            };
            for (std::size_t c = 0; c < components; ++c)
              ASSERT_NEAR(a[index(x, y, z) + c],
                          b[index(x + shift[0], y + shift[1], z + shift[2]) + c], 1e-4F * largest);
          }
        }
      }
    }
  }
}

TEST(Gas, without_end_keeps_its_momentum) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = endless(dimensions, {});
    scene.obstacles.clear();
    const auto gas = make_gas(scene);
    const Vec3 before = gas->momentum();
    for (int n = 0; n < 20; ++n)
      ASSERT_TRUE(gas->advance(still()));
    EXPECT_LT((gas->momentum() - before).norm(), 2e-3 * before.norm());
  }
}

TEST(Gas, without_end_has_the_same_pressure_by_all_preconditioners) {
  scene::Scene scene = endless(2, {});
  scene.grid.pressure.tolerance = 1e-9;
  scene.grid.pressure.max_iterations = 10'000;
  std::vector<std::vector<float>> found;
  for (const auto kind :
       {scene::Preconditioner::multigrid, scene::Preconditioner::incomplete_cholesky,
        scene::Preconditioner::jacobi}) {
    scene.grid.pressure.preconditioner = kind;
    const auto gas = make_gas(scene);
    ASSERT_TRUE(gas->advance(still()));
    found.push_back(read(*gas, Field::velocity));
    const int most = kind == scene::Preconditioner::multigrid ? 25 : 1000;
    EXPECT_LT(gas->pressure_report().iterations, most);
  }
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    ASSERT_NEAR(found[1][i], found[0][i], 1e-4);
    ASSERT_NEAR(found[2][i], found[0][i], 1e-4);
  }
}

TEST(Gas, makes_way_for_what_moves) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = closed_box({0.8, 0.8, 1.2}, dimensions);
    scene.grid.sides[2][0] = scene::Side::open;
    scene::Obstacle plunger;
    plunger.name = "plunger";
    plunger.shape = box({-9, -9, 0.83}, {9, 9, 9});
    scene.obstacles = {plunger};
    const auto gas = make_gas(scene);
    plunger.velocity = {0, 0, -0.6};
    for (int n = 0; n < 20; ++n) {
      plunger.shape.translation += frame * plunger.velocity;
      gas->set_obstacles(std::span(&plunger, 1));
      ASSERT_TRUE(gas->advance(still(frame, n * frame)));
    }
    const auto velocity = read(*gas, Field::velocity);
    int below = 0;
    for_each_cell(gas->lattice(), [&](std::size_t i, const Vec3& x) {
      if (x.z() > 0.83 - 20 * frame * 0.6 - 0.1) return;
      EXPECT_NEAR(velocity[3 * i + 2], -0.6, 1e-3);
      ++below;
    });
    EXPECT_GT(below, 50);
  }
}

}  // namespace
}  // namespace sluice::fluid
