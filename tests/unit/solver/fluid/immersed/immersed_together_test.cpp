// SPDX-License-Identifier: Apache-2.0
// Rigid bodies, soft ones and sheets in the same cells of one liquid. Oracles: Archimedes; the
// equations of pressure.h from their definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "solver/fluid/immersed/immersed_bodies.h"
#include "solver/fluid/immersed/surfaces_in_fluid.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/pressure/pressure.h"
#include "tests/unit/solver/fluid/immersed/immersed_surfaces.h"

namespace sluice::fluid::grid::immersed_together_test {
namespace {

constexpr double cell = 0.1, mass_of_cell = 1;  // [m], [kg]
constexpr std::int32_t size = 24;
const CellFrame<3> frame{0.1F, Vec3f::Zero()};

// Masses that fluid may go with.
class Loose final : public ImpulseResponse {
 public:
  explicit Loose(double mass) : mass_(mass) {}
  void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) override {
    for (std::size_t i = 0; i < impulses.size(); ++i) {
      const Mat3 heaved =
          mass_ * Mat3::Identity() + (attached_.empty() ? Mat3(Mat3::Zero()) : attached_[i]);
      changes[i] = heaved.llt().solve(impulses[i]);
    }
  }
  void attach(std::span<const Mat3> masses) override {
    attached_.assign(masses.begin(), masses.end());
  }

 private:
  double mass_;
  std::vector<Mat3> attached_;
};

double volume_of(std::span<const Vec3> x, std::span<const TriangleIndices> triangles) {
  double volume = 0;
  for (const auto& [i, j, k] : triangles) {
    volume += x[static_cast<std::size_t>(i)].dot(
                  x[static_cast<std::size_t>(j)].cross(x[static_cast<std::size_t>(k)])) /
              6;
  }
  return volume;
}

// A box that does not deform, with a ball of rubber at its side and a sheet under it, `apart` cells
// from both: less than none where they are in each other, as places that are expected may be.
struct Crowd {
  Crowd(double apart, unsigned seed, double density_of_box) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(-0.5, 0.5);
    const Vec3 shift = cell * Vec3(part(random), part(random), part(random));
    box = geometry::make_box(Vec3(0.6, 0.7, 0.9) + shift, Vec3(1.1, 1.3, 1.3) + shift);
    surfaces.add(
        geometry::moved(geometry::make_sphere(12, 0.35), Vec3(1.45 + cell * apart, 1, 1.1) + shift),
        true);
    surfaces.add(
        geometry::moved(test::make_sheet(12, 0.55), Vec3(0.95, 1, 0.9 - cell * apart) + shift),
        false);
    rigid = {.vertices = box.vertices,
             .triangles = box.triangles,
             .centre = Vec3(0.85, 1, 1.1) + shift,
             .velocity = Vec3(part(random), part(random), part(random)),
             .angular_velocity = Vec3(part(random), part(random), part(random)),
             .inverse_mass = 1 / (density_of_box * volume_of_box()),
             .inverse_inertia = Mat3::Identity() / (density_of_box * volume_of_box() * 0.03)};
    for (std::size_t i = 0; i < surfaces.positions.size(); ++i)
      velocities.emplace_back(part(random), part(random), part(random));
    std::vector<Cell<3>> tiles;
    for (std::int32_t i = -1; i <= 3; ++i) {
      for (std::int32_t j = -1; j <= 3; ++j) {
        for (std::int32_t k = -1; k <= 3; ++k)
          tiles.push_back({i, j, k});
      }
    }
    grid.tiles = Tiles<3>(tiles);
    for (auto& of_axis : grid.velocity) {
      of_axis.assign(grid.tiles.array_size(), 0);
      for (float& v : of_axis)
        v = static_cast<float>(part(random));
    }
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  [[nodiscard]] double volume_of_box() const {
    return volume_of(box.vertices, box.triangles) / (cell * cell * cell);
  }
  [[nodiscard]] double volume_of_ball() const {
    return volume_of(surfaces.positions, surfaces.triangles[0]) / (cell * cell * cell);
  }

  // In the order that LiquidStep has.
  void immerse(ImpulseResponse* response) {
    const auto list = surfaces.surfaces();
    std::vector<ImmersedSolids::Surface> slippery = list;
    for (ImmersedSolids::Surface& surface : slippery)
      surface.sticks = false;
    elastic.set({.positions = surfaces.positions,
                 .velocities = velocities,
                 .surfaces = slippery,
                 .response = response});
    bodies.set({&rigid, 1});
    Sides<3> sides;
    sides.cells = {size, size, size};
    for (auto& axis : sides.is_wall)
      axis = {true, true};
    SolidFaces<3>(frame, sides, 0).find(grid);
    grid.distance.assign(grid.tiles.array_size(), 1);
    grid.density.assign(grid.tiles.array_size(), 1);
    grid.is_full.assign(grid.tiles.count() + 1, 0);
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
      const Cell<3> c = grid.tiles.cell(i);
      const bool is_inside =
          std::ranges::all_of(c, [](std::int32_t x) { return x >= 0 && x < size; });
      if (is_inside) grid.distance[i] = static_cast<float>(c[2]) + 0.5F - 21.3F;
    }
    elastic.cover(grid);
    bodies.cover(grid);
    elastic.close_parted(grid);
  }

  // The outflow of each cell, through open parts of its faces and by solids that drive it.
  [[nodiscard]] Array<double> outflow() const {
    Array<double> flow(grid.tiles.array_size(), 0);
    together.add_inflow(flow);
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
      flow[i] = -flow[i];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Cell<3> next = grid.tiles.cell(i);
        ++next[axis];
        const std::size_t after = grid.tiles.find_cell(next);
        const auto through = [&](std::size_t face) {
          return static_cast<double>(grid.open[axis][face]) *
                     static_cast<double>(grid.velocity[axis][face]) +
                 static_cast<double>(grid.solid_flow[axis][face]);
        };
        flow[i] += through(after) - through(i);
      }
    }
    return flow;
  }

  // Cells that something shuts in on all sides have no pressure.
  [[nodiscard]] bool is_solved(std::size_t i) const {
    if (!(grid.distance[i] < 0)) return false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Cell<3> after = grid.tiles.cell(i);
      ++after[axis];
      if (grid.open[axis][i] > 0 || grid.open[axis][grid.tiles.find_cell(after)] > 0) return true;
    }
    return false;
  }

  geometry::TriangleMesh box;
  test::ImmersedSurfaces surfaces;
  ImmersedBody rigid{};
  std::vector<Vec3> velocities;
  SurfacesInFluid elastic{frame, mass_of_cell};
  ImmersedBodies<3> bodies{frame, {}, mass_of_cell};
  ImmersedTogether<3> together{bodies, elastic};
  MacGrid<3> grid;
};

Vec3 sum_of(std::span<const Vec3> values) {
  return std::accumulate(values.begin(), values.end(), Vec3(Vec3::Zero()));
}

PoissonSystem<3> of_all_cells(const MacGrid<3>& grid) {
  return PoissonSystem<3>(grid.tiles, 1.0F, [](std::size_t, Couplings<3>& couplings) {
    std::ranges::fill(couplings.fixed, 1.0F);
    return TileKind::general;
  });
}

class ImmersedTogetherBy : public testing::TestWithParam<int> {
 protected:
  // From well apart to a third of a cell in each other.
  double apart = 1 - GetParam() / 3.0;
  Crowd crowd{apart, static_cast<unsigned>(GetParam()), 0.3};
  std::size_t ball_end = crowd.surfaces.positions.size() - 169;  // Then come the sheet's.
};

TEST_P(ImmersedTogetherBy, feel_no_pressure_that_is_everywhere_the_same) {
  crowd.immerse(nullptr);
  const PoissonSystem<3> all = of_all_cells(crowd.grid);
  crowd.together.tie(all);
  crowd.together.accelerate(Array<double>(crowd.grid.tiles.array_size(), 3), crowd.grid);
  EXPECT_LT(crowd.bodies.impulses()[0].force.norm(), 1e-4);
  EXPECT_LT(sum_of(crowd.elastic.impulses().first(ball_end)).norm(), 1e-4);
  EXPECT_GT(crowd.elastic.impulses()[0].norm(), 0.1) << "but it squeezes";
  EXPECT_LT(sum_of(crowd.elastic.impulses().subspan(ball_end)).norm(), 1e-4);
}

// Each by its own volume, though they share cells: what two would displace counts once.
TEST_P(ImmersedTogetherBy, are_lifted_by_what_each_displaces) {
  for (Vec3& v : crowd.velocities)
    v.setZero();
  for (int axis = 0; axis < 3; ++axis) {
    for (int other = 0; other < 3; ++other)
      std::ranges::fill(crowd.grid.velocity[static_cast<std::size_t>(other)],
                        other == axis ? 1.0F : 0.0F);
    crowd.immerse(nullptr);
    std::ranges::fill(crowd.grid.distance, -1.0F);
    crowd.elastic.attach(crowd.grid);
    const PoissonSystem<3> all = of_all_cells(crowd.grid);
    crowd.together.tie(all);
    Array<double> growing(crowd.grid.tiles.array_size(), 0);
    for (std::size_t i = 0; i < crowd.grid.tiles.count() * tile_size<3>; ++i)
      growing[i] = crowd.grid.tiles.cell(i)[static_cast<std::size_t>(axis)];
    crowd.together.accelerate(growing, crowd.grid);
    const double box = crowd.bodies.impulses()[0].force[axis];
    const double ball = sum_of(crowd.elastic.impulses().first(ball_end))[axis];
    const double sheet = sum_of(crowd.elastic.impulses().subspan(ball_end))[axis];
    EXPECT_NEAR(ball, -crowd.volume_of_ball(), 1e-4 * crowd.volume_of_ball());
    EXPECT_LT(std::abs(sheet), 1e-4) << "the liquid that it closes in goes with it";
    if (apart > 0) {
      EXPECT_NEAR(box, -crowd.volume_of_box(), 1e-4 * crowd.volume_of_box());
    } else {  // Where it is in the ball, that has the room.
      EXPECT_NEAR(box, -crowd.volume_of_box(), 0.05 * crowd.volume_of_box());
    }
  }
}

// Faces are shared out to the last part: what goes with the liquid leaves it alone. The sheet is
// level: of one at a slant, which slips, a face has only what its velocity has across it.
TEST_P(ImmersedTogetherBy, go_with_a_common_flow) {
  for (auto& of_axis : crowd.grid.velocity)
    std::ranges::fill(of_axis, 0.5F);
  std::ranges::fill(crowd.velocities, Vec3::Constant(0.5));
  crowd.rigid.velocity.setConstant(0.5);
  crowd.rigid.angular_velocity.setZero();
  crowd.immerse(nullptr);
  const PoissonSystem<3> all = of_all_cells(crowd.grid);
  crowd.together.tie(all);
  const Array<double> flow = crowd.outflow();
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < crowd.grid.tiles.count() * tile_size<3>; ++i) {
    const Cell<3> c = crowd.grid.tiles.cell(i);
    const bool is_inside =
        std::ranges::all_of(c, [](std::int32_t x) { return x > 0 && x < size - 1; });
    if (!is_inside) continue;
    EXPECT_NEAR(flow[i], 0, 2e-4) << c[0] << ' ' << c[1] << ' ' << c[2];
    ++looked_at;
  }
  EXPECT_GT(looked_at, 10'000U);
}

// Whatever each weighs, and whichever way they move at first.
TEST_P(ImmersedTogetherBy, move_with_a_liquid_that_keeps_its_volume) {
  for (const double mass : {1.0, 0.003}) {
    Crowd fresh(apart, static_cast<unsigned>(GetParam()), 100 * mass);
    Loose answer(mass);
    fresh.immerse(&answer);
    PressureSolver<3> solver;
    const scene::PressureSettings exactly{scene::Preconditioner::multigrid, 1e-8, 1000};
    const SolveReport report = solver.project(exactly, fresh.grid, &fresh.together);
    EXPECT_TRUE(report.converged) << report.iterations;
    EXPECT_GT(fresh.bodies.impulses()[0].force.norm(), 0.1);
    EXPECT_GT(sum_of(fresh.elastic.impulses()).norm(), 0.01);
    const Array<double> flow = fresh.outflow();
    for (std::size_t i = 0; i < fresh.grid.tiles.count() * tile_size<3>; ++i) {
      if (!fresh.is_solved(i)) continue;
      EXPECT_NEAR(flow[i], 0, 1e-4) << mass;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gaps, ImmersedTogetherBy, testing::Range(0, 5));

}  // namespace
}  // namespace sluice::fluid::grid::immersed_together_test
