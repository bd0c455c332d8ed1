// SPDX-License-Identifier: Apache-2.0
// Oracle: [Turek2006] CSM1 and CSM2, the elastic plate behind the cylinder under its weight alone;
// displacement of its end A = (0.6, 0.2), from the finest mesh of the benchmark's page (Featflow,
// biquadratic elements, level 5+1).
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "tests/validation/solid/static_equilibrium.h"
#include "tests/validation/solid/turek_hron_plate.h"

namespace sluice::solid {
namespace {

/// At rest under its weight, starting from `x`, which has its place at the end.
void settle(const Plate& plate, const Elasticity& elasticity, std::vector<Vec3>& x) {
  const auto elastic = plate.elasticity(elasticity);
  StaticProblem problem{{elastic.get()}, {}, {}};
  problem.forces.assign(plate.vertices.size(), Vec3::Zero());
  problem.is_free.assign(plate.vertices.size(), {true, true, false});
  constexpr double density = 1000, gravity = 2;
  const std::vector<double> mass = plate.masses(density);
  for (std::size_t i = 0; i < mass.size(); ++i)
    problem.forces[i].y() = -gravity * mass[i];
  for (int j = 0; j <= plate.ny; ++j)
    problem.is_free[static_cast<std::size_t>(plate.corner(0, j))] = {false, false, false};
  const StaticReport report =
      StaticSolver(std::move(problem)).solve(x, 1e-7);  // The weight is 14 N; rounding is 1e-9.
  ASSERT_TRUE(report.is_converged) << report.iterations;
}

/// Distances of A from the published place, relative to how far it moves, mesh by mesh.
std::vector<double> errors(const Elasticity& elasticity, const Vec3& published, int finest) {
  std::vector<double> found;
  Plate plate(24, 2);
  std::vector<Vec3> x = plate.vertices;
  settle(plate, elasticity, x);
  for (int rows = 4; rows <= finest; rows *= 2) {
    const Plate finer(12 * rows, rows);
    x = finer.moved_as(plate, x);
    plate = finer;
    settle(plate, elasticity, x);
    const Vec3 displacement = x[plate.tip()] - plate.vertices[plate.tip()];
    found.push_back((displacement - published).norm() / published.norm());
    std::printf("%2d rows, %6zu triangles: (%.4f, %.4f) mm, %.3f %%\n", rows,
                plate.triangles.size(), 1e3 * displacement.x(), 1e3 * displacement.y(),
                100 * found.back());
  }
  return found;
}

TEST(TurekHron, csm1) {
  const auto error = errors({1.4e6, 0.4}, 1e-3 * Vec3(-7.18767, -66.1023, 0), 32);
  EXPECT_LE(error.back(), 0.0015);
  for (std::size_t i = 1; i < error.size(); ++i)
    EXPECT_LE(error[i], 0.4 * error[i - 1]);
}

TEST(TurekHron, csm2) {
  const auto error = errors({5.6e6, 0.4}, 1e-3 * Vec3(-0.469, -16.9739, 0), 32);
  EXPECT_LE(error.back(), 0.0015);
  for (std::size_t i = 1; i < error.size(); ++i)
    EXPECT_LE(error[i], 0.4 * error[i - 1]);
}

}  // namespace
}  // namespace sluice::solid
