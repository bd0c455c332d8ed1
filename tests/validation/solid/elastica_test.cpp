// SPDX-License-Identifier: Apache-2.0
// Oracles: the elastica, an inextensible beam bent far by a dead load at its tip ([Bisshopp1945]
// and [Mattiasson1981]; numbers of the latter); the circle into which a couple at its end rolls a
// beam.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "solver/solid/bending_potential.h"
#include "solver/solid/spring_potential.h"
#include "tests/validation/solid/static_equilibrium.h"

namespace sluice::solid {
namespace {

/// A strip along x, one row of rectangles wide, of which the first is held: a beam in the x-z
/// plane. The beam is clamped in the middle of the first rectangle, which keeps its slope.
struct Strip {
  int count;  ///< of rectangles
  double spacing, width;
  std::vector<Vec3> vertices;
  std::vector<TriangleIndices> triangles;
  std::vector<Spring> springs;  ///< That keep its lengths.

  /// With a free length of 1 m.
  explicit Strip(int rectangles)
      : count(rectangles), spacing(1 / (rectangles - 0.5)), width(0.1 * spacing) {
    for (int i = 0; i <= count; ++i) {
      for (int j = 0; j < 2; ++j)
        vertices.emplace_back(spacing * (i - 0.5), width * j, 0);
    }
    for (int i = 0; i < count; ++i) {
      const int a = 2 * i;
      triangles.push_back({a, a + 2, a + 3});
      triangles.push_back({a, a + 3, a + 1});
    }
    // Stiff beside the bending stiffness of 1 N m x width: strains of 5e-5 at the largest load.
    const auto add = [&](int a, int b) {
      const auto p = static_cast<std::size_t>(a), q = static_cast<std::size_t>(b);
      const double length = (vertices[p] - vertices[q]).norm();
      springs.push_back({a, b, 1e5 * width / length, length, SpringKind::structural});
    };
    for (int i = 0; i < count; ++i) {
      add(2 * i, 2 * i + 2);
      add(2 * i + 1, 2 * i + 3);
    }
  }
};

TEST(Elastica, tip_goes_where_the_elastica_does) {
  struct Row {
    double alpha, w, u;  ///< P L^2 / B; sideways and shortening, of the length.
  };
  const std::array published{Row{1, 0.30172, 0.05643}, Row{2, 0.49346, 0.16064},
                             Row{5, 0.71379, 0.38763}, Row{10, 0.81061, 0.55500}};
  std::vector<double> worst;
  for (const int count : {25, 50, 100}) {
    const Strip strip(count);
    const BendingPotential bending(strip.vertices, strip.triangles, 1.0);
    const SpringPotential lengths(strip.springs);
    std::vector<Vec3> x = strip.vertices;
    worst.push_back(0);
    for (const Row& row : published) {
      StaticProblem problem{{&bending, &lengths}, std::vector<Vec3>(x.size(), Vec3::Zero()), {}};
      for (std::size_t i = 0; i < x.size(); ++i)
        problem.is_free.push_back({i >= 4, false, i >= 4});
      for (std::size_t i = x.size() - 2; i < x.size(); ++i)
        problem.forces[i].z() = row.alpha * strip.width / 2;
      ASSERT_TRUE(StaticSolver(std::move(problem)).solve(x, 1e-5 * strip.width, 2000).is_converged)
          << row.alpha;
      const double w = x.back().z(), u = 1 - x.back().x();
      worst.back() = std::max({worst.back(), std::abs(w - row.w), std::abs(u - row.u)});
    }
    std::printf("%3d rectangles: off by %.4f %% of the length\n", count, 100 * worst.back());
  }
  EXPECT_LE(worst.back(), 2e-4);
  EXPECT_LE(worst[1], 0.35 * worst[0]);  // Second order, down to what the springs stretch.
  EXPECT_LE(worst[2], 0.5 * worst[1]);
}

TEST(RollUp, moment_of_a_full_turn_makes_a_circle) {
  // A strip bent into a regular polygon has the same angle at each hinge. What the couple at its
  // ends does when it turns them further is what the energy grows by: the moment is that of the
  // beam, 2 pi B / L times the width, as the polygon becomes a circle.
  for (const int count : {20, 40, 80}) {
    const Strip strip(count);
    const BendingPotential bending(strip.vertices, strip.triangles, 1.0);
    const auto energy_at = [&](double turn) {
      std::vector<Vec3> x;
      Vec3 at(0, 0, 0);
      for (int i = 0; i <= count; ++i) {
        x.push_back(at);
        x.emplace_back(at + Vec3(0, strip.width, 0));
        at += strip.spacing * Vec3(std::cos(turn * i), 0, std::sin(turn * i));
      }
      return bending.energy(x);
    };
    const double turn = 2 * std::numbers::pi / count, step = 1e-4 * turn;
    const double moment =
        (energy_at(turn + step) - energy_at(turn - step)) / (2 * step) / (count - 1);
    const double expected = 2 * std::numbers::pi / (count * strip.spacing) * strip.width;
    // The sine of half the angle stands for its half: 1 - angle^2 / 6.
    EXPECT_NEAR(moment, expected, 0.2 * turn * turn * expected) << count;
  }
}

TEST(RollUp, couple_at_its_end_rolls_a_straight_strip_into_the_circle) {
  // The couple that bends a beam of length L to the radius L / (2 pi), brought up in steps from
  // nothing. It turns with the last rectangle, on which it acts: forces across that as it stands,
  // until it stays.
  std::vector<double> gaps, unroundness;
  for (const int count : {20, 40, 80}) {
    const Strip strip(count);
    const BendingPotential bending(strip.vertices, strip.triangles, 1.0);
    const SpringPotential lengths(strip.springs);
    const double length = count * strip.spacing, radius = length / (2 * std::numbers::pi);
    const std::size_t end = strip.vertices.size() - 2;  // And the vertex beside it.
    std::vector<Vec3> x = strip.vertices;
    constexpr int increments = 16;
    for (int n = 1; n <= increments; ++n) {
      const double force = strip.width / (radius * strip.spacing) * n / increments;
      double moved = 1;
      for (int pass = 0; moved > 1e-7 && pass < 50; ++pass) {
        StaticProblem problem{{&bending, &lengths}, std::vector<Vec3>(x.size(), Vec3::Zero()), {}};
        for (std::size_t i = 0; i < x.size(); ++i)
          problem.is_free.push_back({i >= 4, false, i >= 4});
        const Vec3 along = (x[end] - x[end - 2]).normalized();
        const Vec3 across(-along.z(), 0, along.x());
        for (const std::size_t side : {0, 1}) {
          problem.forces[end + side] = force / 2 * across;
          problem.forces[end - 2 + side] = -force / 2 * across;
        }
        const std::vector<Vec3> before = x;
        ASSERT_TRUE(
            StaticSolver(std::move(problem)).solve(x, 1e-5 * strip.width, 2000).is_converged);
        moved = (x[end] - before[end]).norm();
      }
      ASSERT_LE(moved, 1e-7) << n;
    }
    gaps.push_back((x[end] - x[0]).norm() / length);
    unroundness.push_back(0);
    const Vec3 center(0, 0, radius);  // Above the middle of the first rectangle, which is held.
    for (std::size_t i = 0; i <= end; i += 2)
      unroundness.back() =
          std::max(unroundness.back(), std::abs((x[i] - center).norm() / radius - 1));
    std::printf("%2d rectangles: open by %.4f %% of the length, off the circle by %.4f %%\n", count,
                100 * gaps.back(), 100 * unroundness.back());
  }
  // The angle of a hinge is off by a sixth of its cube: second order, down to what the springs
  // stretch.
  for (std::size_t n = 1; n < gaps.size(); ++n) {
    EXPECT_LE(gaps[n], 0.35 * gaps[n - 1]);
    EXPECT_LE(unroundness[n], 0.35 * unroundness[n - 1]);
  }
  EXPECT_LE(gaps.back(), 0.002);
  EXPECT_LE(unroundness.back(), 0.005);
}

}  // namespace
}  // namespace sluice::solid
