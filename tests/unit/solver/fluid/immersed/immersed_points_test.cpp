// SPDX-License-Identifier: Apache-2.0
// Oracles: the delta function's conditions [Roma1999] (16) to (20); fields whose interpolation is
// known; momentum; the equations of immersed_points.h, with matrices made from their definition.
#include "solver/fluid/immersed/immersed_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "solver/fluid/gas/gas_box.h"
#include "solver/fluid/immersed/delta_kernel.h"
#include "solver/fluid/pressure/pressure.h"

namespace sluice::fluid::grid::immersed_points_test {
namespace {

TEST(DeltaKernel, keeps_sums_moments_and_squares) {
  for (double x = -2.6; x < 2.6; x += 0.0137) {
    const DeltaWeights at = delta_weights(x);
    double sum = 0, moment = 0, squares = 0;
    for (int k = 0; k < 3; ++k) {
      const double weight = at.weight[static_cast<std::size_t>(k)];
      EXPECT_GE(weight, 0);
      sum += weight;
      moment += weight * (at.first + k);
      squares += weight * weight;
    }
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_NEAR(moment, x, 1e-14);
    EXPECT_NEAR(squares, 0.5, 1e-14);
  }
  // Where the nearest value changes.
  const DeltaWeights below = delta_weights(0.5 - 1e-9), above = delta_weights(0.5 + 1e-9);
  EXPECT_EQ(above.first, below.first + 1);
  EXPECT_NEAR(below.weight[0], 0, 1e-8);
  EXPECT_NEAR(below.weight[1], above.weight[0], 1e-8);
  EXPECT_NEAR(below.weight[2], above.weight[1], 1e-8);
  EXPECT_NEAR(above.weight[2], 0, 1e-8);
}

// Masses on springs to where they are, and what fluid goes along with them.
class Chain final : public ImpulseResponse {
 public:
  explicit Chain(double mass) : mass_(mass) {}
  void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) override {
    for (std::size_t i = 0; i < impulses.size(); ++i)
      changes[i] = impulses[i].cwiseQuotient(attached_[i] + Vec3::Constant(mass_));
  }
  void attach(std::span<const Mat3> masses) override {
    attached_.clear();
    for (const Mat3& mass : masses)
      attached_.emplace_back(mass.diagonal());
  }

 private:
  double mass_;
  std::vector<Vec3> attached_;
};

constexpr double edge = 0.1, density = 2;

// Points at random places of a closed box, some of them near its walls, that are vertices.
template <int D>
class PointsInABox {
 public:
  PointsInABox(std::size_t count, double nearest_to_walls)
      : box(sides()), walls(frame, sides(), 0), points(frame, density, mass_of_cell) {
    grid.tiles = box.tiles();
    for (auto& of_axis : grid.velocity)
      of_axis.assign(grid.tiles.array_size(), 0);
    walls.find(grid);
    box.find_live(grid);
    std::uniform_real_distribution<double> place(nearest_to_walls, size - nearest_to_walls);
    for (std::size_t i = 0; i < count; ++i) {
      places.push_back(edge * Vec3(place(random), place(random), place(random)));
      SolidPoint point{};
      point.vertices.fill(static_cast<std::uint32_t>(i));
      point.weights[0] = 1;
      given.push_back(point);
    }
    start.assign(count, Vec3::Zero());
    velocities = start;
  }

  void set(ImpulseResponse* response) {
    points.set({.positions = places,
                .velocities = velocities,
                .points = given,
                .start_velocities = start,
                .response = response});
    points.find(grid);
  }

  [[nodiscard]] Vec3 place_of(const Cell<D>& face, int axis) const {
    Vec<D> within = Vec<D>::Constant(0.5F);
    within[axis] = 0;
    return frame.place(face, within, 0);
  }

  /// Calls change(face's place, axis, its velocity) for all live faces.
  template <typename Change>
  void for_each_face(const Change& change) {
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i) {
        if (box.live_faces()[a][i] != 0)
          change(place_of(grid.tiles.cell(i), axis), axis, grid.velocity[a][i]);
      }
    }
  }

  [[nodiscard]] Vec3 momentum() {
    Vec3 sum = Vec3::Zero();
    for_each_face([&](const Vec3& /*x*/, int axis, float velocity) {
      sum[world_axis<D>(axis)] += mass_of_cell * static_cast<double>(velocity);
    });
    return sum;
  }
  [[nodiscard]] double energy() {
    double sum = 0;
    for_each_face([&](const Vec3& /*x*/, int /*axis*/, float velocity) {
      sum += 0.5 * mass_of_cell * static_cast<double>(velocity * velocity);
    });
    return sum;
  }
  void stir() {
    std::uniform_real_distribution<float> speed(-1, 1);
    for_each_face(
        [&](const Vec3& /*x*/, int /*axis*/, float& velocity) { velocity = speed(random); });
  }

  static constexpr std::int32_t size = D == 3 ? 14 : 20;  // [cells]
  static constexpr double mass_of_cell = density * edge * edge * edge;
  static Sides<D> sides() {
    Sides<D> sides;
    sides.cells.fill(size);
    for (auto& of_axis : sides.is_wall)
      of_axis.fill(true);
    return sides;
  }

  std::mt19937 random{7};
  CellFrame<D> frame{static_cast<float>(edge), Vec3f(0, 0, 0)};
  GasBox<D> box;
  SolidFaces<D> walls;
  ImmersedPoints<D> points;
  MacGrid<D> grid;
  std::vector<Vec3> places, velocities, start;
  std::vector<SolidPoint> given;
};

Vec3 sum_of(std::span<const Vec3> values) {
  return std::accumulate(values.begin(), values.end(), Vec3(Vec3::Zero()));
}

template <typename Dimension>
class ImmersedPointsIn : public testing::Test {};
template <int D>
struct Dimensions {
  static constexpr int count = D;
};
using Both = testing::Types<Dimensions<2>, Dimensions<3>>;
TYPED_TEST_SUITE(ImmersedPointsIn, Both);

// Points that move as linear flow around them do nothing to it: away from walls.
TYPED_TEST(ImmersedPointsIn, see_linear_flow_exactly) {
  constexpr int D = TypeParam::count;
  PointsInABox<D> in(200, 2);
  Mat3 gradient;
  gradient << 1, -2, 0.5, 3, 0.2, -1, 2, 1, -0.7;
  const auto flow = [&](const Vec3& x) { return Vec3(gradient * x + Vec3(0.3, -1, 2)); };
  in.for_each_face([&](const Vec3& x, int axis, float& velocity) {
    velocity = static_cast<float>(flow(x)[world_axis<D>(axis)]);
  });
  for (std::size_t i = 0; i < in.places.size(); ++i) {
    if (D == 2) in.places[i].y() = 0;
    in.velocities[i] = in.start[i] = flow(in.places[i]);
    if (D == 2) in.velocities[i].y() = in.start[i].y() = 0;
  }
  in.set(nullptr);
  in.points.meet(0, in.grid);
  for (const Vec3& impulse : in.points.impulses())
    EXPECT_LT(impulse.norm(), 2e-6 * in.mass_of_cell);
}

// Next to walls weights still sum up to 1.
TYPED_TEST(ImmersedPointsIn, see_even_flow_exactly_at_walls_too) {
  constexpr int D = TypeParam::count;
  PointsInABox<D> in(200, 0);
  in.for_each_face(
      [&](const Vec3& /*x*/, int axis, float& velocity) { velocity = axis == 0 ? 1.0F : 1.5F; });
  for (Vec3& v : in.velocities) {
    v.setZero();
    for (int axis = 0; axis < D; ++axis)
      v[world_axis<D>(axis)] = axis == 0 ? 1 : 1.5;
  }
  in.start = in.velocities;
  in.set(nullptr);
  in.points.meet(0, in.grid);
  for (const Vec3& impulse : in.points.impulses())
    EXPECT_LT(impulse.norm(), 1e-6 * in.mass_of_cell);
}

// The fluid loses what solids get, also by the forces that answer a pressure.
TYPED_TEST(ImmersedPointsIn, keep_momentum) {
  constexpr int D = TypeParam::count;
  PointsInABox<D> in(60, 0);
  in.stir();
  for (std::size_t i = 0; i < in.places.size(); ++i) {
    const auto n = static_cast<double>(i);
    in.velocities[i] = Vec3(std::sin(n), 0, 1 + std::cos(3 * n));
  }
  in.start = in.velocities;
  Chain chain(1e-3);
  in.set(&chain);
  const auto momentum = [&] { return Vec3(in.momentum() + sum_of(in.points.impulses())); };
  Vec3 before = momentum();
  const Vec3 of_fluid = in.momentum();
  in.points.meet(0, in.grid);
  EXPECT_GT((in.momentum() - of_fluid).norm(), in.mass_of_cell) << "they meet";
  const double rounding =
      2e-6 * std::sqrt(2 * in.mass_of_cell * std::pow(in.size, D) * in.energy());
  Vec3 change = momentum() - before;
  if (D == 2) change.y() = 0;
  EXPECT_LT(change.norm(), rounding);
  const PoissonSystem<D> system(in.grid.tiles, 1.0F,
                                [](std::size_t, Couplings<D>&) { return TileKind::uniform; });
  in.points.tie(system);
  Array<double> pressure(in.grid.tiles.array_size(), 0);
  for (std::size_t i = 0; i < in.grid.tiles.count() * tile_size<D>; ++i)
    pressure[i] = std::sin(0.01 * static_cast<double>(i * i % 1000));
  before = momentum();
  in.points.accelerate(pressure, in.grid);
  change = momentum() - before;
  if (D == 2) change.y() = 0;
  EXPECT_LT(change.norm(), rounding);
}

// A part of a symmetric system that takes energy away, and never more than there is.
TYPED_TEST(ImmersedPointsIn, make_the_system_of_pressure_no_less_than_definite) {
  constexpr int D = TypeParam::count;
  PointsInABox<D> in(400, 1);  // Many to a cell, too.
  Chain chain(1e3);            // Heavy.
  in.set(&chain);
  in.points.meet(0, in.grid);
  const PoissonSystem<D> system(in.grid.tiles, 1.0F, [&](std::size_t tile, Couplings<D>& next) {
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const std::size_t index = tile * tile_size<D> + cell;
      for (std::size_t side = 0; side < side_count<D>; ++side) {
        Cell<D> face = in.grid.tiles.cell(index);
        if (side % 2 == 1) ++face[side / 2];
        next.next[side][cell] =
            in.grid.distance[index] < 0
                ? static_cast<float>(in.box.live_faces()[side / 2][in.grid.tiles.find_cell(face)])
                : 0;
      }
    }
    return TileKind::general;
  });
  in.points.tie(system);
  std::uniform_real_distribution<float> value(-1, 1);
  const auto vector = [&] {
    Array<float> x(in.grid.tiles.array_size(), 0);
    for (std::size_t i = 0; i < in.grid.tiles.count() * tile_size<D>; ++i) {
      if (system.is_unknown(i / tile_size<D>, i % tile_size<D>)) x[i] = value(in.random);
    }
    return x;
  };
  const auto dot = [](const Array<float>& a, const Array<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += static_cast<double>(a[i]) * b[i];
    return sum;
  };
  for (int trial = 0; trial < 10; ++trial) {
    const Array<float> x = vector(), y = vector();
    Array<double> of_x(x.size(), 0), of_y(x.size(), 0), all(x.size(), 0);
    const double energy = in.points.apply(x, of_x);
    in.points.apply(y, of_y);
    EXPECT_NEAR(dot(y, of_x), dot(x, of_y), 1e-5 * std::abs(energy));
    EXPECT_NEAR(dot(x, of_x), energy, 1e-9 * std::abs(energy));
    EXPECT_LT(energy, 0);
    EXPECT_GT(system.apply(x, all) + energy, 0);
  }
}

// The flow of pressure and points together has no divergence, what the points do not move with is
// only what their forces change by from point to point, and energy has become less.
TYPED_TEST(ImmersedPointsIn, and_pressure_are_solved_for_at_once) {
  constexpr int D = TypeParam::count;
  PointsInABox<D> in(40, 1);
  in.stir();
  Chain chain(5e-3);
  in.set(&chain);
  const double before = in.energy();
  in.points.meet(0, in.grid);
  PressureSolver<D> solver;
  in.grid.room.assign(in.grid.tiles.array_size(), 1);
  scene::PressureSettings settings;
  settings.tolerance = 1e-8;
  settings.max_iterations = 500;
  const SolveReport report = solver.project(settings, in.grid, &in.points);
  EXPECT_LT(report.iterations, 100);
  EXPECT_TRUE(report.converged);
  double of_solids = 0;
  for (const Vec3& v : in.points.velocities())
    of_solids += 0.5 * 5e-3 * v.squaredNorm();
  EXPECT_LT(in.energy() + of_solids, before);
  for (std::size_t i = 0; i < in.grid.tiles.count() * tile_size<D>; ++i) {
    if (!(in.grid.distance[i] < 0)) continue;
    double flow = 0;
    for (std::size_t axis = 0; axis < D; ++axis) {
      Cell<D> next = in.grid.tiles.cell(i);
      ++next[axis];
      flow += static_cast<double>(in.grid.velocity[axis][in.grid.tiles.find_cell(next)] -
                                  in.grid.velocity[axis][i]);
    }
    EXPECT_NEAR(flow, 0, 1e-5);
  }
}

}  // namespace
}  // namespace sluice::fluid::grid::immersed_points_test
