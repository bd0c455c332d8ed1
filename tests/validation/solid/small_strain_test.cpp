// SPDX-License-Identifier: Apache-2.0
// Oracles: a linear field, which linear elements hold exactly; the stretch of a bar under its own
// weight; the deflection of a beam by Timoshenko.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "solver/solid/continuum.h"
#include "tests/validation/solid/static_equilibrium.h"
#include "tests/validation/solid/tet_bar.h"

namespace sluice::solid {
namespace {

/// Solid and plane alike: the vertices of the border follow a linear field, those inside start
/// anywhere and must come to the same field.
void expect_linear_field(const Potential& potential, const std::vector<Vec3>& rest,
                         const std::vector<bool>& is_border, bool is_plane, double strain) {
  Mat3 field;
  field << 2, 3, -1, 5, 6, 2, 1, -2, 4;
  if (is_plane) field.row(2).setZero(), field.col(2).setZero();
  const Mat3 F = Mat3::Identity() + strain * field;
  StaticProblem problem{{&potential}, std::vector<Vec3>(rest.size(), Vec3::Zero()), {}};
  std::vector<Vec3> x;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> spread(-1e-3, 1e-3);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool is_free = !is_border[i];
    problem.is_free.push_back({is_free, is_free, is_free && !is_plane});
    Vec3 off(spread(random), spread(random), is_plane ? 0 : spread(random));
    x.push_back(F * rest[i] + (is_free ? off : Vec3(Vec3::Zero())));
  }
  double stiffest = 0;
  for (const double weight : potential.weights())
    stiffest = std::max(stiffest, weight);
  const StaticReport report = StaticSolver(std::move(problem)).solve(x, 1e-11 * stiffest);
  ASSERT_TRUE(report.is_converged);
  for (std::size_t i = 0; i < rest.size(); ++i)
    EXPECT_LE((x[i] - F * rest[i]).norm(), 1e-10) << "vertex " << i;
}

class PatchTest : public testing::TestWithParam<std::string> {};

TEST_P(PatchTest, tets_hold_a_linear_field_exactly) {
  TetBar bar({3, 3, 3}, Vec3(1, 1, 1));
  std::vector<bool> is_border;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> spread(-0.05, 0.05);
  for (Vec3& vertex : bar.vertices) {
    const bool border = (vertex.array() * (1 - vertex.array())).minCoeff() < 1e-9;
    is_border.push_back(border);
    if (!border) vertex += Vec3(spread(random), spread(random), spread(random));
  }
  const IsotropicMaterial material{GetParam(), lame_of({200e9, 0.3}).value()};
  for (const double strain : {1e-6, 0.02})
    expect_linear_field(*make_tets(bar.vertices, bar.tets, material), bar.vertices, is_border,
                        false, strain);
}

TEST_P(PatchTest, plane_triangles_hold_a_linear_field_exactly) {
  std::vector<Vec3> rest;
  std::vector<bool> is_border;
  std::vector<TriangleIndices> triangles;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> spread(-0.05, 0.05);
  for (int j = 0; j < 5; ++j) {
    for (int i = 0; i < 5; ++i) {
      const bool border = i == 0 || j == 0 || i == 4 || j == 4;
      is_border.push_back(border);
      rest.emplace_back(0.25 * i, 0.25 * j, 0);
      if (!border) rest.back() += Vec3(spread(random), spread(random), 0);
      if (i == 4 || j == 4) continue;
      const int a = 5 * j + i;
      triangles.push_back({a, a + 1, a + 6});
      triangles.push_back({a, a + 6, a + 5});
    }
  }
  const IsotropicMaterial material{GetParam(), lame_of({200e9, 0.3}).value()};
  for (const double strain : {1e-6, 0.02})
    expect_linear_field(*make_plane_triangles(rest, triangles, material), rest, is_border, true,
                        strain);
}

INSTANTIATE_TEST_SUITE_P(All, PatchTest,
                         testing::Values(LinearElasticity::name, SaintVenantKirchhoff::name,
                                         NeoHookean::name, StableNeoHookean::name,
                                         FixedCorotated::name));

TEST(HangingBar, stretches_by_half_of_what_its_weight_at_the_end_would) {
  // With nu = 0 the bar is one-dimensional: u(L) = rho g L^2 / (2 E).
  const double length = 1, E = 1e6, density = 1000, g = 10;
  const double expected = density * g * length * length / (2 * E);
  for (const int count : {4, 16}) {
    const TetBar bar({1, 1, count}, Vec3(0.1, 0.1, length));
    const auto elastic =
        make_tets(bar.vertices, bar.tets, {LinearElasticity::name, lame_of({E, 0}).value()});
    StaticProblem problem{
        {elastic.get()}, std::vector<Vec3>(bar.vertices.size(), Vec3::Zero()), {}};
    const std::vector<double> mass = bar.masses(density);
    for (std::size_t i = 0; i < mass.size(); ++i)
      problem.forces[i].z() = -g * mass[i];
    for (const Vec3& vertex : bar.vertices) {
      const bool is_free = vertex.z() < length - 1e-9;
      problem.is_free.push_back({is_free, is_free, is_free});
    }
    std::vector<Vec3> x = bar.vertices;
    ASSERT_TRUE(StaticSolver(std::move(problem)).solve(x, 1e-9).is_converged);
    double sag = 0;
    for (std::size_t i = 0; i < 4; ++i)
      sag += (bar.vertices[i].z() - x[i].z()) / 4;
    // Linear elements are exact at their ends in one dimension; the masses of five tets are lumped
    // a little unevenly to the two ends of each box, which averages out over the four corners.
    EXPECT_NEAR(sag, expected, 0.02 * expected / count) << count;
  }
}

TEST(Cantilever, deflects_as_timoshenko_says) {
  // A plate in plane strain, clamped at one end, under a shear force at the other.
  const double length = 1, height = 0.1, E = 1e6, nu = 0.3, load = 0.01;
  const double stiffness = E / (1 - nu * nu) * std::pow(height, 3) / 12;  // A metre wide.
  const double shear = E / (2 * (1 + nu)) * height * 5 / 6;
  const double expected = load * std::pow(length, 3) / (3 * stiffness) + load * length / shear;
  std::vector<double> errors;
  for (const int rows : {8, 16, 32}) {
    const int columns = 5 * rows, side = columns + 1;
    std::vector<Vec3> rest;
    for (int j = 0; j <= rows; ++j) {
      for (int i = 0; i <= columns; ++i)
        rest.emplace_back(length * i / columns, height * j / rows, 0);
    }
    std::vector<TriangleIndices> triangles;
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < columns; ++i) {
        const int a = side * j + i, b = a + 1, c = a + side, d = c + 1;
        const int middle = static_cast<int>(rest.size());
        rest.emplace_back(length * (i + 0.5) / columns, height * (j + 0.5) / rows, 0);
        for (const auto& [p, q] : {std::array{a, b}, {b, d}, {d, c}, {c, a}})
          triangles.push_back({p, q, middle});
      }
    }
    const auto elastic =
        make_plane_triangles(rest, triangles, {LinearElasticity::name, lame_of({E, nu}).value()});
    StaticProblem problem{{elastic.get()}, std::vector<Vec3>(rest.size(), Vec3::Zero()), {}};
    for (const Vec3& vertex : rest) {
      const bool is_free = vertex.x() > 0;
      problem.is_free.push_back({is_free, is_free, false});
    }
    const auto index_of = [&](int i, int j) {
      return static_cast<std::size_t>(side) * static_cast<std::size_t>(j) +
             static_cast<std::size_t>(i);
    };
    for (int j = 0; j <= rows; ++j) {
      // Shear is parabolic over the height, as in the beam: 6 t (1 - t), less at the ends.
      const double t = double(j) / rows;
      problem.forces[index_of(columns, j)].y() -=
          load * 6 * t * (1 - t) / rows / (1 - 1.0 / (rows * rows));
    }
    std::vector<Vec3> x = rest;
    ASSERT_TRUE(StaticSolver(std::move(problem)).solve(x, 1e-9).is_converged);
    const std::size_t tip = index_of(columns, rows / 2);
    errors.push_back(std::abs(-(x[tip] - rest[tip]).y() / expected - 1));
    std::printf("%2d rows: off by %.3f %%\n", rows, 100 * errors.back());
  }
  EXPECT_LE(errors[1], 0.4 * errors[0]);
  EXPECT_LE(errors[2], 0.5 * errors[1]);
  // Second order to 0.36 %, by which an end that may not warp is stiffer than the beam's theory.
  EXPECT_LE(errors[2] - (errors[1] - errors[2]) / 3, 0.005);
}

}  // namespace
}  // namespace sluice::solid
