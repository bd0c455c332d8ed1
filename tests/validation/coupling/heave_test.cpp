// SPDX-License-Identifier: Apache-2.0
// A box that floats in a tank and is kicked, in two dimensions. Oracle: linear potential flow in
// that very tank.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solver/geometry/tessellate_shape.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::heave_test {
namespace {

using Vector = Eigen::VectorXd;

// [m] Half of the tank's width and of the box's.
constexpr double tank = 0.6, half_width = 0.2;
constexpr double water_depth = 0.5, draft = 0.15, height = 0.25;  // [m]
constexpr double density = 1000, g = 9.81;
constexpr double kick = 0.4;    // [m/s]
constexpr int frame_rate = 60;  // [1/s]
constexpr int frame_count = 130;

/// The right half of the tank, a metre deep across: the potential in cells, its Neumann values at
/// walls, bottom and box, its Dirichlet values at the level of the water at rest.
class PotentialFlow {
 public:
  PotentialFlow() {
    for (int i = 0; i < columns; ++i) {
      for (int j = 0; j < rows; ++j)
        number_.push_back(i < box_columns && j >= box_row ? -1 : count_++);
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < columns; ++i) {
      for (int j = 0; j < rows; ++j) {
        const int here = at(i, j);
        if (here < 0) continue;
        double diagonal = j == rows - 1 ? 2 : 0;  // The surface is half a cell away.
        for (const int next : {at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1)}) {
          if (next < 0) continue;
          entries.emplace_back(here, next, -1.0);
          ++diagonal;
        }
        entries.emplace_back(here, here, diagonal);
      }
    }
    Eigen::SparseMatrix<double> matrix(count_, count_);
    matrix.setFromTriplets(entries.begin(), entries.end());
    cholesky_.compute(matrix);
    added_mass_ = density * under_box(solve(Vector::Zero(columns), 1), 1);
  }

  /// [m] By frame, how far the box is above where it floats.
  [[nodiscard]] std::vector<double> heave() {
    constexpr int steps_of_frame = 10;
    const double h = 1.0 / (frame_rate * steps_of_frame);
    // The kick of the box is one of the water that goes with it, too.
    State state{Vector::Zero(columns), Vector::Zero(columns), kick * mass / (mass + added_mass_),
                0};
    std::vector<double> places{0};
    for (int frame = 0; frame < frame_count; ++frame) {
      for (int n = 0; n < steps_of_frame; ++n) {  // Runge-Kutta of fourth order.
        const State a = rate(state), b = rate(state + 0.5 * h * a), c = rate(state + 0.5 * h * b);
        const State d = rate(state + h * c);
        state = state + h / 6 * a + h / 3 * b + h / 3 * c + h / 6 * d;
      }
      places.push_back(state.place);
    }
    return places;
  }

 private:
  static constexpr double dx = 0.01;  // [m]
  static constexpr int columns = 60, rows = 50, box_columns = 20, box_row = 35;
  static constexpr double mass = density * 2 * half_width * draft;  // [kg/m]

  struct State {
    Vector potential, level;  // The surface's: [m^2/s], [m]
    double velocity, place;   // The box's: [m/s], [m]

    friend State operator+(const State& a, const State& b) {
      return {a.potential + b.potential, a.level + b.level, a.velocity + b.velocity,
              a.place + b.place};
    }
    friend State operator*(double k, const State& a) {
      return {k * a.potential, k * a.level, k * a.velocity, k * a.place};
    }
  };

  [[nodiscard]] int at(int i, int j) const {
    if (i < 0 || j < 0 || i >= columns || j >= rows) return -1;
    return number_[static_cast<std::size_t>(i) * static_cast<std::size_t>(rows) +
                   static_cast<std::size_t>(j)];
  }
  [[nodiscard]] Vector solve(const Vector& surface, double box_velocity) const {
    Vector right = Vector::Zero(count_);
    for (int i = box_columns; i < columns; ++i)
      right[at(i, rows - 1)] += 2 * surface[i];
    for (int i = 0; i < box_columns; ++i)
      right[at(i, box_row - 1)] += box_velocity * dx;
    return cholesky_.solve(right);
  }
  // The integral of a potential over the bottom of the whole box, whose velocity is in it.
  [[nodiscard]] double under_box(const Vector& potential, double box_velocity) const {
    double sum = 0;
    for (int i = 0; i < box_columns; ++i)
      sum += 2 * dx * (potential[at(i, box_row - 1)] + 0.5 * dx * box_velocity);
    return sum;
  }
  [[nodiscard]] State rate(const State& state) const {
    State rate{-g * state.level, Vector::Zero(columns), 0, state.velocity};
    const Vector potential = solve(state.potential, state.velocity);
    for (int i = box_columns; i < columns; ++i)
      rate.level[i] = 2 * (state.potential[i] - potential[at(i, rows - 1)]) / dx;
    const double pressed = -density * under_box(solve(rate.potential, 0), 0);
    rate.velocity = (pressed - density * g * 2 * half_width * state.place) / (mass + added_mass_);
    return rate;
  }

  std::vector<int> number_;
  int count_ = 0;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> cholesky_;
  double added_mass_ = 0;  // [kg/m]
};

scene::Scene floating_box(double velocity) {
  constexpr double cell = 0.02, half_depth = 0.05, bottom = water_depth - draft;
  scene::Scene scene;
  scene.domain_lower = {-tank, -half_depth, 0};
  scene.domain_upper = {tank, half_depth, 0.9};
  scene.frame_rate = frame_rate;
  scene.grid.cell_size = cell;
  scene.grid.dimensions = 2;
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.cfl = 2;
  scene.coupling.method = scene::CouplingMethod::variational_rigid;
  scene.coupling.contact_distance = 0.1 * cell;
  scene.coupling.max_substep = 1.0 / frame_rate;
  scene.fluids.push_back(
      {"water",
       {test::make_box({-tank, -half_depth, 0}, {tank, half_depth, bottom}),
        test::make_box({-tank, -half_depth, bottom}, {-half_width, half_depth, water_depth}),
        test::make_box({half_width, -half_depth, bottom}, {tank, half_depth, water_depth})}});
  scene.fluids[0].dynamic_viscosity = 0;
  scene::RigidBody box;
  box.name = "box";
  box.density = scene.fluids[0].density * draft / height;
  box.velocity.z() = velocity;
  box.mesh = geometry::tessellate_shape(test::make_box({-half_width, -half_depth, bottom},
                                                       {half_width, half_depth, bottom + height}),
                                        0.05, 10'000)
                 .value();
  scene.rigid_bodies = {box};
  return scene;
}

std::vector<double> heave_of(double velocity) {
  const auto simulation = test::make_simulation(floating_box(velocity), 1);
  std::vector<double> places;
  for (int frame = 0; frame <= frame_count; ++frame) {
    double lowest = water_depth;
    for (const Vec3& x : test::positions(*simulation, 1))
      lowest = std::min(lowest, x.z());
    places.push_back(lowest - (water_depth - draft));
    if (frame < frame_count) test::advance(*simulation, 1);
  }
  return places;
}

// [s] When it goes through 0, after the start.
std::vector<double> crossings(const std::vector<double>& places) {
  std::vector<double> times;
  for (std::size_t i = 2; i < places.size(); ++i) {
    const double before = places[i - 1], now = places[i];
    if ((before > 0) == (now > 0)) continue;
    times.push_back((static_cast<double>(i - 1) + before / (before - now)) / frame_rate);
  }
  return times;
}

TEST(Heave, of_a_box_is_as_in_potential_flow) {
  const std::vector<double> expected = PotentialFlow().heave(), found = heave_of(kick);
  const std::vector<double> expected_at = crossings(expected), found_at = crossings(found);
  ASSERT_GE(expected_at.size(), 3U);
  ASSERT_GE(found_at.size(), 3U);
  const double period = expected_at[2] - expected_at[0];
  EXPECT_NEAR(found_at[2] - found_at[0], period, 0.03 * period);
  EXPECT_NEAR(found_at[0], expected_at[0], 0.03 * expected_at[0]);
  const double top = *std::ranges::max_element(expected);
  EXPECT_NEAR(*std::ranges::max_element(found), top, 0.03 * top);
  const double low = *std::ranges::min_element(expected);
  EXPECT_NEAR(*std::ranges::min_element(found), low, 0.06 * std::abs(low));
}

// Unkicked it stays where Archimedes has it.
TEST(Heave, of_a_box_that_is_left_alone_is_none) {
  for (const double place : heave_of(0))
    ASSERT_NEAR(place, 0, 1e-4);
}

}  // namespace
}  // namespace sluice::heave_test
