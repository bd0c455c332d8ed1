// SPDX-License-Identifier: Apache-2.0
// Gases in two dimensions. Oracles: Taylor and Green's vortex, Ghia's cavity, Schaefer and Turek's
// cylinder, Zalesak's disc, Benjamin's gravity current, how plumes and thermals start. Thermals in
// three dimensions, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "solver/fluid/gas.h"
#include "solver/fluid/gas/gas_box.h"
#include "solver/fluid/gas/gas_step.h"
#include "solver/fluid/gas/semi_lagrangian.h"
#include "solver/parallel/thread_limit.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::gas_test {
namespace {

using grid::Cell;

// A sheet of gas of 1 kg/m^3, without gravity.
scene::Scene sheet(const Vec3& size, double cell, double viscosity) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = size;
  scene.gravity = Vec3::Zero();
  scene.grid.cell_size = cell;
  scene.grid.dimensions = 2;
  scene.grid.cfl = 2;
  scene.gas.emplace();
  scene.gas->name = "air";
  scene.gas->density = 1;
  scene.gas->dynamic_viscosity = viscosity;
  return scene;
}

// Calls visit(time) after each substep until `end`.
void run(Gas& gas, const Vec3& gravity, double end, const std::function<void(double)>& visit = {}) {
  for (double time = 0; time < end;) {
    const double h = std::min({gas.stable_substep(0), 0.1, end - time});
    ASSERT_TRUE(gas.advance({.duration = h, .time = time, .gravity = gravity, .pushes = {}}));
    time += h;
    if (visit) visit(time);
  }
}

// A field of a sheet, linear between cells' middles.
class Probe {
 public:
  Probe(const Gas& gas, Field field)
      : lattice_(gas.lattice()),
        components_(static_cast<std::size_t>(component_count(field))),
        values_(static_cast<std::size_t>(lattice_.cell_count()) * components_) {
    gas.read(field, values_);
  }

  [[nodiscard]] double at(double x, double z, std::size_t component = 0) const {
    const double X = (x - lattice_.lower.x()) / lattice_.edges.x() - 0.5;
    const double Z = (z - lattice_.lower.z()) / lattice_.edges.z() - 0.5;
    const auto i = static_cast<std::size_t>(std::clamp(X, 0.0, lattice_.counts[0] - 2.0));
    const auto k = static_cast<std::size_t>(std::clamp(Z, 0.0, lattice_.counts[2] - 2.0));
    const double a = X - static_cast<double>(i), b = Z - static_cast<double>(k);
    const auto value = [&](std::size_t column, std::size_t row) {
      const std::size_t cell = row * static_cast<std::size_t>(lattice_.counts[0]) + column;
      return static_cast<double>(values_[cell * components_ + component]);
    };
    return (1 - b) * ((1 - a) * value(i, k) + a * value(i + 1, k)) +
           b * ((1 - a) * value(i, k + 1) + a * value(i + 1, k + 1));
  }

 private:
  CellLattice lattice_;
  std::size_t components_;
  std::vector<float> values_;
};

struct Vortex {
  double error, energy;  // Relative to the speeds and the energy at the start.
};

void advance_a_second(int count, grid::GasStep<2>& step) {
  for (int i = 0; i < count; ++i) {
    step.advance({.duration = 1.0 / count,
                  .time = static_cast<double>(i) / count,
                  .frame_duration = 1,
                  .gravity = Vec3::Zero(),
                  .pushes = {},
                  .strokes = {}});
  }
}

// A quarter of Taylor and Green's vortex, between walls that slip, a second later.
Vortex run_vortex(std::int32_t cells, double viscosity, double cfl) {
  constexpr double pi = std::numbers::pi;
  grid::GasSettings<2> settings;
  settings.frame.cell_size = 1.0F / static_cast<float>(cells);
  settings.sides.cells = {cells, cells};
  settings.sides.is_wall = {{{true, true}, {true, true}}};
  settings.gas.density = 1;
  settings.gas.dynamic_viscosity = viscosity;
  grid::GasStep<2> step(settings);
  const auto exact = [&](const Vec3& x) {
    return Vec3(std::sin(pi * x.x()) * std::cos(pi * x.z()), 0,
                -std::cos(pi * x.x()) * std::sin(pi * x.z()));
  };
  step.start(exact);
  advance_a_second(static_cast<int>(std::ceil(static_cast<double>(cells) / cfl)), step);
  const double decay = std::exp(-2 * pi * pi * viscosity);
  double squared = 0, energy = 0, at_start = 0;
  for (std::int32_t k = 0; k < cells; ++k) {
    for (std::int32_t i = 1; i < cells; ++i) {
      const auto speed =
          static_cast<double>(step.grid().velocity[0][step.grid().tiles.find_cell(Cell<2>{i, k})]);
      const double before = exact({i / static_cast<double>(cells), 0, (k + 0.5) / cells}).x();
      squared += (speed - decay * before) * (speed - decay * before);
      energy += speed * speed;
      at_start += before * before;
    }
  }
  return {std::sqrt(squared / at_start), energy / at_start};
}

// The whole vortex, in a row without end along both axes, carried along by a wind: after a second
// it is where it was, and weaker. Error relative to its speed at the start.
double error_of_carried_vortex(std::int32_t cells, double viscosity) {
  constexpr double k = 2 * std::numbers::pi;
  const Vec3 wind(1, 0, 2);  // [m/s] Whole lengths of the box in the second.
  grid::GasSettings<2> settings;
  settings.frame.cell_size = 1.0F / static_cast<float>(cells);
  settings.sides.cells = {cells, cells};
  settings.sides.is_wall = {};
  settings.sides.is_periodic = {true, true};
  settings.gas.density = 1;
  settings.gas.dynamic_viscosity = viscosity;
  grid::GasStep<2> step(settings);
  const auto vortex = [&](const Vec3& x) {
    return Vec3(std::sin(k * x.x()) * std::cos(k * x.z()), 0,
                -std::cos(k * x.x()) * std::sin(k * x.z()));
  };
  step.start([&](const Vec3& x) -> Vec3 { return wind + vortex(x); });
  advance_a_second(2 * cells, step);
  const double decay = std::exp(-2 * k * k * viscosity);
  double squared = 0, at_start = 0;
  for (std::int32_t z = 0; z < cells; ++z) {
    for (std::int32_t x = 0; x < cells; ++x) {
      const auto speed =
          static_cast<double>(step.grid().velocity[0][step.grid().tiles.find_cell(Cell<2>{x, z})]);
      const double exact = vortex({x / static_cast<double>(cells), 0, (z + 0.5) / cells}).x();
      squared += std::pow(speed - wind.x() - decay * exact, 2);
      at_start += exact * exact;
    }
  }
  return std::sqrt(squared / at_start);
}

TEST(TaylorGreen, goes_around_with_the_wind_to_second_order) {
  parallel::ThreadLimit limit(1);
  limit.run([] {
    for (const double viscosity : {0.0, 0.002}) {
      const double coarse = error_of_carried_vortex(32, viscosity);
      const double fine = error_of_carried_vortex(64, viscosity);
      EXPECT_LT(fine, 0.035) << viscosity;
      EXPECT_GT(coarse, 3.2 * fine) << viscosity;
      RecordProperty(viscosity > 0 ? "viscous" : "inviscid",
                     std::to_string(coarse) + " " + std::to_string(fine));
    }
  });
}

TEST(TaylorGreen, stands_without_viscosity_to_second_order) {
  parallel::ThreadLimit limit(1);
  limit.run([] {
    const Vortex coarse = run_vortex(32, 0, 1), fine = run_vortex(64, 0, 1);
    EXPECT_LT(fine.error, 8e-4);
    EXPECT_GT(coarse.error, 3.5 * fine.error);
    EXPECT_NEAR(run_vortex(128, 0, 2).energy, 1, 2e-3);
  });
}

TEST(TaylorGreen, decays_as_fast_as_viscosity_takes_it) {
  parallel::ThreadLimit limit(1);
  limit.run([] {
    constexpr double viscosity = 0.01;
    const double rate = 4 * std::numbers::pi * std::numbers::pi * viscosity;
    const Vortex vortex = run_vortex(64, viscosity, 0.5);
    EXPECT_LT(vortex.error, 2e-4);
    EXPECT_NEAR(-std::log(vortex.energy) / rate, 1, 2e-3);
  });
}

struct Row {
  double place;
  std::array<double, 3> velocity;  // At Reynolds numbers of 100, 400 and 1000.
};

// [Ghia1982], Table I: u on x = 0.5 by z.
constexpr std::array on_vertical{
    Row{0.9766, {0.84123, 0.75837, 0.65928}},   Row{0.9688, {0.78871, 0.68439, 0.57492}},
    Row{0.9609, {0.73722, 0.61756, 0.51117}},   Row{0.9531, {0.68717, 0.55892, 0.46604}},
    Row{0.8516, {0.23151, 0.29093, 0.33304}},   Row{0.7344, {0.00332, 0.16256, 0.18719}},
    Row{0.6172, {-0.13641, 0.02135, 0.05702}},  Row{0.5, {-0.20581, -0.11477, -0.0608}},
    Row{0.4531, {-0.2109, -0.17119, -0.10648}}, Row{0.2813, {-0.15662, -0.32726, -0.27805}},
    Row{0.1719, {-0.1015, -0.24299, -0.38289}}, Row{0.1016, {-0.06434, -0.14612, -0.2973}},
    Row{0.0703, {-0.04775, -0.10338, -0.2222}}, Row{0.0625, {-0.04192, -0.09266, -0.20196}},
    Row{0.0547, {-0.03717, -0.08186, -0.18109}}};

// Table II: v on z = 0.5 by x. -0.23827 at 400 is a known misprint.
constexpr std::array on_horizontal{
    Row{0.9688, {-0.05906, -0.12146, -0.21388}}, Row{0.9609, {-0.07391, -0.15663, -0.27669}},
    Row{0.9531, {-0.08864, -0.19254, -0.33714}}, Row{0.9453, {-0.10313, -0.22847, -0.39188}},
    Row{0.9063, {-0.16914, -0.23827, -0.5155}},  Row{0.8594, {-0.22445, -0.44993, -0.42665}},
    Row{0.8047, {-0.24533, -0.38598, -0.31966}}, Row{0.5, {0.05454, 0.05186, 0.02526}},
    Row{0.2344, {0.17527, 0.30174, 0.32235}},    Row{0.2266, {0.17507, 0.30203, 0.33075}},
    Row{0.1563, {0.16077, 0.28124, 0.37095}},    Row{0.0938, {0.12317, 0.22965, 0.32627}},
    Row{0.0781, {0.1089, 0.2092, 0.30353}},      Row{0.0703, {0.10091, 0.19713, 0.29012}},
    Row{0.0625, {0.09233, 0.1836, 0.27485}}};
constexpr double misprint = -0.23827;

struct Cavity {
  std::size_t column;  // The column in the tables.
  double reynolds, end;
  // Extremes on both lines, of finer methods: Botella and Peyret 1998; Marchi et al. 2009.
  double least_u, least_v;
};

class LidDrivenCavity : public testing::TestWithParam<Cavity> {};

TEST_P(LidDrivenCavity, has_ghias_centrelines) {
  const Cavity& cavity = GetParam();
  constexpr int cells = 128;
  scene::Scene scene = sheet({1, 0.1, 1}, 1.0 / cells, 1 / cavity.reynolds);
  scene.grid.wall = scene::WallCondition::no_slip;
  scene.grid.side_velocities[2][1].velocity = Vec3::UnitX();
  parallel::ThreadLimit limit(1);
  limit.run([&] {
    const auto gas = make_gas(scene);
    run(*gas, Vec3::Zero(), cavity.end);
    const Probe velocity(*gas, Field::velocity);
    double worst_u = 0, worst_v = 0, least_u = 0, least_v = 0;
    for (const Row& row : on_vertical) {
      const double found = velocity.at(0.5, row.place, 0);
      worst_u = std::max(worst_u, std::abs(found - row.velocity[cavity.column]));
    }
    for (const Row& row : on_horizontal) {
      const double expected = row.velocity[cavity.column];
      if (expected == misprint) continue;
      worst_v = std::max(worst_v, std::abs(velocity.at(row.place, 0.5, 2) - expected));
    }
    for (double place = 0; place < 1; place += 0.25 / cells) {
      least_u = std::min(least_u, velocity.at(0.5, place, 0));
      least_v = std::min(least_v, velocity.at(place, 0.5, 2));
    }
    // At a Reynolds number of 100, one of Ghia's values, at 0.8516, is off by as much.
    EXPECT_LT(worst_u, cavity.reynolds > 100 ? 0.005 : 0.006);
    // Where Ghia's v is short of that of finer methods, by up to 0.012 at its extreme, so it is of
    // this one.
    EXPECT_LT(worst_v, 0.013);
    EXPECT_NEAR(least_u / cavity.least_u, 1, 0.02);
    EXPECT_NEAR(least_v / cavity.least_v, 1, 0.02);
    RecordProperty("worst_u", std::to_string(worst_u));
    RecordProperty("worst_v", std::to_string(worst_v));
  });
}

INSTANTIATE_TEST_SUITE_P(ByReynoldsNumber, LidDrivenCavity,
                         testing::Values(Cavity{0, 100, 15, -0.21404, -0.25380},
                                         Cavity{1, 400, 30, -0.32873, -0.45406},
                                         Cavity{2, 1000, 50, -0.38857, -0.52708}),
                         [](const auto& cavity) {
                           return std::to_string(static_cast<int>(cavity.param.reynolds));
                         });

// A channel with a parabola of `fastest` m/s at its inlet.
scene::Scene channel(const Vec3& size, double cell, double viscosity, double fastest) {
  scene::Scene scene = sheet(size, cell, viscosity);
  scene.grid.wall = scene::WallCondition::no_slip;
  scene.grid.side_velocities[0][0] = {Vec3(fastest, 0, 0), true};
  scene.grid.sides[0][1] = scene::Side::open;
  return scene;
}

TEST(Channel, keeps_the_poiseuille_flow_of_its_inlet) {
  constexpr double viscosity = 0.1, fastest = 1, height = 1, length = 3;
  parallel::ThreadLimit limit(1);
  limit.run([&] {
    const auto gas = make_gas(channel({length, 0.1, height}, height / 32, viscosity, fastest));
    run(*gas, Vec3::Zero(), 10);
    const Probe velocity(*gas, Field::velocity), pressure(*gas, Field::pressure);
    for (double z = 0.05; z < height; z += 0.1) {
      const double parabola = 4 * fastest * z * (height - z) / (height * height);
      EXPECT_NEAR(velocity.at(2, z, 0), parabola, 0.005 * fastest);
      EXPECT_NEAR(velocity.at(2, z, 2), 0, 0.002 * fastest);
    }
    const double slope = (pressure.at(1, 0.5) - pressure.at(2, 0.5));
    EXPECT_NEAR(slope, 8 * viscosity * fastest / (height * height), 0.01 * slope);
  });
}

// DFG's benchmarks 2D-1 and 2D-2 [Schaefer1996]: 20 cells across the cylinder.
scene::Scene cylinder(double fastest) {
  scene::Scene scene = channel({2.2, 0.1, 0.41}, 0.005, 1e-3, fastest);
  scene::Obstacle& obstacle = scene.obstacles.emplace_back();
  obstacle.name = "cylinder";
  obstacle.shape.form = geometry::Cylinder{0.05, 1};
  obstacle.shape.rotation =
      Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix();
  obstacle.shape.translation = Vec3(0.2, 0.05, 0.2);
  obstacle.wall = scene::WallCondition::no_slip;
  return scene;
}

TEST(Cylinder, has_the_wake_of_schaefer_and_turek) {
  parallel::ThreadLimit limit(1);
  limit.run([] {
    scene::Scene scene = cylinder(0.3);
    const auto gas = make_gas(scene);
    run(*gas, Vec3::Zero(), 5);
    const Probe velocity(*gas, Field::velocity);
    double end = 0.26;
    while (velocity.at(end, 0.2, 0) < 0)
      end += 1e-4;
    // 0.0842 to 0.0852.
    EXPECT_NEAR(end - 0.25, 0.0847, 0.0015);
  });
}

TEST(Cylinder, sheds_vortices_as_often_as_schaefer_and_tureks) {
  parallel::ThreadLimit limit(1);
  limit.run([] {
    constexpr double mean = 1, diameter = 0.1;
    scene::Scene scene = cylinder(1.5 * mean);
    scene.grid.cfl = 1;
    const auto gas = make_gas(scene);
    std::vector<double> crossings;
    double before = 0, last = 0;
    run(*gas, Vec3::Zero(), 7, [&](double time) {
      const double across = Probe(*gas, Field::velocity).at(0.4, 0.2, 2);
      if (time > 4.5 && before < 0 && across >= 0)
        crossings.push_back(last + (time - last) * before / (before - across));
      before = across;
      last = time;
    });
    ASSERT_GT(crossings.size(), 5U);
    const double frequency =
        static_cast<double>(crossings.size() - 1) / (crossings.back() - crossings.front());
    const double strouhal = frequency * diameter / mean;
    EXPECT_GT(strouhal, 0.295);
    EXPECT_LT(strouhal, 0.305);
    RecordProperty("strouhal", std::to_string(strouhal));
  });
}

// The part of Zalesak's disc that is on the wrong side of 1/2 after a turn.
double misplaced_of_disc(std::int32_t cells, scene::Advection method) {
  const grid::CellFrame<2> frame{1.0F / static_cast<float>(cells), Vec3f::Zero()};
  const grid::GasBox<2> box(grid::Sides<2>{{cells, cells}, {{{true, true}, {true, true}}}});
  grid::MacGrid<2> flow;
  flow.tiles = box.tiles();
  for (auto& velocity : flow.velocity)
    velocity.assign(flow.tiles.array_size(), 0);
  grid::Array<float> disc(flow.tiles.array_size(), 0);
  grid::Array<std::uint8_t> is_inside(flow.tiles.array_size(), 0);
  const auto is_disc = [](double x, double z) {
    const bool is_slot = std::abs(x - 0.5) < 0.025 && z < 0.85;
    return std::hypot(x - 0.5, z - 0.75) < 0.15 && !is_slot;
  };
  for (std::size_t i = 0; i < flow.tiles.count() * grid::tile_size<2>; ++i) {
    const Cell<2> cell = flow.tiles.cell(i);
    const double x = (cell[0] + 0.5) / cells, z = (cell[1] + 0.5) / cells;
    flow.velocity[0][i] = static_cast<float>(0.5 - z);
    flow.velocity[1][i] = static_cast<float>(x - 0.5);
    if (x < 0 || x > 1 || z < 0 || z > 1) continue;
    is_inside[i] = 1;
    constexpr int samples = 8;
    for (int a = 0; a < samples; ++a) {
      for (int b = 0; b < samples; ++b) {
        const double dx = ((a + 0.5) / samples - 0.5) / cells;
        const double dz = ((b + 0.5) / samples - 0.5) / cells;
        disc[i] += is_disc(x + dx, z + dz) ? 1.0F / (samples * samples) : 0.0F;
      }
    }
  }
  const grid::Array<float> before = disc;
  grid::SemiLagrangian<2> advection(frame, {{cells, cells}, {}});
  const int steps = static_cast<int>(std::numbers::pi * cells);  // A cell at the rim.
  const auto h = static_cast<float>(2 * std::numbers::pi / steps);
  const grid::Advected advected{grid::Advected::in_middles, &is_inside, &disc};
  for (int i = 0; i < steps; ++i)
    advection.carry(flow, method, h, std::span(&advected, 1));
  double wrong = 0, area = 0;
  for (std::size_t i = 0; i < disc.size(); ++i) {
    wrong += (disc[i] > 0.5F) != (before[i] > 0.5F) ? 1 : 0;
    area += before[i] > 0.5F ? 1 : 0;
  }
  return wrong / area;
}

TEST(ZalesaksDisc, keeps_its_slot) {
  parallel::ThreadLimit limit(1);
  limit.run([] {
    EXPECT_LT(misplaced_of_disc(100, scene::Advection::cubic), 0.08);
    EXPECT_LT(misplaced_of_disc(200, scene::Advection::cubic), 0.015);
    // The slot is 5 cells wide.
    EXPECT_LT(misplaced_of_disc(200, scene::Advection::maccormack), 0.4);
    EXPECT_GT(misplaced_of_disc(100, scene::Advection::semi_lagrangian), 0.6);
  });
}

// Cold gas under warm gas that it changes places with: the front on the floor has a Froude number
// of 0.5 without friction [Benjamin1968], and of 0.40 to 0.48 with it.
TEST(LockExchange, has_benjamins_front) {
  constexpr double height = 1, length = 6, lightness = 0.02, gravity = 10;
  scene::Scene scene = sheet({length, 0.1, height}, height / 64, 1e-4);
  scene.grid.wall = scene::WallCondition::no_slip;
  scene.gas->carries = {scene::Carried::temperature};
  scene::GasRegion& cold = scene.gas->regions.emplace_back();
  cold.shape.form = geometry::Box{Vec3(0.5 * length, 1, height)};
  cold.content.temperature = scene.gas->ambient_temperature / (1 + lightness);
  parallel::ThreadLimit limit(1);
  limit.run([&] {
    const auto gas = make_gas(scene);
    const double between = scene.gas->ambient_temperature / (1 + 0.5 * lightness);
    const auto front = [&] {
      const Probe temperature(*gas, Field::temperature);
      double x = length;
      while (temperature.at(x, 0.06 * height) > between)
        x -= 0.01;
      return x;
    };
    const double speed = std::sqrt(gravity * lightness * height);
    double first = 0, first_time = 0;
    const double end = 2.2 * height / (0.45 * speed);
    run(*gas, Vec3(0, 0, -gravity), end, [&](double time) {
      if (first > 0 || time < 0.4 * end) return;
      first = front();
      first_time = time;
    });
    const double froude = (front() - first) / (end - first_time) / speed;
    EXPECT_GT(froude, 0.40);
    EXPECT_LT(froude, 0.50);
    RecordProperty("froude", std::to_string(froude));
  });
}

// Warm gas that is let go in the shape of a ball pushes as much gas aside as half of it, and of a
// cylinder as much as it is itself: it starts with 2/3 and 1/2 of its buoyancy, everywhere in it
// [Lamb1932, sections 68 and 92].
class Thermal : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, Thermal, testing::Values(2, 3),
                         [](const auto& of) { return std::to_string(of.param); });

TEST_P(Thermal, starts_with_all_that_it_pushes_aside) {
  const int dimensions = GetParam();
  constexpr double lightness = 0.02, gravity = 10, end = 0.1;
  const double cell = 1.0 / (dimensions == 2 ? 128 : 64), radius = 8 * cell;
  scene::Scene scene = sheet({1, dimensions == 2 ? 0.1 : 1, 1}, cell, 0);
  scene.grid.dimensions = dimensions;
  scene.gas->carries = {scene::Carried::temperature};
  scene::GasRegion& warm = scene.gas->regions.emplace_back();
  warm.shape.form = geometry::Sphere{radius};
  warm.shape.translation = Vec3(0.5, dimensions == 2 ? 0.05 : 0.5, 0.5);
  warm.content.temperature = scene.gas->ambient_temperature / (1 - lightness);
  parallel::ThreadLimit limit(1);
  limit.run([&] {
    const auto gas = make_gas(scene);
    run(*gas, Vec3(0, 0, -gravity), end);
    const CellLattice& lattice = gas->lattice();
    std::vector<float> velocities(static_cast<std::size_t>(lattice.cell_count()) * 3);
    gas->read(Field::velocity, velocities);
    const double expected =
        (dimensions == 2 ? 1.0 / 2 : 2.0 / 3) * gravity * lightness * end;  // [m/s]
    double mean = 0, farthest = 0;
    int count = 0;
    for (std::size_t i = 0; 3 * i < velocities.size(); ++i) {
      const auto at = static_cast<std::int32_t>(i);
      const std::int32_t row = at / lattice.counts[0], layer = row / lattice.counts[1];
      const Vec3 middle(at % lattice.counts[0] + 0.5, row % lattice.counts[1] + 0.5, layer + 0.5);
      const Vec3 x = lattice.lower + lattice.edges.cwiseProduct(middle);
      if ((x - warm.shape.translation).norm() > radius - 3 * cell) continue;
      const auto speed = static_cast<double>(velocities[3 * i + 2]);
      mean += speed;
      farthest = std::max(farthest, std::abs(speed - expected));
      ++count;
    }
    mean /= count;
    // Walls hold back a hundredth.
    EXPECT_NEAR(mean, expected, 0.02 * expected);
    EXPECT_LT(farthest, 0.06 * expected);
    RecordProperty("over_theory", std::to_string(mean / expected));
  });
}

// A plume that starts from a line has nothing but its flux of buoyancy F [m^3/s^3] to go by: its
// front is at c F^(1/3) t, at the same speed at all heights, where a thermal slows down. It is
// slower than the middle of a steady one, 1.80 F^(1/3) [Rouse1952]; that of a plume from a point
// is by 0.61 [Turner1962], and in two dimensions less is mixed in.
TEST(Plume, rises_at_the_speed_of_its_buoyancy) {
  constexpr double lightness = 0.02, gravity = 10, cell = 1.0 / 256;
  scene::Scene scene = sheet({192 * cell, 0.1, 1}, cell, 0);
  scene.gas->carries = {scene::Carried::temperature};
  scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
  scene.grid.sides[2][1] = scene::Side::open;
  scene::GasSource& source = scene.gas->sources.emplace_back();
  source.shape.form = geometry::Box{Vec3(2 * cell, 1, 1.5 * cell)};
  // Off the middle, so that it can get unsteady and mix.
  source.shape.translation = Vec3(96.3 * cell, 0.05, 8 * cell);
  source.content.temperature = scene.gas->ambient_temperature / (1 - lightness);
  source.content.velocity = Vec3(0, 0, 0.25);
  struct Sample {
    double time, front, buoyancy;
  };
  std::vector<Sample> samples;
  parallel::ThreadLimit limit(1);
  limit.run([&] {
    const auto gas = make_gas(scene);
    const CellLattice lattice = gas->lattice();
    std::vector<float> temperatures(static_cast<std::size_t>(lattice.cell_count()));
    run(*gas, Vec3(0, 0, -gravity), 6.8, [&](double time) {
      if (time < 2) return;
      gas->read(Field::temperature, temperatures);
      Sample& sample = samples.emplace_back(Sample{time, 0, 0});
      for (std::size_t i = 0; i < temperatures.size(); ++i) {
        const double buoyancy =
            gravity * (1 - scene.gas->ambient_temperature / static_cast<double>(temperatures[i]));
        sample.buoyancy += buoyancy * cell * cell;
        const std::size_t row = i / static_cast<std::size_t>(lattice.counts[0]);
        if (buoyancy > 0.005 * gravity * lightness)
          sample.front = (static_cast<double>(row) + 0.5) * cell;
      }
    });
  });
  // By least squares of the logarithms: height above the source as a power of the time.
  double t = 0, z = 0, tt = 0, tz = 0;
  for (const Sample& sample : samples) {
    const double log_t = std::log(sample.time);
    const double log_z = std::log(sample.front - source.shape.translation.z());
    t += log_t;
    z += log_z;
    tt += log_t * log_t;
    tz += log_t * log_z;
  }
  const auto count = static_cast<double>(samples.size());
  const double exponent = (tz - t * z / count) / (tt - t * t / count);
  const Sample &first = samples.front(), &last = samples.back();
  EXPECT_GT(last.front, 3 * first.front);
  const double flux = (last.buoyancy - first.buoyancy) / (last.time - first.time);
  const double speed = (last.front - first.front) / (last.time - first.time) / std::cbrt(flux);
  EXPECT_NEAR(exponent, 1, 0.05);
  EXPECT_GT(speed, 0.61 * 1.80);
  EXPECT_LT(speed, 1.80);
  RecordProperty("exponent", std::to_string(exponent));
  RecordProperty("speed", std::to_string(speed));
}

}  // namespace
}  // namespace sluice::fluid::gas_test
