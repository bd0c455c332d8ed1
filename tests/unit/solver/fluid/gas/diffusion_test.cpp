// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/diffusion.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <vector>

#include "solver/fluid/gas/gas_box.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::grid {
namespace {

constexpr scene::PressureSettings to_rounding{scene::Preconditioner::multigrid, 1e-10, 1000};

// A domain from 0 on, of cells of edge 1, with what fills it.
template <int D>
struct Domain {
  Sides<D> sides;
  CellFrame<D> frame{1, Vec3f::Zero()};
  std::vector<scene::Obstacle> obstacles;
  SolidFaces<D> solids;
  GasBox<D> box;
  MacGrid<D> grid;

  explicit Domain(const Sides<D>& given, std::vector<scene::Obstacle> within = {})
      : sides(given), obstacles(std::move(within)), solids(frame, sides, 0.5), box(sides) {
    grid.tiles = box.tiles();
    solids.set_obstacles(obstacles);
    solids.find(grid);
    box.find_live(grid);
    for (auto& velocity : grid.velocity)
      velocity.assign(grid.tiles.array_size(), 0);
  }

  SolveReport diffuse(float number) {
    return Diffusion<D>().apply(number, to_rounding, solids, nullptr, box.live_faces(), true, grid);
  }

  // Calls visit(index in arrays, face) for the faces of an axis that gas flows through.
  template <typename Visit>
  void for_each_live(std::size_t axis, const Visit& visit) const {
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i) {
      if (box.live_faces()[axis][i] != 0) visit(i, grid.tiles.cell(i));
    }
  }

  void scatter(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> part(-1, 1);
    for (std::size_t axis = 0; axis < D; ++axis)
      for_each_live(axis,
                    [&](std::size_t i, const Cell<D>&) { grid.velocity[axis][i] = part(random); });
  }
};

template <int D>
Sides<D> sides_of(const Cell<D>& cells, scene::WallCondition wall) {
  Sides<D> sides;
  sides.cells = cells;
  for (auto& axis : sides.is_wall)
    axis = {true, true};
  sides.wall = wall;
  return sides;
}

// (1 - number laplace) u = u*, a component at a time, of a ball that the flow sticks to and one
// that it slips along. Cell by cell, in double, solved by elimination.
template <int D>
class Dense {
 public:
  Dense(const Domain<D>& domain, double number, int axis)
      : domain_(domain), number_(number), axis_(axis) {
    domain.for_each_live(static_cast<std::size_t>(axis), [&](std::size_t, const Cell<D>& face) {
      rows_.emplace(face, static_cast<int>(rows_.size()));
    });
  }

  std::map<Cell<D>, double> solve() const {
    const auto size = static_cast<Eigen::Index>(rows_.size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(size, size);
    Eigen::VectorXd b(size);
    const auto a = static_cast<std::size_t>(axis_);
    for (const auto& [face, row] : rows_) {
      b[row] = domain_.grid.velocity[a][domain_.grid.tiles.find_cell(face)];
      for (std::size_t across = 0; across < D; ++across) {
        for (const int step : {-1, 1}) {
          Cell<D> next = face;
          next[across] += step;
          const double away = distance(face), further = distance(next);
          if (away <= 0 || further <= 0) {  // The nearest that counts is 0.02 cells away.
            const double way = away <= 0 ? 0 : away / (away - further);
            drag(row, 1 / std::max(way, 0.02), domain_.obstacles[0].velocity[world_axis<D>(axis_)],
                 A, b);
          } else if (const auto found = rows_.find(next); found != rows_.end()) {
            A(row, row) += number_;
            A(row, found->second) -= number_;
          } else {
            meet_wall(row, face, across, step, A, b);
          }
        }
      }
    }
    const Eigen::VectorXd x = A.partialPivLu().solve(b);
    std::map<Cell<D>, double> solution;
    for (const auto& [face, row] : rows_)
      solution.emplace(face, x[row]);
    return solution;
  }

 private:
  void drag(int row, double weight, double velocity, Eigen::MatrixXd& A, Eigen::VectorXd& b) const {
    A(row, row) += number_ * weight;
    b[row] += number_ * weight * velocity;
  }

  void meet_wall(int row, const Cell<D>& face, std::size_t across, int step, Eigen::MatrixXd& A,
                 Eigen::VectorXd& b) const {
    const Sides<D>& sides = domain_.sides;
    const bool is_normal = static_cast<int>(across) == axis_;
    const std::int32_t first = is_normal ? 1 : 0, last = sides.cells[across] - 1;
    const bool is_at_side = step < 0 ? face[across] == first : face[across] == last;
    const std::size_t side = step < 0 ? 0 : 1;
    if (!is_at_side || !sides.is_wall[across][side]) return;  // An obstacle that lets it slip.
    const scene::SideVelocity& of_side = sides.velocity[across][side];
    const bool is_inlet = of_side.velocity[world_axis<D>(static_cast<int>(across))] != 0;
    if (!is_normal && sides.wall == scene::WallCondition::slip && !is_inlet) return;
    double velocity = of_side.velocity[world_axis<D>(axis_)];
    for (std::size_t along = 0; of_side.is_parabolic && along < D; ++along) {
      if (along == across) continue;
      const double part =
          (face[along] + (static_cast<int>(along) == axis_ ? 0 : 0.5)) / sides.cells[along];
      velocity *= 4 * part * (1 - part);
    }
    drag(row, is_normal ? 1 : 2, velocity, A, b);
  }

  // The distance of a face's middle from the first ball, which the flow sticks to.
  double distance(const Cell<D>& face) const {
    Vec3 x(0, 0.5, 0);
    for (int a = 0; a < D; ++a)
      x[world_axis<D>(a)] = face[static_cast<std::size_t>(a)] + (a == axis_ ? 0 : 0.5);
    const scene::Obstacle& ball = domain_.obstacles[0];
    return (x - ball.shape.translation).norm() - std::get<geometry::Sphere>(ball.shape.form).radius;
  }

  const Domain<D>& domain_;
  double number_;
  int axis_;
  std::map<Cell<D>, int> rows_;
};

template <int D>
void expect_as_dense(scene::WallCondition wall) {
  Cell<D> cells;
  cells.fill(7);
  cells[0] = 9;
  Sides<D> sides = sides_of<D>(cells, wall);
  sides.velocity[0][0] = {{1.5, 0, 0.25}, true};      // An inlet, across x.
  sides.is_wall[0][1] = false;                        // Open.
  sides.velocity[D - 1][1] = {{2, 0.5, 0}, false};    // A lid that slides.
  sides.velocity[D - 1][0] = {{0, 0, -0.75}, false};  // An outlet.
  scene::Obstacle sticky;
  sticky.name = "sticky";
  sticky.shape = test::sphere({3.3, D == 3 ? 3.6 : 0.5, 3.4}, 1.7);
  sticky.wall = scene::WallCondition::no_slip;
  sticky.velocity = {-1, 0.5, 3};
  scene::Obstacle smooth = sticky;
  smooth.name = "smooth";
  smooth.shape = test::sphere({7.2, D == 3 ? 2.6 : 0.5, 2.1}, 1.1);
  smooth.wall = scene::WallCondition::slip;
  for (const double number : {0.3, 40.0}) {
    Domain<D> domain(sides, {sticky, smooth});
    domain.scatter(7);
    std::array<std::map<Cell<D>, double>, D> expected;
    for (int axis = 0; axis < D; ++axis)
      expected[static_cast<std::size_t>(axis)] = Dense<D>(domain, number, axis).solve();
    const SolveReport report = domain.diffuse(static_cast<float>(number));
    EXPECT_TRUE(report.converged);
    EXPECT_GT(report.iterations, 0);
    for (std::size_t axis = 0; axis < D; ++axis) {
      EXPECT_GT(expected[axis].size(), 30U);
      domain.for_each_live(axis, [&](std::size_t i, const Cell<D>& face) {
        // Weights are floats, up to 50 times the others.
        EXPECT_NEAR(domain.grid.velocity[axis][i], expected[axis].at(face), 2e-5) << axis;
      });
    }
  }
}

TEST(Diffusion, is_that_of_a_dense_solve) {
  for (const auto wall : {scene::WallCondition::slip, scene::WallCondition::no_slip}) {
    expect_as_dense<2>(wall);
    expect_as_dense<3>(wall);
  }
}

// A channel along x, open at both ends.
Sides<2> channel(std::int32_t height, scene::WallCondition wall) {
  Sides<2> sides = sides_of<2>({20, height}, wall);
  sides.is_wall[0] = {false, false};
  return sides;
}

// profile(height above the floor [cells]) along x.
template <typename Profile>
void set_profile(Domain<2>& domain, const Profile& profile) {
  domain.for_each_live(0, [&](std::size_t i, const Cell<2>& face) {
    domain.grid.velocity[0][i] = static_cast<float>(profile(face[1] + 0.5));
  });
}

template <typename Profile>
void expect_profile(const Domain<2>& domain, double tolerance, const Profile& profile) {
  int compared = 0;
  domain.for_each_live(0, [&](std::size_t i, const Cell<2>& face) {
    EXPECT_NEAR(domain.grid.velocity[0][i], profile(face[1] + 0.5), tolerance) << face[1];
    ++compared;
  });
  EXPECT_GT(compared, 100);
  domain.for_each_live(1, [&](std::size_t i, const Cell<2>&) {
    EXPECT_NEAR(domain.grid.velocity[1][i], 0, tolerance);
  });
}

// Between a floor at rest and a lid that slides; it is what becomes of gas at rest, too.
TEST(Diffusion, keeps_couette_flow) {
  Sides<2> sides = channel(16, scene::WallCondition::no_slip);
  sides.velocity[1][1].velocity = {2, 0, 0};
  const auto couette = [](double z) { return 2 * z / 16; };
  Domain<2> domain(sides);
  set_profile(domain, couette);
  domain.diffuse(3);
  expect_profile(domain, 1e-6, couette);
  Domain<2> at_rest(sides);
  at_rest.diffuse(1e6F);
  expect_profile(at_rest, 1e-4, couette);  // 16^2 / pi^2 over the number is not there yet.
}

// Off the lattice: one at 2.3 cells, the other at 13.55.
TEST(Diffusion, keeps_couette_flow_between_plates_anywhere) {
  scene::Obstacle floor;
  floor.name = "floor";
  floor.wall = scene::WallCondition::no_slip;
  floor.shape = test::box({-50, -50, -50}, {70, 50, 2.3});
  scene::Obstacle lid = floor;
  lid.name = "lid";
  lid.shape = test::box({-50, -50, 13.55}, {70, 50, 70});
  lid.velocity = {2, 0, 0};
  const auto couette = [](double z) { return 2 * (z - 2.3) / (13.55 - 2.3); };
  Domain<2> domain(channel(16, scene::WallCondition::slip), {floor, lid});
  set_profile(domain, couette);
  domain.diffuse(3);
  int compared = 0;
  domain.for_each_live(0, [&](std::size_t i, const Cell<2>& face) {
    const double z = face[1] + 0.5;
    if (z < 2.3 || z > 13.55) return;  // The middles of faces that are partly open.
    EXPECT_NEAR(domain.grid.velocity[0][i], couette(z), 3e-6) << z;
    ++compared;
  });
  EXPECT_GT(compared, 100);
}

// Backward Euler's factor of a wave that walls let slip.
TEST(Diffusion, damps_a_shear_wave_as_backward_euler_does) {
  for (const int waves : {1, 3, 15}) {
    const auto wave = [&](double z) { return std::cos(std::numbers::pi * waves * z / 16); };
    for (const float number : {0.1F, 2.0F, 50.0F}) {
      Domain<2> domain(channel(16, scene::WallCondition::slip));
      set_profile(domain, wave);
      domain.diffuse(number);
      const double factor =
          1 / (1 + static_cast<double>(number) * 2 * (1 - std::cos(std::numbers::pi * waves / 16)));
      expect_profile(domain, 1e-6, [&](double z) { return factor * wave(z); });
    }
  }
}

// A uniform push, until nothing changes. Walls half a cell off leave an error of the push times an
// eighth of a cell's square everywhere: over the fastest, 1 / height^2.
TEST(Diffusion, finds_poiseuille_flow_by_second_order) {
  constexpr float number = 1000;
  for (const std::int32_t height : {8, 16, 32}) {
    const double squared = height * height;
    Domain<2> domain(channel(height, scene::WallCondition::no_slip));
    for (int step = 0; step < 8; ++step) {
      domain.for_each_live(0, [&](std::size_t i, const Cell<2>&) {
        domain.grid.velocity[0][i] += static_cast<float>(8 * static_cast<double>(number) / squared);
      });
      domain.diffuse(number);
    }
    expect_profile(domain, 0.02 / squared,
                   [&](double z) { return 4 * z * (height - z) / squared + 1 / squared; });
  }
}

// The system of the call before serves the next, if nothing has changed.
TEST(Diffusion, follows_what_changes) {
  const Sides<2> sides = channel(16, scene::WallCondition::no_slip);
  scene::Obstacle ball;
  ball.name = "ball";
  ball.wall = scene::WallCondition::no_slip;
  ball.shape = test::sphere({10.2, 0.5, 8.1}, 3);
  Diffusion<2> diffusion;
  const auto expect_as_anew = [&](const std::vector<scene::Obstacle>& obstacles, float number,
                                  bool has_changed) {
    Domain<2> domain(sides, obstacles), anew(sides, obstacles);
    domain.scatter(3);
    anew.scatter(3);
    diffusion.apply(number, to_rounding, domain.solids, nullptr, domain.box.live_faces(),
                    has_changed, domain.grid);
    anew.diffuse(number);
    EXPECT_EQ(domain.grid.velocity, anew.grid.velocity) << number;
  };
  expect_as_anew({}, 2, true);
  expect_as_anew({}, 2, false);
  expect_as_anew({}, 4, false);
  expect_as_anew({ball}, 4, true);
  expect_as_anew({}, 4, true);
}

}  // namespace
}  // namespace sluice::fluid::grid
