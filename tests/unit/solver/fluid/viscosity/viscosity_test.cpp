// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/viscosity/viscosity.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/viscosity/viscous_multigrid.h"
#include "solver/parallel/thread_limit.h"

namespace sluice::fluid::grid {
namespace {

template <int D>
using Place = std::array<double, D>;  // [cells]

// Tiles from `first` up to, without, `last`, along each axis.
template <int D>
Tiles<D> tiles_between(const Cell<D>& first, const Cell<D>& last, const Cell<D>& period = {}) {
  std::vector<Cell<D>> tiles{Cell<D>{}};
  for (std::size_t axis = 0; axis < D; ++axis) {
    std::vector<Cell<D>> more;
    for (Cell<D> tile : tiles) {
      for (tile[axis] = first[axis]; tile[axis] < last[axis]; ++tile[axis])
        more.push_back(tile);
    }
    tiles = more;
  }
  return Tiles<D>(tiles, period);
}

// A grid with the liquid that `distance` says, and velocities by axis and place of the face; closed
// faces have the solid's.
template <int D>
MacGrid<D> make_grid(const Tiles<D>& tiles, const Sides<D>& sides,
                     const std::vector<scene::Obstacle>& obstacles,
                     const std::function<double(const Place<D>&)>& distance,
                     const std::function<double(std::size_t, const Place<D>&)>& velocity) {
  MacGrid<D> grid;
  grid.tiles = tiles;
  SolidFaces<D> solids({1, Vec3f::Zero()}, sides, 0);
  solids.set_obstacles(obstacles);
  solids.find(grid);
  solids.find_grip(grid);
  grid.distance.assign(tiles.array_size(), 1);
  grid.is_full.assign(tiles.count() + 1, 0);
  for (auto& of_axis : grid.velocity)
    of_axis.assign(tiles.array_size(), 0);
  for (std::size_t i = 0; i < tiles.count() * tile_size<D>; ++i) {
    const Cell<D> cell = tiles.cell(i);
    Place<D> corner;
    std::ranges::copy(cell, corner.begin());
    Place<D> middle = corner;
    for (double& x : middle)
      x += 0.5;
    grid.distance[i] = static_cast<float>(std::clamp(distance(middle), -1.0, 1.0));
    for (std::size_t axis = 0; axis < D; ++axis) {
      Place<D> face = middle;
      face[axis] = corner[axis];
      const float of_liquid = static_cast<float>(velocity(axis, face));
      const float of_solid = grid.solid_flow[axis].empty() ? 0 : grid.solid_flow[axis][i];
      grid.velocity[axis][i] = grid.open[axis][i] > 0 ? of_liquid : of_solid;
    }
  }
  return grid;
}

template <int D>
Sides<D> sides(const Cell<D>& cells, bool are_walls, scene::WallCondition condition) {
  Sides<D> sides;
  sides.cells = cells;
  for (auto& of_axis : sides.is_wall)
    of_axis = {are_walls, are_walls};
  sides.wall = condition;
  return sides;
}

// Random velocities and distances with all kinds of cells in a vessel without slip, and a ball in
// it that moves. With a `period` [tiles], it has no sides along x.
template <int D>
MacGrid<D> random_grid(unsigned seed, std::int32_t period = 0) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-1, 1);
  Cell<D> first, last, cells;
  first.fill(-1);
  last.fill(2);
  cells.fill(tile_edge<D> + 3);
  if (period > 0) {
    first[0] = 0;
    last[0] = period;
  }
  scene::Obstacle ball;
  ball.shape.form = geometry::Sphere{2.2};
  ball.shape.translation = {4.3, D == 3 ? 5.1 : 0, D == 3 ? 3.9 : 5.1};
  ball.wall = scene::WallCondition::no_slip;
  ball.velocity = Vec3(0.7, 0, -0.3);
  Sides<D> vessel = sides<D>(cells, true, scene::WallCondition::no_slip);
  if (period > 0) {
    vessel.is_wall[0] = {false, false};
    vessel.is_periodic[0] = true;
    vessel.cells[0] = period * tile_edge<D>;
  }
  return make_grid<D>(
      tiles_between<D>(first, last, {period}), vessel, {ball},
      [&](const Place<D>&) { return part(random); },
      [&](std::size_t, const Place<D>&) { return part(random); });
}

// A ball or disc of liquid in the middle of nothing.
template <int D>
MacGrid<D> blob(double radius,
                const std::function<double(std::size_t, const Place<D>&)>& velocity) {
  Cell<D> first, last;
  first.fill(-2);
  last.fill(2);
  return make_grid<D>(
      tiles_between<D>(first, last), sides<D>({}, false, scene::WallCondition::slip), {},
      [&](const Place<D>& x) {
        double squared = 0;
        for (const double c : x)
          squared += (c - 0.3) * (c - 0.3);
        return std::sqrt(squared) - radius;
      },
      velocity);
}

// The energy's Hessian over all faces, by the definition in viscous_system.h.
template <int D>
Eigen::MatrixXd dense_system(const ViscousVolumes<D>& volumes, double number) {
  const Tiles<D>& tiles = volumes.tiles;
  const auto size = static_cast<Eigen::Index>(tiles.array_size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(D * size, D * size);
  using Term = std::pair<Eigen::Index, double>;
  const auto add = [&](double weight, const std::vector<Term>& strain) {
    for (const auto& [i, a] : strain) {
      for (const auto& [j, b] : strain)
        A(i, j) += weight * a * b;
    }
  };
  const auto face = [&](std::size_t axis, const Cell<D>& cell) {
    return static_cast<Eigen::Index>(axis) * size +
           static_cast<Eigen::Index>(tiles.find_cell(cell));
  };
  for (std::size_t i = 0; i < tiles.count() * tile_size<D>; ++i) {
    const Cell<D> cell = tiles.cell(i);
    for (std::size_t a = 0; a < D; ++a) {
      const double volume = volumes.faces[a][i];
      if (volume > 0) A(face(a, cell), face(a, cell)) += volume;
      Cell<D> after = cell, before_a = cell;
      ++after[a];
      --before_a[a];
      // 2 N V |strain|^2 is half of the energy's: its Hessian is twice that, over two.
      if (volumes.cells[i] > 0)
        add(2 * number * volumes.cells[i], {{face(a, after), 1}, {face(a, cell), -1}});
      for (std::size_t b = a + 1; b < D; ++b) {
        const double of_edge = volumes.edges[plane_of<D>(a, b)][i];
        Cell<D> before_b = cell;
        --before_b[b];
        // Both off-diagonal strains, each half of the sum: 2 N V 2 (sum / 2)^2.
        if (of_edge > 0) {
          add(number * of_edge, {{face(a, cell), 1},
                                 {face(a, before_b), -1},
                                 {face(b, cell), 1},
                                 {face(b, before_a), -1}});
        }
      }
    }
  }
  return A;
}

template <int D>
std::vector<std::size_t> unknowns(const ViscousVolumes<D>& volumes) {
  std::vector<std::size_t> of_all;
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t i = 0; i < volumes.tiles.array_size(); ++i) {
      if (volumes.faces[axis][i] > 0) of_all.push_back(axis * volumes.tiles.array_size() + i);
    }
  }
  return of_all;
}

// Oracle: the minimum by a dense factor.
TEST(Viscosity, is_the_minimum_of_its_energy) {
  MacGrid<2> grid = random_grid<2>(1);
  const float number = 3;
  const ViscousVolumes<2> volumes = find_volumes(grid);
  const Eigen::MatrixXd A = dense_system<2>(volumes, number);
  const auto indices = unknowns<2>(volumes);
  const std::size_t size = grid.tiles.array_size();
  ASSERT_GT(indices.size(), 300U);
  const auto count = static_cast<Eigen::Index>(indices.size());
  Eigen::VectorXd given = Eigen::VectorXd::Zero(A.rows()), b(count);
  for (std::size_t i = 0; i < 2 * size; ++i) {
    if (volumes.faces[i / size][i % size] < 0)
      given[static_cast<Eigen::Index>(i)] = grid.solid_flow[i / size][i % size];
  }
  ASSERT_GT(given.norm(), 1);
  const Eigen::VectorXd of_given = A * given;
  Eigen::MatrixXd part(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::size_t at = indices[static_cast<std::size_t>(i)];
    b[i] = volumes.faces[at / size][at % size] * grid.velocity[at / size][at % size] -
           of_given[static_cast<Eigen::Index>(at)];
    for (Eigen::Index j = 0; j < count; ++j)
      part(i, j) = A(static_cast<Eigen::Index>(at),
                     static_cast<Eigen::Index>(indices[static_cast<std::size_t>(j)]));
  }
  const Eigen::VectorXd solution = part.ldlt().solve(b);
  ViscositySolver<2> solver;
  const SolveReport report = solver.apply(number, 1e-9, 200, grid);
  EXPECT_TRUE(report.converged) << report.residual;
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::size_t at = indices[static_cast<std::size_t>(i)];
    EXPECT_NEAR(grid.velocity[at / size][at % size], solution[i], 1e-6);
  }
  for (std::size_t i = 0; i < 2 * size; ++i) {
    if (volumes.faces[i / size][i % size] < 0) {
      EXPECT_EQ(grid.velocity[i / size][i % size], grid.solid_flow[i / size][i % size]);
    }
  }
}

// x . A x by the sums over cells and edges, without a matrix.
template <int D>
double energy(const ViscousVolumes<D>& volumes, double number, const Array<float>& x) {
  const Tiles<D>& tiles = volumes.tiles;
  const auto at = [&](std::size_t axis, const Cell<D>& cell) {
    return static_cast<double>(x[axis * tiles.array_size() + tiles.find_cell(cell)]);
  };
  double sum = 0;
  for (std::size_t i = 0; i < tiles.count() * tile_size<D>; ++i) {
    const Cell<D> cell = tiles.cell(i);
    for (std::size_t a = 0; a < D; ++a) {
      Cell<D> after = cell, before_a = cell;
      ++after[a];
      --before_a[a];
      sum += std::max(0.0F, volumes.faces[a][i]) * std::pow(at(a, cell), 2);
      sum +=
          std::max(0.0F, volumes.cells[i]) * 2 * number * std::pow(at(a, after) - at(a, cell), 2);
      for (std::size_t b = a + 1; b < D; ++b) {
        Cell<D> before_b = cell;
        --before_b[b];
        sum += std::max(0.0F, volumes.edges[plane_of<D>(a, b)][i]) * number *
               std::pow(at(a, cell) - at(a, before_b) + at(b, cell) - at(b, before_a), 2);
      }
    }
  }
  return sum;
}

template <int D>
void expect_symmetric(unsigned seed, std::int32_t period = 0) {
  const MacGrid<D> grid = random_grid<D>(seed, period);
  const ViscousSystem<D> system(find_volumes(grid), 7);
  ViscousMultigrid<D> preconditioner(system);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Array<float> x(system.vector_size(), 0), y(x), z(x), w(x);
  for (const std::size_t i : unknowns<D>(system.volumes())) {
    x[i] = normal(random);
    y[i] = normal(random);
  }
  Array<double> of_x(x.size(), 0), of_y(x.size(), 0);
  const double energy_of_x = system.apply(x, of_x);
  system.apply(y, of_y);
  const auto dot = [](const auto& a, const auto& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  const double scale = std::sqrt(dot(x, of_x) * dot(y, of_y));
  EXPECT_NEAR(dot(x, of_y), dot(y, of_x), 1e-6 * scale);  // Weights are floats.
  EXPECT_NEAR(energy_of_x, dot(x, of_x), 1e-12 * energy_of_x);
  EXPECT_NEAR(energy_of_x, energy<D>(system.volumes(), 7, x), 1e-6 * energy_of_x);
  preconditioner.apply(x, z);
  preconditioner.apply(y, w);
  const double size = std::sqrt(dot(x, z) * dot(y, w));
  EXPECT_GT(dot(x, z), 0);
  EXPECT_NEAR(dot(x, w), dot(y, z), 1e-5 * size);
}

TEST(Viscosity, has_a_symmetric_system_and_preconditioner) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    expect_symmetric<2>(seed);
    expect_symmetric<3>(seed);
  }
  for (const std::int32_t period : {2, 4, 6}) {
    expect_symmetric<2>(5, period);
    expect_symmetric<3>(5, period);
  }
}

// A level surface within a cell: the parts of cubes below it are known.
TEST(Viscosity, finds_the_volumes_below_a_level_surface) {
  const double level = 3.3;
  const MacGrid<3> grid = make_grid<3>(
      tiles_between<3>({0, 0, 0}, {2, 2, 2}), sides<3>({16, 16, 16}, false, {}), {},
      [&](const Place<3>& x) { return x[2] - level; },
      [](std::size_t, const Place<3>&) { return 0; });
  const ViscousVolumes<3> volumes = find_volumes(grid);
  const auto below = [&](double middle) { return std::clamp(level - middle + 0.5, 0.0, 1.0); };
  for (std::int32_t z = 1; z < 6; ++z) {
    const std::size_t i = grid.tiles.find_cell({7, 8, z});
    // Faces along z between air and air are air; those of the surface have a velocity.
    EXPECT_NEAR(volumes.faces[2][i], below(z), 1e-6) << z;
    EXPECT_NEAR(volumes.faces[0][i], grid.distance[i] < 0 ? below(z + 0.5) : 0, 1e-6) << z;
    EXPECT_NEAR(volumes.cells[i], grid.distance[i] < 0 ? below(z + 0.5) : 0, 1e-6) << z;
    EXPECT_NEAR(volumes.edges[2][i], grid.distance[i] < 0 ? below(z + 0.5) : 0, 1e-6) << z;
    EXPECT_NEAR(volumes.edges[0][i], grid.distance[i] < 0 ? below(z) : 0, 1e-6) << z;
  }
}

// The largest change of a velocity, over the largest velocity.
template <int D>
double largest_change(const MacGrid<D>& before, const MacGrid<D>& after) {
  const ViscousVolumes<D> volumes = find_volumes(before);
  double change = 0, largest = 0;
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t i = 0; i < before.tiles.array_size(); ++i) {
      const double v = before.velocity[axis][i];
      change = std::max(change, std::abs(static_cast<double>(after.velocity[axis][i]) - v));
      if (volumes.faces[axis][i] > 0) largest = std::max(largest, std::abs(v));
    }
  }
  return change / largest;
}

// A rigid motion has no strain, at the surface either [Batty2008].
TEST(Viscosity, leaves_rigid_motions_alone) {
  const auto turning = [](std::size_t axis, const Place<3>& x) {
    const Place<3> spin{0.3, -0.5, 0.8}, along{1, 2, -1};
    const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
    return along[axis] + spin[b] * x[c] - spin[c] * x[b];
  };
  for (const float number : {1.0F, 100.0F, 1e4F}) {
    const MacGrid<3> before = blob<3>(9.4, turning);
    MacGrid<3> after = before;
    ViscositySolver<3> solver;
    EXPECT_TRUE(solver.apply(number, 1e-6, 100, after).converged);
    EXPECT_LT(largest_change(before, after), 3e-6) << number;
  }
}

TEST(Viscosity, keeps_momentum_and_angular_momentum_of_what_is_free) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(-1, 1);
  const MacGrid<3> before =
      blob<3>(6.2, [&](std::size_t, const Place<3>&) { return part(random); });
  const ViscousVolumes<3> volumes = find_volumes(before);
  // Momenta along all axes, then about all of them.
  const auto momenta = [&](const MacGrid<3>& grid) {
    std::array<double, 6> sums{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
        if (!(volumes.faces[axis][i] > 0)) continue;
        const Cell<3> cell = grid.tiles.cell(i);
        const double p = static_cast<double>(volumes.faces[axis][i]) *
                         static_cast<double>(grid.velocity[axis][i]);
        const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
        sums[axis] += p;
        sums[3 + b] += p * (cell[c] + 0.5);
        sums[3 + c] -= p * (cell[b] + 0.5);
      }
    }
    return sums;
  };
  MacGrid<3> after = before;
  ViscositySolver<3> solver;
  EXPECT_TRUE(solver.apply(20, 1e-7, 100, after).converged);
  EXPECT_GT(largest_change(before, after), 0.5);
  for (std::size_t n = 0; n < 6; ++n)
    EXPECT_NEAR(momenta(after)[n], momenta(before)[n], 2e-3) << n;
}

// Rolls in a vessel with slip, which backward Euler slows by 1 + N times the eigenvalue: that of
// the discrete system, to rounding.
template <int D>
void expect_decay(std::int32_t n, float number) {
  const double k = std::numbers::pi / n;
  Cell<D> first, last, cells;
  first.fill(-1);
  last.fill((n + tile_edge<D> - 1) / tile_edge<D> + 1);
  cells.fill(n);
  const auto rolls = [&](std::size_t axis, const Place<D>& x) {
    if (axis == 0) return std::sin(k * x[0]) * std::cos(k * x[1]);
    if (axis == 1) return -std::cos(k * x[0]) * std::sin(k * x[1]);
    return 0.0;
  };
  const MacGrid<D> before = make_grid<D>(
      tiles_between<D>(first, last), sides<D>(cells, true, scene::WallCondition::slip), {},
      [](const Place<D>&) { return -1; }, rolls);
  MacGrid<D> after = before;
  ViscositySolver<D> solver;
  EXPECT_TRUE(solver.apply(number, 1e-8, 100, after).converged);
  const double slower = 1 + number * 8 * std::pow(std::sin(k / 2), 2);
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t i = 0; i < before.tiles.array_size(); ++i) {
      if (before.open[axis][i] > 0) {
        ASSERT_NEAR(after.velocity[axis][i], before.velocity[axis][i] / slower, 2e-6);
      }
    }
  }
}

TEST(Viscosity, slows_rolls_between_slippery_walls_as_backward_euler_does) {
  expect_decay<2>(32, 20);
  expect_decay<2>(21, 3);
  expect_decay<3>(16, 5);
}

// Flow along a channel that walls without slip slow: u - N u'' = 1 between them, in cells. The
// middle of a channel that is far longer than wide.
double error_of_channel(std::int32_t n) {
  const double reach = 0.3 * n;  // The root of N.
  const std::int32_t length = 8 * n;
  Sides<2> channel = sides<2>({length, n}, false, scene::WallCondition::no_slip);
  channel.is_wall[1] = {true, true};
  MacGrid<2> grid = make_grid<2>(
      tiles_between<2>({-1, -1}, {length / 16 + 1, n / 16 + 2}), channel, {},
      [&](const Place<2>& x) { return x[0] < 0 || x[0] > length ? 1 : -1; },
      [](std::size_t axis, const Place<2>&) { return axis == 0 ? 1 : 0; });
  ViscositySolver<2> solver;
  const auto number = static_cast<float>(reach * reach);
  EXPECT_TRUE(solver.apply(number, 1e-9, 200, grid).converged);
  double worst = 0;
  for (std::int32_t z = 0; z < n; ++z) {
    const double exact = 1 - std::cosh((z + 0.5 - 0.5 * n) / reach) / std::cosh(0.5 * n / reach);
    const double u = grid.velocity[0][grid.tiles.find_cell({length / 2, z})];
    worst = std::max(worst, std::abs(u - exact));
  }
  return worst;
}

// The same where two periods are as long as a roll: from a corner on that is between the cells of
// all levels, and none of it tells where the sides are.
template <int D>
void expect_decay_in_periods(std::int32_t tiles, float number) {
  const std::int32_t n = tiles * tile_edge<D>;
  const double k = 2 * std::numbers::pi / n;
  Cell<D> last, period{};
  last.fill(D == 3 ? 2 : 1);
  last[0] = last[1] = period[0] = period[1] = tiles;
  if (D == 3) period[2] = 2;
  Sides<D> around = sides<D>({}, false, scene::WallCondition::slip);
  for (std::size_t axis = 0; axis < D; ++axis) {
    around.cells[axis] = last[axis] * tile_edge<D>;
    around.is_periodic[axis] = true;
  }
  const MacGrid<D> before = make_grid<D>(
      tiles_between<D>({}, last, period), around, {}, [](const Place<D>&) { return -1; },
      [&](std::size_t axis, const Place<D>& x) {
        if (axis == 0) return std::sin(k * (x[0] - 3.3)) * std::cos(k * x[1]);
        if (axis == 1) return -std::cos(k * (x[0] - 3.3)) * std::sin(k * x[1]);
        return 0.0;
      });
  MacGrid<D> after = before;
  ViscositySolver<D> solver;
  const SolveReport report = solver.apply(number, 1e-7, 100, after);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 15) << number;
  const double slower = 1 + number * 8 * std::pow(std::sin(k / 2), 2);
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t i = 0; i < before.tiles.count() * tile_size<D>; ++i)
      ASSERT_NEAR(after.velocity[axis][i], before.velocity[axis][i] / slower, 4e-6);
  }
}

TEST(Viscosity, slows_rolls_in_an_endless_row_as_backward_euler_does) {
  for (const float number : {2.0F, 300.0F}) {
    expect_decay_in_periods<2>(2, number);
    expect_decay_in_periods<2>(6, number);
    expect_decay_in_periods<3>(2, number);
    expect_decay_in_periods<3>(6, number);
  }
}

TEST(Viscosity, drags_on_walls_without_slip_to_second_order) {
  const double coarse = error_of_channel(8), fine = error_of_channel(16);
  EXPECT_LT(fine, 6e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25);
}

TEST(Viscosity, is_the_same_for_any_number_of_threads) {
  const auto solve = [](int threads, std::int32_t period) {
    MacGrid<3> grid = random_grid<3>(8, period);
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      ViscositySolver<3> solver;
      EXPECT_TRUE(solver.apply(41, 1e-6, 100, grid).converged);
    });
    return grid.velocity;
  };
  for (const std::int32_t period : {0, 2, 6})
    EXPECT_EQ(solve(1, period), solve(2, period)) << period;
}

TEST(Viscosity, of_next_to_nothing_does_nothing) {
  for (const float number : {0.0F, 1e-8F}) {
    const MacGrid<3> before = random_grid<3>(2);
    MacGrid<3> after = before;
    ViscositySolver<3> solver;
    const SolveReport report = solver.apply(number, 1e-6, 100, after);
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(after.velocity, before.velocity);
  }
}

// The liquid is as stiff as a solid: all that touches the vessel stops, or goes with the ball.
TEST(Viscosity, of_a_million_converges) {
  MacGrid<3> grid = random_grid<3>(4);
  ViscositySolver<3> solver;
  const SolveReport report = solver.apply(1e6F, 1e-6, 200, grid);
  EXPECT_TRUE(report.converged) << report.residual << " after " << report.iterations;
}

// A tank of liquid, and a drop that does not touch anything.
TEST(Viscosity, takes_few_iterations_whatever_it_is) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(-1, 1);
  for (const auto condition : {scene::WallCondition::slip, scene::WallCondition::no_slip}) {
    const MacGrid<3> before = make_grid<3>(
        tiles_between<3>({-1, -1, -1}, {5, 5, 3}), sides<3>({32, 32, 32}, true, condition), {},
        [](const Place<3>& x) { return x[2] - 12.6; },
        [&](std::size_t, const Place<3>&) { return part(random); });
    for (const float number : {1.0F, 41.0F, 1e3F, 1e4F}) {
      MacGrid<3> after = before;
      ViscositySolver<3> solver;
      const SolveReport report = solver.apply(number, 1e-6, 200, after);
      EXPECT_TRUE(report.converged);
      EXPECT_LE(report.iterations, 15) << number;
    }
  }
}

}  // namespace
}  // namespace sluice::fluid::grid
