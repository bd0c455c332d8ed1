// SPDX-License-Identifier: Apache-2.0
// Oracles: Archimedes; the equations of pressure.h and immersed.h from their definition; momentum.
#include "solver/fluid/immersed/outlines_in_gas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "solver/fluid/gas/diffusion.h"
#include "solver/fluid/gas/gas_box.h"
#include "solver/fluid/pressure/pressure.h"
#include "tests/unit/solver/fluid/immersed/outlines.h"

namespace sluice::fluid::grid::outlines_in_gas_test {
namespace {

const CellFrame<2> frame{0.1F, Vec3f(0, 0, 0)};
constexpr double mass_of_cell = 0.01;  // [kg]
constexpr std::int32_t size = 20;

// Masses on springs to where they are: A^-1 / h^2 of a tridiagonal A, so that neighbours answer
// too.
class Chain final : public ImpulseResponse {
 public:
  explicit Chain(double mass) : mass_(mass) {}
  void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) override {
    for (std::size_t i = 0; i < impulses.size(); ++i) {
      changes[i] = impulses[i] / mass_;
      if (i > 0) changes[i] += 0.3 / mass_ * impulses[i - 1];
      if (i + 1 < impulses.size()) changes[i] += 0.3 / mass_ * impulses[i + 1];
      changes[i].y() = 0;
    }
  }
  void attach(std::span<const Mat3> /*masses*/) override { FAIL() << "gas is all in open faces"; }

 private:
  double mass_;
};

Vec3 sum_of(std::span<const Vec3> values) {
  return std::accumulate(values.begin(), values.end(), Vec3(Vec3::Zero()));
}

// Stars in a closed box, or in one with an open top, of gas that moves at random.
class ElasticBoundaries : public testing::TestWithParam<unsigned> {
 protected:
  ElasticBoundaries() : box(sides()), solids(frame, sides(), 0), elastic(frame, mass_of_cell) {
    std::mt19937 random(GetParam());
    std::uniform_real_distribution<double> speed(-1, 1);
    velocities.resize(outline.positions.size());
    for (Vec3& v : velocities)
      v = Vec3(speed(random), 0, speed(random));
    sticks.assign(outline.rim.size(), 1);
    grid.tiles = box.tiles();
    for (auto& of_axis : grid.velocity) {
      of_axis.assign(grid.tiles.array_size(), 0);
      for (float& v : of_axis)
        v = static_cast<float>(speed(random));
    }
    set(&chain);
    solids.find(grid);
    elastic.cover(grid);
    box.find_live(grid);
    grid.room.assign(grid.tiles.array_size(), 1);
  }

  static Sides<2> sides() {
    Sides<2> sides;
    sides.cells = {size, size};
    sides.is_wall = {{{true, true}, {true, GetParam() % 2 == 0}}};
    return sides;
  }

  void set(ImpulseResponse* response) {
    elastic.set({.positions = outline.positions,
                 .velocities = velocities,
                 .rim = outline.rim,
                 .sticks = sticks,
                 .response = response});
  }

  // The outflow of each cell of gas: through what is open, and by solids that drive into it.
  [[nodiscard]] Array<double> divergence() const {
    Array<double> flow(grid.tiles.array_size(), 0);
    elastic.add_inflow(flow);
    for (double& value : flow)
      value = -value;
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<2>; ++i) {
      for (std::size_t axis = 0; axis < 2; ++axis) {
        Cell<2> next = grid.tiles.cell(i);
        ++next[axis];
        const std::size_t after = grid.tiles.find_cell(next);
        flow[i] += static_cast<double>(grid.open[axis][after] * grid.velocity[axis][after] -
                                       grid.open[axis][i] * grid.velocity[axis][i]);
      }
    }
    return flow;
  }

  Outline outline = two_stars(GetParam(), frame);
  std::vector<Vec3> velocities;
  std::vector<std::uint8_t> sticks;
  Chain chain{0.004};
  GasBox<2> box;
  SolidFaces<2> solids;
  OutlinesInGas elastic;
  MacGrid<2> grid;
};

TEST_P(ElasticBoundaries, feel_no_pressure_that_is_everywhere_the_same) {
  elastic.press(Array<float>(grid.tiles.array_size(), 3), 2, grid.tiles);
  elastic.respond();
  EXPECT_LT(sum_of(elastic.impulses()).norm(), 1e-6 * mass_of_cell);
  EXPECT_GT(elastic.impulses()[0].norm(), 0.1 * mass_of_cell) << "but it squeezes";
}

TEST_P(ElasticBoundaries, are_lifted_by_the_weight_of_what_they_displace) {
  double area = 0;  // [cells] By Gauss's shoelaces.
  Vec3 centre = Vec3::Zero();
  for (const auto& [a, b] : outline.rim) {
    const auto p = outline.in_cells(frame, a), q = outline.in_cells(frame, b);
    const double twice = p[0] * q[1] - p[1] * q[0];
    area += 0.5 * twice;
    centre += twice / 6 * Vec3(p[0] + q[0], 0, p[1] + q[1]);
  }
  centre *= static_cast<double>(frame.cell_size) / area;
  const Vec3 fall(0.2, 0, -0.5);  // [m/s]
  elastic.lift(fall, Vec3(0.3, 0, 5));
  elastic.respond();
  const Vec3 expected = -area * mass_of_cell * fall;
  EXPECT_LT((sum_of(elastic.impulses()) - expected).norm(), 1e-6 * expected.norm());
  Vec3 torque = Vec3::Zero();
  for (std::size_t i = 0; i < outline.positions.size(); ++i)
    torque += (outline.positions[i] - centre).cross(elastic.impulses()[i]);
  // Pieces give their ends what they have in the middle.
  EXPECT_LT(torque.norm(), 2e-3 * expected.norm());
}

// Also where they are much lighter than gas, and where the box is closed all around.
TEST_P(ElasticBoundaries, move_with_the_gas_at_once) {
  for (const double mass : {1.0, 0.004, 1e-5}) {
    Chain answer(mass);
    set(&answer);
    PressureSolver<2> solver;
    scene::PressureSettings settings;
    settings.tolerance = 1e-9;
    MacGrid<2> before = grid;
    const SolveReport report = solver.project(settings, grid, &elastic);
    EXPECT_TRUE(report.converged) << mass << ' ' << report.iterations;
    // In a closed box, solids that swell leave gas no room: alike in all cells.
    const Array<double> left = divergence();
    double mean = 0, worst = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (box.live_cells().size() <= i || box.live_cells()[i] == 0) continue;
      mean += left[i];
      ++count;
    }
    mean /= static_cast<double>(count);
    if (GetParam() % 2 != 0) {
      EXPECT_NEAR(mean, 0, 1e-5) << "gas goes out by the top";
    }
    for (std::size_t i = 0; i < box.live_cells().size(); ++i) {
      if (box.live_cells()[i] != 0) worst = std::max(worst, std::abs(left[i] - mean));
    }
    EXPECT_LT(worst, 2e-5) << mass;
    // Solids got what gas and walls gave: walls are where pressure has nothing beyond.
    Vec3 of_gas = Vec3::Zero(), of_walls = Vec3::Zero();
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<2>; ++i) {
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const int a = world_axis<2>(static_cast<int>(axis));
        if (box.live_faces()[axis][i] == 0) continue;
        of_gas[a] +=
            mass_of_cell * static_cast<double>(grid.open[axis][i] *
                                               (grid.velocity[axis][i] - before.velocity[axis][i]));
      }
      const Cell<2> cell = grid.tiles.cell(i);
      const double p = mass_of_cell * static_cast<double>(grid.pressure[i]);
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const int a = world_axis<2>(static_cast<int>(axis));
        const bool is_open = axis == 1 && GetParam() % 2 != 0;
        if (cell[axis] == 0) of_walls[a] -= p;
        if (cell[axis] == size - 1 && !is_open) of_walls[a] += p;
      }
    }
    // On the open side gas gets a gradient of the whole pressure, over half a cell.
    if (GetParam() % 2 == 0) {
      EXPECT_LT((sum_of(elastic.impulses()) + of_gas + of_walls).norm(), 2e-5 * mass_of_cell * size)
          << mass;
    }
    grid = before;
  }
}

// Viscosity gives solids, and across them walls, what it takes off gas.
TEST_P(ElasticBoundaries, get_what_viscosity_takes) {
  constexpr float number = 0.7F;
  const MacGrid<2> before = grid;
  scene::PressureSettings settings;
  settings.tolerance = 1e-8;
  Diffusion<2>().apply(number, settings, solids, &elastic, box.live_faces(), true, grid);
  elastic.respond();
  Vec3 of_gas = Vec3::Zero(), of_walls = Vec3::Zero();
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int a = world_axis<2>(static_cast<int>(axis));
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<2>; ++i) {
      if (box.live_faces()[axis][i] == 0) continue;
      const double now = grid.velocity[axis][i];
      of_gas[a] += static_cast<double>(grid.open[axis][i]) *
                   (now - static_cast<double>(before.velocity[axis][i]));
      const std::int32_t place = grid.tiles.cell(i)[axis];
      const bool is_open_above = axis == 1 && GetParam() % 2 != 0;
      if (place == 1 || (place == size - 1 && !is_open_above))
        of_walls[a] += static_cast<double>(number) * now;
    }
  }
  const Vec3 of_solids = sum_of(elastic.impulses()) / mass_of_cell;
  EXPECT_GT(of_solids.norm(), 0.5) << "much";
  EXPECT_LT((of_gas + of_walls + of_solids).norm(), 1e-3);
}

// K^T R K is symmetric and gives energy to whatever presses.
TEST_P(ElasticBoundaries, answer_symmetrically) {
  PressureSolver<2> solver;
  solver.project({}, grid, &elastic);
  std::mt19937 random(GetParam() + 7);
  std::uniform_real_distribution<float> pressure(-1, 1);
  std::vector<float> x(grid.tiles.array_size()), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = pressure(random);
    y[i] = pressure(random);
  }
  std::vector<double> Ax(x.size(), 0), Ay(x.size(), 0);
  const double energy = elastic.apply(x, Ax);
  elastic.apply(y, Ay);
  const auto dot = [](const std::vector<float>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += static_cast<double>(a[i]) * b[i];
    return sum;
  };
  EXPECT_NEAR(dot(y, Ax), dot(x, Ay), 1e-9 * std::abs(energy));
  EXPECT_NEAR(dot(x, Ax), energy, 1e-9 * energy);
  EXPECT_GT(energy, 0);
}

INSTANTIATE_TEST_SUITE_P(Stars, ElasticBoundaries, testing::Range(0U, 8U));

}  // namespace
}  // namespace sluice::fluid::grid::outlines_in_gas_test
