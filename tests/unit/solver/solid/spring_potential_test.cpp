// SPDX-License-Identifier: Apache-2.0
// Oracles: solver/solid/spring.h, central differences, a numerical eigensolver, the minimum itself.
#include "solver/solid/spring_potential.h"

#include <gtest/gtest.h>

#include "tests/unit/solver/solid/grid_mesh.h"
#include "tests/unit/solver/solid/potential_checks.h"

namespace sluice::solid {
namespace {

const geometry::TriangleMesh mesh = grid_mesh(4, 3, 0.1);
const std::vector<Spring> springs = lay_springs(mesh, {50, 20, 3});

TEST(SpringPotential, is_the_sum_of_its_springs) {
  const SpringPotential potential(springs);
  const std::vector<Vec3> x = jittered(mesh.vertices, 0.05, 1);
  EXPECT_NEAR(potential.energy(x), energy(springs, x), 1e-14);
  std::vector<Vec3> expected(x.size(), Vec3(1, 2, 3)), gradient = expected;
  add_gradient(springs, x, expected);
  potential.add_gradient(x, gradient);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LE((gradient[i] - expected[i]).norm(), 1e-14);
}

TEST(SpringPotential, derivatives_match_differences_stretched_and_squashed) {
  const SpringPotential potential(springs);
  for (const double factor : {0.3, 1.0, 10.0}) {
    const std::vector<Vec3> x =
        jittered(mapped(mesh.vertices, factor * Mat3::Identity(), Vec3::Zero()), 0.01, 2);
    expect_gradient_is_derivative(potential, x, 1e-6, 1e-6);
    expect_hessian_is_derivative(potential, x, 1e-6, 1e-5);
    expect_projection_is_of_eigenvalues(potential, x, 1e-12 * 50 / factor);
    expect_rigid_invariance(potential, x, 1e-12 * factor * factor);
    expect_balanced_forces(potential, x, 1e-12 * factor);
  }
}

TEST(SpringPotential, coinciding_ends_give_no_force_and_a_usable_hessian) {
  const SpringPotential potential(std::vector<Spring>{{0, 1, 7, 0.5, SpringKind::structural}});
  const std::vector<Vec3> x(2, Vec3(1, 2, 3));
  EXPECT_EQ(potential.energy(x), 0.5 * 7 * 0.25);
  EXPECT_EQ(gradient_of(potential, x)[0], Vec3::Zero());
  EXPECT_EQ(hessian_of(potential, 0, x, HessianForm::exact), 7 * Mat3::Identity());
}

TEST(SpringPotential, local_step_minimises) {
  const SpringPotential potential(std::vector<Spring>{{0, 1, 7, 0.5, SpringKind::structural}});
  for (const double scale : {0.01, 1.0, 100.0}) {
    expect_local_step_minimises(potential, Vec3(0.1, 0.2, -0.1), scale, 1e-8);
    expect_local_step_minimises(potential, Vec3(3, -4, 5), scale, 1e-8);
    // At 0 all directions are as good.
    expect_local_step_minimises(potential, Vec3::Zero(), scale, 1e-8);
  }
}

TEST(SpringPotential, maps_are_those_of_the_tables) {
  const geometry::TriangleMesh small = grid_mesh(5, 5, 0.1);
  expect_maps_are_those_of_the_tables(SpringPotential(lay_springs(small, {50, 20, 3})),
                                      jittered(small.vertices, 0.05, 3));
}

TEST(SpringPotential, same_bits_for_any_thread_count) {
  const geometry::TriangleMesh large = grid_mesh(60, 60, 0.1);
  const SpringPotential potential(lay_springs(large, {50, 20, 3}));
  expect_same_bits_for_any_thread_count(potential, jittered(large.vertices, 0.05, 3));
}

}  // namespace
}  // namespace sluice::solid
