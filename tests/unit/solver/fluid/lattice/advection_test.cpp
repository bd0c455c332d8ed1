// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/lattice/advection.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tests/unit/solver/fluid/lattice/flow_box.h"

namespace sluice::fluid::grid {
namespace {

constexpr float cell_size = 0.05F;

// A flow that turns about the y axis, as rigid bodies do, through (0, 0): exact on faces.
MacGrid<2> turning(float rate) {
  std::vector<Cell<2>> tiles;
  for (std::int32_t z = -3; z < 3; ++z) {
    for (std::int32_t x = -3; x < 3; ++x)
      tiles.push_back({x, z});
  }
  MacGrid<2> grid;
  grid.tiles = Tiles<2>(tiles);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    grid.velocity[axis].assign(grid.tiles.array_size(), 0);
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<2>; ++i) {
      const std::int32_t other = grid.tiles.cell(i)[1 - axis];
      const float place = cell_size * (static_cast<float>(other) + 0.5F);
      grid.velocity[axis][i] = (axis == 0 ? -1.0F : 1.0F) * rate * place;
    }
  }
  return grid;
}

// The three stages, by the velocities of the whole grid.
Vec3f trace(const CellFrame<2>& frame, const MacGrid<2>& grid, const Vec3f& x, float h) {
  const auto velocity = [&](const Vec3f& at) {
    const Vec<2> v = velocity_at<2>(frame, grid, at);
    return Vec3f(v[0], 0, v[1]);
  };
  const Vec3f k1 = velocity(x), k2 = velocity(x + h / 2 * k1), k3 = velocity(x + h * 3 / 4 * k2);
  return x + h / 9 * (2 * k1 + 3 * k2 + 4 * k3);
}

// One by itself.
template <int D>
Vec3f trace(const TileTracer<D>& tracer, const Vec3f& x, float h) {
  constexpr std::array<std::uint32_t, 1> which{0};
  Vec3f to;
  tracer.trace(which, std::span(&x, 1), h, std::span(&to, 1));
  return to;
}

// How far what goes around is from where it began, over fewer and more steps a turn.
std::vector<double> errors_of_a_turn(scene::PathIntegrator integrator) {
  const CellFrame<2> frame{cell_size, Vec3f::Zero()};
  const MacGrid<2> grid = turning(1);
  std::vector<double> errors;
  for (const int steps : {8, 16, 32}) {
    Vec3f x(1.1F, 0.7F, 0.4F);
    const Vec3f start = x;
    TileTracer<2> tracer(frame, grid, integrator);
    for (int n = 0; n < steps; ++n) {
      tracer.look_at(grid.tiles.find(tile_of<2>(cell_at<2>(frame.coordinates(x)))));
      x = trace(tracer, x, static_cast<float>(2 * M_PI / steps));
    }
    EXPECT_EQ(x[1], start[1]);
    errors.push_back(static_cast<double>((x - start).norm()));
  }
  return errors;
}

TEST(Advection, goes_around_in_circles_by_third_order) {
  const std::vector<double> errors = errors_of_a_turn(scene::PathIntegrator::rk3);
  EXPECT_GT(errors[0] / errors[1], 7);
  EXPECT_GT(errors[1] / errors[2], 7);
  EXPECT_LT(errors[2], 3e-3);
}

TEST(Advection, goes_around_in_circles_by_second_order_if_asked_to) {
  const std::vector<double> errors = errors_of_a_turn(scene::PathIntegrator::rk2);
  EXPECT_NEAR(errors[1] / errors[2], 4, 0.5);
  EXPECT_GT(errors[2], 0.03);
}

// Turns about an axis along the diagonal, in 3D; all places of a tile. What a step is off by is
// next to all of the first term that is missing: theta^(p + 1) / (p + 1)! times the way to the
// axis.
template <int D>
void expect_order(scene::PathIntegrator integrator, int order) {
  const Vec3 omega = D == 3 ? Vec3(1, 1, 1).normalized() : Vec3(0, -1, 0);
  const CellFrame<D> frame{cell_size, Vec3f(1, 2, 3)};
  const auto in_cells = [](const Cell<D>& cell, int of_faces) {
    Vec3 X = Vec3::Zero();
    for (int axis = 0; axis < D; ++axis) {
      X[world_axis<D>(axis)] =
          cell[static_cast<std::size_t>(axis)] + (axis == of_faces ? 0.0 : 0.5);
    }
    return X;
  };
  FlowBox<D> box = make_flow_box<D>();
  for (int axis = 0; axis < D; ++axis) {
    box.for_each([&](std::size_t i, const Cell<D>& cell) {
      box.grid.velocity[static_cast<std::size_t>(axis)][i] = static_cast<float>(
          static_cast<double>(cell_size) * omega.cross(in_cells(cell, axis))[world_axis<D>(axis)]);
    });
  }
  TileTracer<D> tracer(frame, box.grid, integrator);
  Cell<D> first{};
  tracer.look_at(box.grid.tiles.find(first));
  for (const double angle : {0.2, 0.4}) {
    double one_by_one = 0, together = 0, expected = 0;
    for (std::size_t index = 0; index < tile_size<D>; index += 8) {
      const Places<D> to = tracer.trace(index, no_axis, static_cast<float>(angle));
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const Vec3 start = in_cells(local_cell<D>(index + lane), no_axis);
        const Vec3 exact = Eigen::AngleAxisd(angle, omega) * start;
        Vec3 place = Vec3::Zero();
        for (int axis = 0; axis < D; ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          place[world_axis<D>(axis)] = static_cast<double>(to[a][lane]) + tracer.first_cell()[a];
        }
        together += (place - exact).squaredNorm();
        const Vec3 x = frame.origin.template cast<double>() + cell_size * start;
        const Vec3f traced = trace(tracer, Vec3f(x.cast<float>()), static_cast<float>(angle));
        one_by_one +=
            ((traced - frame.origin).template cast<double>() / cell_size - exact).squaredNorm();
        double term = omega.cross(start).norm();
        for (int n = 1; n <= order + 1; ++n)
          term *= angle / n;
        expected += term * term;
      }
    }
    EXPECT_NEAR(std::sqrt(together / expected), 1, 0.03) << angle;
    EXPECT_NEAR(std::sqrt(one_by_one / expected), 1, 0.03) << angle;
  }
}

TEST(Advection, a_step_is_off_by_the_first_term_beyond_its_order) {
  expect_order<2>(scene::PathIntegrator::rk2, 2);
  expect_order<3>(scene::PathIntegrator::rk2, 2);
  expect_order<2>(scene::PathIntegrator::rk3, 3);
  expect_order<3>(scene::PathIntegrator::rk3, 3);
}

// The tracer looks at a padded copy: the same way, also of what leaves it. To rounding, which grows
// 30 times where the flow ends within a cell.
TEST(Advection, through_one_tile_is_as_through_all) {
  const CellFrame<2> frame{cell_size, Vec3f::Zero()};
  const MacGrid<2> grid = turning(3);
  TileTracer<2> tracer(frame, grid);
  for (std::size_t tile = 0; tile < grid.tiles.count(); ++tile) {
    tracer.look_at(tile);
    const Cell<2> first = grid.tiles.first_cell(tile);
    for (int n = 0; n < 100; ++n) {
      const Vec3f x =
          cell_size * Vec3f(static_cast<float>(first[0]) + 0.16F * static_cast<float>(n), 0,
                            static_cast<float>(first[1] + n % 16) + 0.3F);
      const Vec3f to = trace(frame, grid, x, 0.2F);
      EXPECT_LT((trace(tracer, x, 0.2F) - to).norm(), 1e-4F);
    }
  }
}

// Middles of faces and of cells, in the middle of the grid and at its end, through a flow that
// turns what eight of them are by little and by much.
TEST(Advection, of_eight_at_once_is_as_of_each) {
  const CellFrame<2> frame{cell_size, Vec3f(0.3F, 0, -1)};
  for (const float rate : {0.1F, 3.0F}) {
    const MacGrid<2> grid = turning(rate);
    TileTracer<2> tracer(frame, grid);
    for (std::size_t tile = 0; tile < grid.tiles.count(); ++tile) {
      tracer.look_at(tile);
      for (int axis = no_axis; axis < 2; ++axis) {
        for (std::size_t index = 0; index < tile_size<2>; index += 8) {
          const Places<2> to = tracer.trace(index, axis, 0.2F);
          for (std::size_t lane = 0; lane < 8; ++lane) {
            const Cell<2> cell = grid.tiles.cell(tile * tile_size<2> + index + lane);
            Vec<2> within = Vec<2>::Constant(0.5F);
            if (axis != no_axis) within[axis] = 0;
            const Vec3f x = frame.place(cell, within, 0).cast<float>();
            const Vec<2> expected =
                frame.coordinates(trace(frame, grid, x, 0.2F), tracer.first_cell());
            for (std::size_t a = 0; a < 2; ++a)
              EXPECT_NEAR(to[a][lane], expected[static_cast<int>(a)], 1e-3F) << axis << ' ' << lane;
          }
        }
      }
    }
  }
}

TEST(Advection, far_from_all_tiles_there_is_no_flow) {
  const CellFrame<2> frame{cell_size, Vec3f::Zero()};
  const Vec3f x(1e3F, 0, -1e3F);
  const MacGrid<2> grid = turning(1);
  TileTracer<2> tracer(frame, grid);
  tracer.look_at(0);
  EXPECT_EQ(trace(tracer, x, 1), x);
}

// Eight at a time, in any order: each as by itself, and nobody else's.
TEST(Advection, traces_those_that_are_asked_for) {
  const CellFrame<2> frame{cell_size, Vec3f::Zero()};
  const MacGrid<2> grid = turning(1);
  TileTracer<2> tracer(frame, grid);
  tracer.look_at(0);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> part(0, cell_size * tile_edge<2>);
  std::vector<Vec3f> from(30), to(30, Vec3f::Constant(-1));
  for (Vec3f& x : from)
    x = Vec3f(part(random), part(random), part(random));
  std::vector<std::uint32_t> which;
  for (std::uint32_t i = 0; i < 19; ++i)
    which.push_back((7 * i + 3) % 30);
  tracer.trace(which, from, 0.1F, to);
  for (std::uint32_t i = 0; i < 30; ++i) {
    const bool is_asked_for = std::ranges::find(which, i) != which.end();
    const Vec3f expected = is_asked_for ? trace(tracer, from[i], 0.1F) : Vec3f(Vec3f::Constant(-1));
    EXPECT_EQ(to[i], expected) << i;
  }
}

TEST(Advection, of_what_is_no_number_ends_somewhere) {
  const CellFrame<2> frame{cell_size, Vec3f::Zero()};
  const MacGrid<2> grid = turning(1);
  for (const float x : {1e30F, -1e30F, std::nanf("")}) {
    TileTracer<2> tracer(frame, grid);
    tracer.look_at(0);
    static_cast<void>(trace(tracer, Vec3f(x, 0, 0), 0.1F));
    static_cast<void>(trace(tracer, Vec3f(0, 0, x), 0.1F));
    // There is no flow; between places that are no numbers, that is none either.
    if (std::isfinite(x)) {
      EXPECT_EQ(velocity_at<2>(frame, grid, Vec3f(x, 0, x)), (Vec<2>(0, 0)));
    }
  }
}

}  // namespace
}  // namespace sluice::fluid::grid
