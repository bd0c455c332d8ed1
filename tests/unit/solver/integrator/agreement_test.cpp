// SPDX-License-Identifier: Apache-2.0
// Oracle: each other. All integrators minimise the same energy; where it has one minimiser near the
// start, they end in the same state. The gradient at that state, small against that at the
// predictor, is the oracle for the one that the others are held against.
#include <gtest/gtest.h>

#include "solver/integrator/consensus_admm.h"
#include "solver/solid/kelvin_voigt.h"
#include "tests/unit/solver/integrator/scenes.h"

namespace sluice::integrator {
namespace {

void expect_agreement(const TestStep& step, double size) {
  std::vector<Vec3> expected = step.x_n;
  ProjectedNewton newton(step.potentials, step.rest.size());
  auto integrators = implicit_integrators(step);
  // After the integrators are made: their potentials may have other weights from step to step.
  for (const auto& potential : step.owned)
    potential->begin_step(step.x_n, 0.01);
  ASSERT_TRUE(newton.step(step.problem(), {.relative_residual = 1e-10}, expected).is_converged());
  for (auto& [name, integrator] : integrators) {
    std::vector<Vec3> x = step.x_n;
    // The gradient bounds the error: inertia is the least curvature of a convex energy. Steepest
    // descent lives by differences of energies, which rounding ends at the root of its unit.
    const double tolerance = name == "steepest descent" ? 2e-7 : 1e-8;
    const StepReport report = integrator->step(
        step.problem(), {.relative_residual = tolerance, .max_iterations = 20'000}, x);
    EXPECT_TRUE(report.is_converged()) << name << ": " << describe(report.status) << ", residual "
                                       << report.residual << " after " << report.iterations;
    EXPECT_LE(report.residual, tolerance) << name;
    EXPECT_EQ(x[0], step.targets[0]) << name;
    EXPECT_LT(largest_difference(x, expected), 1e-6 * size) << name;
  }
}

TEST(Agreement, on_soft_springs) { expect_agreement(spring_sheet(6, 300, 7), 0.5); }

TEST(Agreement, on_springs_much_stiffer_than_inertia) {
  expect_agreement(spring_sheet(6, 6, 7), 0.5);
}

TEST(Agreement, on_stable_neo_hookean_tets) {
  expect_agreement(tet_bar(4, solid::StableNeoHookean::name, 500, 3), 0.4);
}

TEST(Agreement, on_tets_whose_energy_is_small_against_its_rounding) {
  TestStep step = tet_bar(3, solid::StableNeoHookean::name, 50, 6);
  for (std::size_t i = 0; i < step.rest.size(); ++i) {
    step.x_n[i] = step.rest[i];
    step.targets[i] = step.rest[i] + 1e-6 * (step.targets[i] - step.rest[i]);
  }
  expect_agreement(step, 0.3);
}

TEST(Agreement, on_neo_hookean_tets) {
  expect_agreement(tet_bar(3, solid::NeoHookean::name, 500, 4), 0.3);
}

TEST(Agreement, on_corotated_tets) {
  expect_agreement(tet_bar(3, solid::FixedCorotated::name, 500, 5), 0.3);
}

TEST(Agreement, on_tets_that_a_rate_of_strain_damps) {
  TestStep step = tet_bar(3, solid::StableNeoHookean::name, 500, 8);
  step.add(solid::make_tet_damping(step.rest, step.tets, {2000, 3000}));
  expect_agreement(step, 0.3);
}

TEST(Agreement, on_a_membrane_with_bending_and_springs) {
  TestStep step;
  const auto mesh = solid::grid_mesh(5, 5, 0.1);
  step.rest = mesh.vertices;
  const solid::IsotropicMaterial material{solid::StableNeoHookean::name,
                                          solid::lame_of({1e4, 0.3}).value()};
  step.add(solid::make_membrane(mesh.vertices, mesh.triangles, material, 0.005));
  step.add(std::make_unique<solid::BendingPotential>(mesh.vertices, mesh.triangles, 1e-3));
  const std::vector<solid::Spring> springs{{0, 24, 5, 0.4, solid::SpringKind::structural}};
  step.add(std::make_unique<solid::SpringPotential>(springs));
  step.inertia.assign(step.rest.size(), 200);
  step.inertia[0] = std::numeric_limits<double>::infinity();
  step.jitter(0.01, 6);
  expect_agreement(step, 0.4);
}

TEST(Agreement, of_consensus_admm_for_springs_and_for_any_element) {
  // One formula in two classes: from the same iterate and duals, the same way on.
  const TestStep step = spring_sheet(6, 30, 9);
  const auto springs = solid::lay_springs(solid::grid_mesh(6, 6, 0.1), {50, 20, 5});
  ConsensusAdmm of_springs(springs, {}, step.rest.size());
  AdmmStages of_elements(step.potentials, step.rest.size());
  const solid::InertialTerm term{step.inertia, step.targets};
  std::vector<Vec3> x(step.rest.size()), next = x, r = x;
  of_springs.begin(step.x_n, term, {}, x);
  of_elements.begin(step.x_n);
  // The duals of the first are the springs' forces over their stiffness.
  for (std::size_t e = 0; e < springs.size(); ++e) {
    const auto a = static_cast<std::size_t>(springs[e].a),
               b = static_cast<std::size_t>(springs[e].b);
    Eigen::Map<Vec3>(&of_elements.duals()[3 * e]) =
        solid::gradient(springs[e], step.x_n[a], step.x_n[b]) / springs[e].stiffness;
  }
  std::vector<Vec3> y = x;
  for (int n = 0; n < 20; ++n) {
    of_springs.local_and_dual_step(x);
    of_springs.global_step(x, term, {}, next);
    x.swap(next);
    of_elements.local_and_dual_step(y);
    of_elements.write_global_residual(step.problem(), y, r);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] += r[i] / (step.inertia[i] + of_elements.stiffness_sum(i));
    x[0] = y[0] = step.targets[0];
    EXPECT_LT(largest_difference(x, y), 1e-13);
  }
}

}  // namespace
}  // namespace sluice::integrator
