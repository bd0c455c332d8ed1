// SPDX-License-Identifier: Apache-2.0
// Oracles: Archimedes; the equations of pressure.h and immersed.h from their definition; momentum;
// which cells a sheet parts, cell by cell.
#include "solver/fluid/immersed/surfaces_in_fluid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "solver/fluid/gas/diffusion.h"
#include "solver/fluid/gas/gas_box.h"
#include "solver/fluid/pressure/pressure.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/immersed/immersed_surfaces.h"

namespace sluice::fluid::grid::surfaces_in_fluid_test {
namespace {

const CellFrame<3> frame{0.1F, Vec3f::Zero()};
constexpr double mass_of_cell = 0.01;  // [kg]
constexpr std::int32_t size = 20;

// Masses on springs to where they are, that pull at their neighbours.
class Chain final : public ImpulseResponse {
 public:
  explicit Chain(double mass) : mass_(mass) {}
  void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) override {
    for (std::size_t i = 0; i < impulses.size(); ++i) {
      changes[i] = impulses[i] / mass_;
      if (i > 0) changes[i] += 0.3 / mass_ * impulses[i - 1];
      if (i + 1 < impulses.size()) changes[i] += 0.3 / mass_ * impulses[i + 1];
    }
  }
  void attach(std::span<const Mat3> /*masses*/) override { FAIL() << "gas is all in open faces"; }

 private:
  double mass_;
};

Vec3 sum_of(std::span<const Vec3> values) {
  return std::accumulate(values.begin(), values.end(), Vec3(Vec3::Zero()));
}

// [cells]
double volume_of(const test::ImmersedSurfaces& surfaces, std::size_t surface) {
  double volume = 0;
  for (const auto& [i, j, k] : surfaces.triangles[surface]) {
    const auto& x = surfaces.positions;
    volume += x[static_cast<std::size_t>(i)].dot(
                  x[static_cast<std::size_t>(j)].cross(x[static_cast<std::size_t>(k)])) /
              6 / 1e-3;
  }
  return volume;
}

// By 1 a cell.
Array<float> growing_along(int axis, const MacGrid<3>& grid) {
  Array<float> pressure(grid.tiles.array_size(), 0);
  for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i)
    pressure[i] = static_cast<float>(grid.tiles.cell(i)[static_cast<std::size_t>(axis)]);
  return pressure;
}

Sides<3> walls(bool is_open_above) {
  Sides<3> sides;
  sides.cells = {size, size, size};
  for (auto& axis : sides.is_wall)
    axis = {true, true};
  sides.is_wall[2][1] = !is_open_above;
  return sides;
}

// Gas that moves at random around surfaces that do.
struct Stirred {
  Stirred(test::ImmersedSurfaces all, bool is_open_above, unsigned seed)
      : surfaces(std::move(all)),
        sides(walls(is_open_above)),
        box(sides),
        solids(frame, sides, 0),
        elastic(frame, mass_of_cell) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> speed(-1, 1);
    for (std::size_t i = 0; i < surfaces.positions.size(); ++i)
      velocities.emplace_back(speed(random), speed(random), speed(random));
    grid.tiles = box.tiles();
    for (auto& of_axis : grid.velocity) {
      of_axis.assign(grid.tiles.array_size(), 0);
      for (float& v : of_axis)
        v = static_cast<float>(speed(random));
    }
    put(&chain);
  }

  void put(ImpulseResponse* response) {
    const auto list = surfaces.surfaces();
    elastic.set({.positions = surfaces.positions,
                 .velocities = velocities,
                 .surfaces = list,
                 .response = response});
    solids.find(grid);
    grid.room.assign(grid.tiles.array_size(), 1);
    elastic.cover(grid);
    elastic.close_parted(grid);
    box.find_live(grid);
  }

  // The outflow of each cell of gas: through what is open, and by solids that drive into it.
  [[nodiscard]] Array<double> divergence() const {
    Array<double> flow(grid.tiles.array_size(), 0);
    elastic.add_inflow(flow);
    for (double& value : flow)
      value = -value;
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Cell<3> next = grid.tiles.cell(i);
        ++next[axis];
        const std::size_t after = grid.tiles.find_cell(next);
        flow[i] += static_cast<double>(grid.open[axis][after] * grid.velocity[axis][after] -
                                       grid.open[axis][i] * grid.velocity[axis][i]);
      }
    }
    return flow;
  }

  // The largest, but for what is alike in all cells.
  [[nodiscard]] double worst_divergence(double* mean_of_all = nullptr) const {
    const Array<double> left = divergence();
    double mean = 0, worst = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < box.live_cells().size(); ++i) {
      if (box.live_cells()[i] == 0) continue;
      mean += left[i];
      ++count;
    }
    mean /= static_cast<double>(count);
    for (std::size_t i = 0; i < box.live_cells().size(); ++i) {
      if (box.live_cells()[i] != 0) worst = std::max(worst, std::abs(left[i] - mean));
    }
    if (mean_of_all != nullptr) *mean_of_all = mean;
    return worst;
  }

  test::ImmersedSurfaces surfaces;
  Sides<3> sides;
  std::vector<Vec3> velocities;
  Chain chain{0.004};
  GasBox<3> box;
  SolidFaces<3> solids;
  SurfacesInFluid elastic;
  MacGrid<3> grid;
};

// Nothing changes their velocities.
class Held final : public ImpulseResponse {
 public:
  void respond(std::span<const Vec3> /*impulses*/, std::span<Vec3> changes) override {
    std::ranges::fill(changes, Vec3::Zero());
  }
  void attach(std::span<const Mat3> /*masses*/) override {}
  [[nodiscard]] bool answers(std::size_t /*vertex*/) const override { return false; }
};

// The gas it drives into the pocket has nowhere to go: all cells there take the same part, and the
// gas outside knows nothing of it. Tied to the gas outside, there was no solution at all.
TEST(ElasticSurfaces, that_are_held_shut_in_a_pocket_with_a_pressure_of_its_own) {
  for (const bool is_open_above : {false, true}) {
    test::ImmersedSurfaces surfaces;
    geometry::TriangleMesh ball = geometry::make_sphere(8, 0.5);
    for (Vec3& x : ball.vertices)
      x += Vec3(1.03, 0.98, 1.01);
    surfaces.add(ball, false);
    Stirred scene(surfaces, is_open_above, 3);
    for (std::size_t i = 0; i < scene.velocities.size(); ++i)
      scene.velocities[i] = surfaces.positions[i] - Vec3(1.03, 0.98, 1.01);  // It swells.
    Held held;
    scene.put(&held);
    PressureSolver<3> solver;
    const SolveReport report =
        solver.project({scene::Preconditioner::multigrid, 1e-6, 200}, scene.grid, &scene.elastic);
    EXPECT_TRUE(report.converged) << report.residual;
    float fastest = 0;
    for (const auto& of_axis : scene.grid.velocity)
      fastest = std::max(fastest, *std::ranges::max_element(of_axis));
    EXPECT_LT(fastest, 5) << "of 1 m/s that it was stirred with";
  }
}

class ElasticSurfaces : public testing::TestWithParam<unsigned> {
 protected:
  Stirred scene{test::make_surfaces(GetParam(), 0.1, true), GetParam() % 2 != 0, GetParam()};
};

TEST_P(ElasticSurfaces, feel_no_pressure_that_is_everywhere_the_same) {
  scene.elastic.press(Array<float>(scene.grid.tiles.array_size(), 3), 2, scene.grid.tiles);
  scene.elastic.respond();
  EXPECT_LT(sum_of(scene.elastic.impulses()).norm(), 1e-5 * mass_of_cell);
  EXPECT_GT(scene.elastic.impulses()[0].norm(), 0.1 * mass_of_cell) << "but it squeezes";
  EXPECT_LT(scene.elastic.impulses().back().norm(), 1e-9) << "the sheet has it on both sides";
}

TEST_P(ElasticSurfaces, are_lifted_by_the_weight_of_what_they_displace) {
  const double volume = volume_of(scene.surfaces, 0) + volume_of(scene.surfaces, 1);
  ASSERT_GT(volume, 150);
  const Vec3 fall(0.2, 0.1, -0.5);  // [m/s]
  scene.elastic.lift(fall, Vec3(0.3, -2, 5));
  scene.elastic.respond();
  const Vec3 expected = -volume * mass_of_cell * fall;
  EXPECT_LT((sum_of(scene.elastic.impulses()) - expected).norm(), 1e-6 * expected.norm());
}

// The cells have the pressures of the system: a gradient along an axis lifts by the volume.
TEST_P(ElasticSurfaces, are_lifted_by_the_pressure_of_cells) {
  std::mt19937 random(GetParam());
  std::uniform_real_distribution<double> place(0.9, 1.1);
  test::ImmersedSurfaces ball;
  ball.add(geometry::moved(geometry::make_sphere(12, 0.45),
                           {place(random), place(random), place(random)}),
           true);
  const double volume = volume_of(ball, 0);
  Stirred around(std::move(ball), false, 1);
  for (int axis = 0; axis < 3; ++axis) {
    around.put(nullptr);
    around.elastic.press(growing_along(axis, around.grid), 1, around.grid.tiles);
    around.elastic.respond();
    const Vec3 lift = sum_of(around.elastic.impulses()) / mass_of_cell;
    EXPECT_NEAR(lift[axis], -volume, 1e-5 * volume);
  }
}

// With the liquid that goes along with what is thin.
TEST_P(ElasticSurfaces, hover_in_what_is_as_dense_at_rest) {
  const double volume = volume_of(scene.surfaces, 0) + volume_of(scene.surfaces, 1);
  for (Vec3& v : scene.velocities)
    v.setZero();
  for (int axis = 0; axis < 3; ++axis) {
    scene.put(nullptr);
    scene.grid.distance.assign(scene.grid.tiles.array_size(), -1);
    for (int other = 0; other < 3; ++other)
      std::ranges::fill(scene.grid.velocity[static_cast<std::size_t>(other)],
                        other == axis ? 1.0F : 0.0F);
    scene.elastic.attach(scene.grid);
    scene.elastic.press(growing_along(axis, scene.grid), 1, scene.grid.tiles);
    scene.elastic.respond();
    const Vec3 lift = sum_of(scene.elastic.impulses()) / mass_of_cell;
    EXPECT_NEAR(lift[axis], -volume, 0.02 * volume);
    const std::size_t first = scene.surfaces.positions.size() - 64;  // The sheet's.
    EXPECT_LT(sum_of(scene.elastic.impulses().subspan(first)).norm(), 1e-6 * mass_of_cell);
  }
}

// Also where they are much lighter than gas, and where the box is closed all around.
TEST_P(ElasticSurfaces, move_with_the_gas_at_once) {
  const MacGrid<3> at_first = scene.grid;
  for (const double mass : {1.0, 0.004, 4e-4}) {
    scene.grid = at_first;
    Chain answer(mass);
    scene.put(&answer);
    const MacGrid<3> before = scene.grid;
    PressureSolver<3> solver;
    scene::PressureSettings settings;
    settings.tolerance = 1e-9;
    settings.max_iterations = 1000;
    const SolveReport report = solver.project(settings, scene.grid, &scene.elastic);
    EXPECT_TRUE(report.converged) << mass << ' ' << report.iterations;
    double mean = 0;
    EXPECT_LT(scene.worst_divergence(&mean), 1e-4) << mass;
    if (GetParam() % 2 != 0) {
      EXPECT_NEAR(mean, 0, 1e-5) << "gas goes out by the top";
    }
    if (GetParam() % 2 != 0) continue;
    // Solids got what gas and walls gave: walls are where pressure has nothing beyond.
    Vec3 of_gas = Vec3::Zero(), of_walls = Vec3::Zero();
    for (std::size_t i = 0; i < scene.grid.tiles.count() * tile_size<3>; ++i) {
      const Cell<3> cell = scene.grid.tiles.cell(i);
      const double p = mass_of_cell * static_cast<double>(scene.grid.pressure[i]);
      for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (scene.box.live_faces()[a][i] != 0) {
          of_gas[axis] += mass_of_cell *
                          static_cast<double>(scene.grid.open[a][i] *
                                              (scene.grid.velocity[a][i] - before.velocity[a][i]));
        }
        if (cell[a] == 0) of_walls[axis] -= p;
        if (cell[a] == size - 1) of_walls[axis] += p;
      }
    }
    EXPECT_LT((sum_of(scene.elastic.impulses()) + of_gas + of_walls).norm(),
              1e-4 * mass_of_cell * size)
        << mass;
  }
}

// A solid that moves with the gas around it leaves the gas alone.
TEST_P(ElasticSurfaces, go_with_a_common_flow) {
  for (auto& of_axis : scene.grid.velocity)
    std::ranges::fill(of_axis, 0.5F);
  std::ranges::fill(scene.velocities, Vec3::Constant(0.5));
  scene.put(nullptr);
  const PoissonSystem<3> all(scene.grid.tiles, 1.0F, [&](std::size_t, Couplings<3>& couplings) {
    std::ranges::fill(couplings.fixed, 1.0F);
    return TileKind::general;
  });
  scene.elastic.tie(all);
  const Array<double> flow = scene.divergence();
  for (std::size_t i = 0; i < scene.grid.tiles.count() * tile_size<3>; ++i) {
    bool is_inside = true;
    for (const std::int32_t c : scene.grid.tiles.cell(i))
      is_inside = is_inside && c > 0 && c < size - 1;
    if (is_inside) {
      EXPECT_NEAR(flow[i], 0, 1e-4) << i;
    }
  }
}

// K^T R K is symmetric and gives energy to whatever presses.
TEST_P(ElasticSurfaces, answer_symmetrically) {
  PressureSolver<3>().project({}, scene.grid, &scene.elastic);
  std::mt19937 random(GetParam() + 7);
  std::uniform_real_distribution<float> pressure(-1, 1);
  std::vector<float> x(scene.grid.tiles.array_size()), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = pressure(random);
    y[i] = pressure(random);
  }
  std::vector<double> Ax(x.size(), 0), Ay(x.size(), 0);
  const double energy = scene.elastic.apply(x, Ax);
  scene.elastic.apply(y, Ay);
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

// Viscosity gives solids, and across them walls, what it takes off gas.
TEST_P(ElasticSurfaces, get_what_viscosity_takes) {
  constexpr float number = 0.7F;
  const MacGrid<3> before = scene.grid;
  scene::PressureSettings settings;
  settings.tolerance = 1e-8;
  Diffusion<3>().apply(number, settings, scene.solids, &scene.elastic, scene.box.live_faces(), true,
                       scene.grid);
  scene.elastic.respond();
  Vec3 of_gas = Vec3::Zero(), of_walls = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (std::size_t i = 0; i < scene.grid.tiles.count() * tile_size<3>; ++i) {
      if (scene.box.live_faces()[a][i] == 0) continue;
      const double now = scene.grid.velocity[a][i];
      of_gas[axis] += static_cast<double>(scene.grid.open[a][i]) *
                      (now - static_cast<double>(before.velocity[a][i]));
      const std::int32_t place = scene.grid.tiles.cell(i)[a];
      const bool is_open_above = axis == 2 && GetParam() % 2 != 0;
      if (place == 1 || (place == size - 1 && !is_open_above))
        of_walls[axis] += static_cast<double>(number * scene.grid.open[a][i]) * now;
    }
  }
  const Vec3 of_solids = sum_of(scene.elastic.impulses()) / mass_of_cell;
  EXPECT_GT(of_solids.norm(), 0.5) << "much";
  EXPECT_LT((of_gas + of_walls + of_solids).norm(), 2e-3);
}

INSTANTIATE_TEST_SUITE_P(Scenes, ElasticSurfaces, testing::Range(0U, 6U));

// By cell of gas, which of those it hangs together with through open faces.
std::vector<int> regions_of(const Stirred& scene) {
  std::vector<int> region(scene.grid.tiles.array_size(), 0);
  int count = 0;
  for (std::size_t first = 0; first < scene.grid.tiles.count() * tile_size<3>; ++first) {
    if (scene.box.live_cells()[first] == 0 || region[first] != 0) continue;
    std::vector<std::size_t> to_visit{first};
    region[first] = ++count;
    while (!to_visit.empty()) {
      const std::size_t i = to_visit.back();
      to_visit.pop_back();
      for (std::size_t side = 0; side < side_count<3>; ++side) {
        Cell<3> next = scene.grid.tiles.cell(i);
        next[side / 2] += side % 2 == 0 ? -1 : 1;
        const std::size_t other = scene.grid.tiles.find_cell(next);
        if (scene.box.live_cells()[other] == 0 || region[other] != 0) continue;
        if (!(scene.grid.open[side / 2][side % 2 == 0 ? i : other] > 0)) continue;
        region[other] = count;
        to_visit.push_back(other);
      }
    }
  }
  return region;
}

// All across the box, whatever its slant: a sheet, and plates of any thickness.
TEST(SurfacesInFluid, parts_what_is_on_both_sides) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(-1, 1);
    const double slant = 0.6 * part(random), turn = 3 * part(random);
    const Mat3 axes = (Eigen::AngleAxisd(turn, Vec3::UnitZ()) *
                       Eigen::AngleAxisd(slant, Vec3(1, 0.3, 0).normalized()))
                          .toRotationMatrix();
    const bool is_sheet = seed % 4 == 0;
    const double half = 0.1 * std::array{0.0, 0.15, 0.6, 1.2}[seed % 4];
    geometry::TriangleMesh mesh =
        is_sheet ? test::make_sheet(9, 3) : geometry::make_box({-3, -3, -half}, {3, 3, half});
    const Vec3 middle = Vec3::Constant(1) + 0.1 * Vec3(part(random), part(random), part(random));
    for (Vec3& x : mesh.vertices)
      x = axes * x + middle;
    test::ImmersedSurfaces surfaces;
    surfaces.add(mesh, !is_sheet);
    const Stirred scene(std::move(surfaces), false, seed);
    const std::vector<int> region = regions_of(scene);
    int above = 0, below = 0;
    for (std::size_t i = 0; i < scene.grid.tiles.count() * tile_size<3>; ++i) {
      if (scene.box.live_cells()[i] == 0) continue;
      const Cell<3> cell = scene.grid.tiles.cell(i);
      const Vec3 x = 0.1 * (Vec3(cell[0], cell[1], cell[2]) + Vec3::Constant(0.5)) - middle;
      const double height = axes.col(2).dot(x);
      if (std::abs(height) < half + 1e-9) continue;
      int& side = height > 0 ? above : below;
      if (side == 0) side = region[i];
      // But for what is cut off between the plate and a corner of the box.
      if (std::abs(height) > half + 0.2) {
        EXPECT_EQ(region[i], side) << seed;
      }
      EXPECT_NE(region[i], height > 0 ? below : above) << seed << ' ' << height;
    }
    EXPECT_NE(above, 0);
    EXPECT_NE(below, 0);
  }
}

TEST(SurfacesInFluid, gives_the_same_bits_on_two_threads) {
  const auto pressed = [](int threads) {
    Array<float> pressure;
    std::vector<Vec3> impulses;
    parallel::ThreadLimit(threads).run([&] {
      Stirred scene{test::make_surfaces(5, 0.1, true), false, 5};
      PressureSolver<3>().project({}, scene.grid, &scene.elastic);
      scene.elastic.constrain(scene.grid);
      pressure = scene.grid.velocity[2];
      impulses.assign(scene.elastic.impulses().begin(), scene.elastic.impulses().end());
    });
    return std::pair(pressure, impulses);
  };
  EXPECT_EQ(pressed(1), pressed(2));
}

}  // namespace
}  // namespace sluice::fluid::grid::surfaces_in_fluid_test
