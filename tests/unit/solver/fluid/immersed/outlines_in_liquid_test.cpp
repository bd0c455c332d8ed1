// SPDX-License-Identifier: Apache-2.0
// Oracles: Archimedes; the equations of pressure.h and immersed.h from their definition; which
// cells a plate parts.
#include "solver/fluid/immersed/outlines_in_liquid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include "solver/fluid/immersed/immersed_bodies.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/pressure/pressure.h"

namespace sluice::fluid::grid::outlines_in_liquid_test {
namespace {

constexpr double cell = 0.1, mass_of_cell = 1;  // [m], [kg]
constexpr std::int32_t size = 3 * tile_edge<2>;
const CellFrame<2> frame{0.1F, Vec3f::Zero()};

// Masses that liquid may go with.
class Loose final : public ImpulseResponse {
 public:
  explicit Loose(double mass) : mass_(mass) {}
  void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) override {
    for (std::size_t i = 0; i < impulses.size(); ++i)
      changes[i] = impulses[i] / mass_;
  }
  void attach(std::span<const Mat3> /*masses*/) override {}

 private:
  double mass_;
};

// A disc with bumps, and a plate `thickness` cells thick, both somewhere.
struct Pond {
  Pond(double thickness, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(-0.5, 0.5);
    constexpr int count = 60;
    const Vec3 disc = cell * Vec3(7 + part(random), 0, 11 + part(random));
    for (int i = 0; i < count; ++i) {
      const double angle = 2 * std::numbers::pi * i / count;
      const double radius = cell * (4 + 0.6 * std::cos(3 * angle));
      positions.push_back(disc + radius * Vec3(std::cos(angle), 0, std::sin(angle)));
      rim.push_back({i, (i + 1) % count});
    }
    const Vec3 plate = cell * Vec3(20 + part(random), 0, 12 + part(random));
    const double angle = 3 * part(random);
    const Vec3 along = cell * 5 * Vec3(std::cos(angle), 0, std::sin(angle)),
               across = 0.5 * cell * thickness * Vec3(-std::sin(angle), 0, std::cos(angle));
    constexpr int parts = 10;
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i <= parts; ++i) {
        const double way = side == 0 ? 2.0 * i / parts - 1 : 1 - 2.0 * i / parts;
        positions.push_back(plate + way * along + (side == 0 ? -across : Vec3(across)));
      }
    }
    const auto corners = static_cast<std::int32_t>(2 * (parts + 1));
    for (std::int32_t i = 0; i < corners; ++i)
      rim.push_back({count + i, count + (i + 1) % corners});
    disc_end = count;
    for (std::size_t i = 0; i < positions.size(); ++i)
      velocities.emplace_back(part(random), 0, part(random));
    std::vector<Cell<2>> tiles;
    for (std::int32_t i = -1; i <= 3; ++i) {
      for (std::int32_t j = -1; j <= 3; ++j)
        tiles.push_back({i, j});
    }
    grid.tiles = Tiles<2>(tiles);
    for (auto& of_axis : grid.velocity) {
      of_axis.assign(grid.tiles.array_size(), 0);
      for (float& v : of_axis)
        v = static_cast<float>(part(random));
    }
  }

  void immerse(ImpulseResponse* response) {
    slices.set(
        {.positions = positions, .velocities = velocities, .rim = rim, .response = response});
    Sides<2> sides;
    sides.cells = {size, size};
    for (auto& axis : sides.is_wall)
      axis = {true, true};
    SolidFaces<2>(frame, sides, 0).find(grid);
    grid.distance.assign(grid.tiles.array_size(), 1);
    grid.density.assign(grid.tiles.array_size(), 1);
    grid.is_full.assign(grid.tiles.count() + 1, 0);
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<2>; ++i) {
      const Cell<2> c = grid.tiles.cell(i);
      if (std::ranges::all_of(c, [](std::int32_t x) { return x >= 0 && x < size; }))
        grid.distance[i] = static_cast<float>(c[1]) + 0.5F - 21.3F;
    }
    slices.cover(grid);
    slices.close_parted(grid);
  }

  [[nodiscard]] double area(std::int32_t first, std::int32_t end) const {  // [cells]
    double twice = 0;
    for (const auto& [i, j] : rim) {
      if (i < first || i >= end) continue;
      const Vec3 &a = positions[static_cast<std::size_t>(i)],
                 &b = positions[static_cast<std::size_t>(j)];
      twice += a.x() * b.z() - a.z() * b.x();
    }
    return 0.5 * twice / (cell * cell);
  }

  [[nodiscard]] Array<double> outflow() const {
    Array<double> flow(grid.tiles.array_size(), 0);
    slices.add_inflow(flow);
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<2>; ++i) {
      flow[i] = -flow[i];
      for (std::size_t axis = 0; axis < 2; ++axis) {
        Cell<2> next = grid.tiles.cell(i);
        ++next[axis];
        const std::size_t after = grid.tiles.find_cell(next);
        flow[i] += static_cast<double>(grid.open[axis][after] * grid.velocity[axis][after]) -
                   static_cast<double>(grid.open[axis][i] * grid.velocity[axis][i]);
      }
    }
    return flow;
  }

  std::vector<Vec3> positions, velocities;
  std::vector<EdgeIndices> rim;
  std::size_t disc_end = 0;
  OutlinesInLiquid slices{frame, mass_of_cell};
  MacGrid<2> grid;
};

Vec3 sum_of(std::span<const Vec3> values) {
  return std::accumulate(values.begin(), values.end(), Vec3(Vec3::Zero()));
}

PoissonSystem<2> of_all_cells(const MacGrid<2>& grid) {
  return PoissonSystem<2>(grid.tiles, 1.0F, [](std::size_t, Couplings<2>& couplings) {
    std::ranges::fill(couplings.fixed, 1.0F);
    return TileKind::general;
  });
}

class ElasticSlicesOf : public testing::TestWithParam<unsigned> {
 protected:
  // From a third of a cell to three.
  Pond pond{0.3 + 0.54 * GetParam(), GetParam()};
};

TEST_P(ElasticSlicesOf, feel_no_pressure_that_is_everywhere_the_same) {
  pond.immerse(nullptr);
  pond.slices.press(Array<float>(pond.grid.tiles.array_size(), 3), 1, pond.grid.tiles);
  pond.slices.respond();
  const auto impulses = pond.slices.impulses();
  EXPECT_LT(sum_of(impulses.first(pond.disc_end)).norm(), 1e-5);
  EXPECT_LT(sum_of(impulses.subspan(pond.disc_end)).norm(), 1e-5);
  EXPECT_GT(impulses[0].norm(), 0.1) << "but it squeezes";
}

// With the liquid that goes along with what is thin.
TEST_P(ElasticSlicesOf, are_lifted_by_what_they_displace) {
  for (Vec3& v : pond.velocities)
    v.setZero();
  for (int axis = 0; axis < 2; ++axis) {
    for (int other = 0; other < 2; ++other)
      std::ranges::fill(pond.grid.velocity[static_cast<std::size_t>(other)],
                        other == axis ? 1.0F : 0.0F);
    pond.immerse(nullptr);
    std::ranges::fill(pond.grid.distance, -1.0F);
    pond.slices.attach(pond.grid);
    Array<float> growing(pond.grid.tiles.array_size(), 0);
    for (std::size_t i = 0; i < pond.grid.tiles.count() * tile_size<2>; ++i)
      growing[i] = static_cast<float>(pond.grid.tiles.cell(i)[static_cast<std::size_t>(axis)]);
    pond.slices.press(growing, 1, pond.grid.tiles);
    pond.slices.respond();
    const auto end = static_cast<std::int32_t>(pond.disc_end);
    const double disc = pond.area(0, end), plate = pond.area(end, 1000);
    ASSERT_GT(disc, 40);
    const auto impulses = pond.slices.impulses();
    const int a = world_axis<2>(axis);
    EXPECT_NEAR(sum_of(impulses.first(pond.disc_end))[a], -disc, 1e-4 * disc);
    EXPECT_NEAR(sum_of(impulses.subspan(pond.disc_end))[a], -plate, 1e-4 * plate);
  }
}

TEST_P(ElasticSlicesOf, move_with_a_liquid_that_keeps_its_volume) {
  for (const double mass : {1.0, 0.01}) {
    Pond fresh(0.3 + 0.54 * GetParam(), GetParam());
    Loose answer(mass);
    fresh.immerse(&answer);
    PressureSolver<2> solver;
    const SolveReport report =
        solver.project({scene::Preconditioner::multigrid, 1e-8, 1000}, fresh.grid, &fresh.slices);
    EXPECT_TRUE(report.converged) << report.iterations;
    EXPECT_GT(sum_of(fresh.slices.impulses()).norm(), 0.01 * std::min(1.0, 10 * mass))
        << "it moves them";
    const Array<double> flow = fresh.outflow();
    for (std::size_t i = 0; i < fresh.grid.tiles.count() * tile_size<2>; ++i) {
      if (!(fresh.grid.distance[i] < 0) || fresh.grid.room[i] < 0.01F) continue;
      EXPECT_NEAR(flow[i], 0, 1e-4) << mass;
    }
  }
}

TEST_P(ElasticSlicesOf, go_with_a_common_flow) {
  for (auto& of_axis : pond.grid.velocity)
    std::ranges::fill(of_axis, 0.5F);
  std::ranges::fill(pond.velocities, Vec3(0.5, 0, 0.5));
  pond.immerse(nullptr);
  const PoissonSystem<2> all = of_all_cells(pond.grid);
  pond.slices.tie(all);
  const Array<double> flow = pond.outflow();
  for (std::size_t i = 0; i < pond.grid.tiles.count() * tile_size<2>; ++i) {
    const Cell<2> c = pond.grid.tiles.cell(i);
    if (std::ranges::any_of(c, [](std::int32_t x) { return x < 1 || x > size - 2; })) continue;
    EXPECT_NEAR(flow[i], 0, 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Thicknesses, ElasticSlicesOf, testing::Range(0U, 6U));

// All across the tank, whatever its slant and however thin.
TEST(OutlinesInLiquid, part_what_is_on_both_sides) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(-1, 1);
    const double angle = 0.7 * part(random),
                 half = 0.5 * cell * std::array{0.05, 0.6, 1.4}[seed % 3];
    const Vec3 middle = cell * Vec3(24 + part(random), 0, 24 + part(random));
    const Vec3 along = 6 * Vec3(std::cos(angle), 0, std::sin(angle)),
               across(-std::sin(angle), 0, std::cos(angle));
    Pond pond(1, seed);
    pond.positions = {middle - along - half * across, middle + along - half * across,
                      middle + along + half * across, middle - along + half * across};
    pond.rim = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    pond.velocities.assign(4, Vec3::Zero());
    pond.immerse(nullptr);
    const auto height = [&](std::size_t i) {
      const Cell<2> c = pond.grid.tiles.cell(i);
      return across.dot(cell * Vec3(c[0] + 0.5, 0, c[1] + 0.5) - middle);
    };
    for (std::size_t i = 0; i < pond.grid.tiles.count() * tile_size<2>; ++i) {
      for (std::size_t axis = 0; axis < 2; ++axis) {
        Cell<2> before = pond.grid.tiles.cell(i);
        if (std::ranges::any_of(before, [](std::int32_t x) { return x < 1 || x >= size; }))
          continue;
        --before[axis];
        const std::size_t other = pond.grid.tiles.find_cell(before);
        const bool is_parted = height(i) * height(other) < 0;
        if (is_parted) {
          EXPECT_EQ(pond.grid.open[axis][i], 0) << seed << ' ' << angle;
        }
      }
    }
  }
}

}  // namespace
}  // namespace sluice::fluid::grid::outlines_in_liquid_test
