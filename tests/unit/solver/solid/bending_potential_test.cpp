// SPDX-License-Identifier: Apache-2.0
// Oracles: the energy of a plate on a cylinder, central differences, invariance.
#include "solver/solid/bending_potential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/unit/solver/solid/grid_mesh.h"
#include "tests/unit/solver/solid/potential_checks.h"

namespace sluice::solid {
namespace {

constexpr double stiffness = 0.7;  // [N m]

/// On a cylinder of `radius` about an axis along y, without change of any length along the surface.
std::vector<Vec3> rolled(std::vector<Vec3> x, double radius) {
  for (Vec3& point : x) {
    const double angle = point.x() / radius;
    point = Vec3(radius * std::sin(angle), point.y(), radius * (1 - std::cos(angle)));
  }
  return x;
}

geometry::TriangleMesh equilateral_mesh(int nx, int ny, double side) {
  geometry::TriangleMesh mesh = grid_mesh(nx, ny, side);
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      Vec3& point = mesh.vertices[static_cast<std::size_t>(j) * static_cast<std::size_t>(nx) +
                                  static_cast<std::size_t>(i)];
      point = Vec3(side * (i - 0.5 * j), side * std::sqrt(0.75) * j, 0);
    }
  }
  return mesh;
}

double area_of(const geometry::TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 origin = mesh.vertices[static_cast<std::size_t>(a)];
    sum += (mesh.vertices[static_cast<std::size_t>(b)] - origin)
               .cross(mesh.vertices[static_cast<std::size_t>(c)] - origin)
               .norm() /
           2;
  }
  return sum;
}

TEST(BendingPotential, stiffness_is_that_of_a_plate) {
  EXPECT_NEAR(bending_stiffness({1e6, 0.3}, 0.01), 1e6 * 1e-6 / (12 * 0.91), 1e-12);
}

TEST(BendingPotential, cylinder_has_the_energy_of_the_plate) {
  const double radius = 0.5;
  for (const auto& mesh : {grid_mesh(41, 41, 0.025), equilateral_mesh(61, 61, 0.02)}) {
    const BendingPotential potential(mesh.vertices, mesh.triangles, stiffness);
    const double expected = stiffness / (2 * radius * radius) * area_of(mesh);
    // The outermost rows have edges of one triangle, which are free: 1/40 of the area at each end.
    EXPECT_NEAR(potential.energy(rolled(mesh.vertices, radius)), expected, 0.06 * expected);
  }
}

TEST(BendingPotential, interior_of_a_cylinder_is_exact_under_refinement) {
  // Doubling the rows adds interior alone: the difference has no border along y.
  const double radius = 0.5, spacing = 0.01;
  const auto energy_of_rows = [&](int rows) {
    const auto mesh = grid_mesh(101, rows, spacing);
    const BendingPotential potential(mesh.vertices, mesh.triangles, stiffness);
    return potential.energy(rolled(mesh.vertices, radius));
  };
  const double per_row = (energy_of_rows(9) - energy_of_rows(5)) / 4;
  // 99 of 100 edges along y bend.
  const double expected = stiffness / (2 * radius * radius) * 0.99 * spacing;
  EXPECT_NEAR(per_row, expected, 1e-3 * expected);
}

TEST(BendingPotential, flat_is_at_rest_and_stays_so_when_stretched) {
  const auto mesh = grid_mesh(4, 4, 0.1);
  const BendingPotential potential(mesh.vertices, mesh.triangles, stiffness);
  EXPECT_LE(potential.energy(mesh.vertices), 1e-26);
  // Its weights are those of rest: an affine map of the plane takes D = 0 to 0.
  EXPECT_LE(potential.energy(mapped(mesh.vertices, Vec3(2, 0.5, 1).asDiagonal(), Vec3(1, 2, 3))),
            1e-26);
}

TEST(BendingPotential, curved_rest_shape_is_at_rest) {
  const auto flat = grid_mesh(6, 4, 0.1);
  const auto rest = rolled(flat.vertices, 0.3);
  const BendingPotential potential(rest, flat.triangles, stiffness);
  EXPECT_LE(potential.energy(rest), 1e-26);
  for (const Vec3& force : gradient_of(potential, rest))
    EXPECT_LE(force.norm(), 1e-13);
  EXPECT_GT(potential.energy(flat.vertices), 0.01);
}

TEST(BendingPotential, derivatives_match_differences) {
  const auto flat = grid_mesh(4, 3, 0.1);
  for (const double radius : {0.2, 1e6}) {
    const BendingPotential potential(rolled(flat.vertices, radius), flat.triangles, stiffness);
    const auto x = jittered(flat.vertices, 0.03, 11);
    expect_gradient_is_derivative(potential, x, 1e-6, 1e-5);
    expect_hessian_is_derivative(potential, x, 1e-6, 1e-3);
    expect_projection_is_of_eigenvalues(potential, x, 1e-10);
    expect_rigid_invariance(potential, x, 1e-11);
    expect_balanced_forces(potential, x, 1e-11);
  }
}

TEST(BendingPotential, local_step_minimises) {
  const std::vector<Vec3> rest{Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0.04, 0.1, 0.02),
                               Vec3(0.05, -0.1, 0.03)};
  const BendingPotential potential(rest, std::vector<TriangleIndices>{{0, 1, 2}, {1, 0, 3}},
                                   stiffness);
  ASSERT_EQ(potential.element_count(), 1U);
  for (const double scale : {0.1, 1.0, 10.0})
    expect_local_step_minimises(potential, Vec3(0.1, 0.2, -0.1), scale, 1e-8);
}

TEST(BendingPotential, edge_of_one_triangle_is_free) {
  const std::vector<Vec3> rest{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  EXPECT_EQ(BendingPotential(rest, std::vector<TriangleIndices>{{0, 1, 2}}, 1).element_count(), 0U);
}

}  // namespace
}  // namespace sluice::solid
