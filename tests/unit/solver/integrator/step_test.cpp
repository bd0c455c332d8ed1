// SPDX-License-Identifier: Apache-2.0
// What every integrator promises of one step. Oracles: named at each test.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <cstring>

#include "solver/integrator/convergence.h"
#include "solver/integrator/symplectic_euler.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/integrator/scenes.h"

namespace sluice::integrator {
namespace {

TEST(StepProblem, gradient_is_the_derivative_of_the_energy) {
  // Oracle: central differences.
  TestStep step = spring_sheet(4, 30, 1);
  const std::vector<Vec3> forces(step.rest.size(), Vec3(0.1, 0.2, -0.3));
  const StepProblem problem{step.inertia, step.targets, forces, step.potentials};
  std::vector<Vec3> x = step.x_n, gradient(x.size());
  compute_gradient(problem, x, gradient);
  EXPECT_EQ(gradient[0], Vec3::Zero());  // Held.
  for (std::size_t i = 1; i < x.size(); ++i) {
    for (Eigen::Index c = 0; c < 3; ++c) {
      const double at = x[i][c], d = 1e-6;
      x[i][c] = at + d;
      const double above = energy(problem, x);
      x[i][c] = at - d;
      const double below = energy(problem, x);
      x[i][c] = at;
      // Energies of some 1 J to 1e-15, over 2e-6 m.
      EXPECT_NEAR(gradient[i][c], (above - below) / (2 * d), 1e-7);
    }
  }
}

TEST(Step, of_a_body_at_rest_ends_at_once) {
  // Oracle: by hand; nothing pulls.
  for (const bool is_bar : {false, true}) {
    TestStep step =
        is_bar ? tet_bar(3, solid::StableNeoHookean::name, 500, 1) : spring_sheet(5, 30, 1);
    step.x_n = step.targets = step.rest;
    for (auto& [name, integrator] : implicit_integrators(step)) {
      std::vector<Vec3> x = step.x_n;
      const StepReport report = integrator->step(step.problem(), {}, x);
      EXPECT_TRUE(report.is_converged()) << name;
      EXPECT_EQ(report.iterations, 0) << name;
      EXPECT_EQ(x, step.rest) << name;
    }
  }
}

TEST(Step, reports_what_it_left) {
  // Oracle: the residual and the energy computed anew.
  const TestStep step = spring_sheet(6, 6, 2);
  for (auto& [name, integrator] : implicit_integrators(step)) {
    std::vector<Vec3> x = step.x_n, gradient(x.size());
    int seen = 0;
    const StepReport report = integrator->step(
        step.problem(),
        {.relative_residual = 1e-12,
         .max_iterations = 3,
         .observer = [&](int iteration, std::span<const Vec3>) { EXPECT_EQ(iteration, seen++); }},
        x);
    EXPECT_EQ(report.status, StepStatus::iteration_limit) << name;
    EXPECT_EQ(report.iterations, 3) << name;
    EXPECT_EQ(seen, 4) << name;
    // These work in single precision on springs, while that will do.
    const bool is_float =
        name == "spring Newton" || name == "projective dynamics" || name == "consensus ADMM";
    const double rounding = is_float ? 1e-5 : 1e-12;
    EXPECT_NEAR(report.energy, energy(step.problem(), x), rounding * report.energy) << name;
    const auto norm = [&](const std::vector<Vec3>& at) {
      compute_gradient(step.problem(), at, gradient);
      double squares = 0;
      for (const Vec3& g : gradient)
        squares += g.squaredNorm();
      return std::sqrt(squares);
    };
    EXPECT_NEAR(report.residual, norm(x) / norm(step.targets), rounding) << name;
  }
}

TEST(Step, has_the_same_bits_for_one_and_two_threads) {
  // 2,500 vertices: more than one chunk of every loop.
  const TestStep step = spring_sheet(50, 20, 3);
  const auto bar = tet_bar(300, solid::StableNeoHookean::name, 500, 3);
  for (const TestStep* scene : {&step, &bar}) {
    auto all = implicit_integrators(*scene);
    all.push_back({"symplectic Euler",
                   std::make_unique<SymplecticEuler>(scene->potentials, scene->rest.size())});
    for (auto& [name, integrator] : all) {
      std::array<std::vector<Vec3>, 2> results;
      for (const int threads : {1, 2}) {
        parallel::ThreadLimit limit(threads);
        auto& x = results[static_cast<std::size_t>(threads - 1)];
        x = scene->x_n;
        limit.run([&, step_integrator = integrator.get()] {
          step_integrator->step(scene->problem(), {.relative_residual = 1e-9, .max_iterations = 8},
                                x);
        });
      }
      EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(Vec3)),
                0)
          << name;
    }
  }
}

TEST(Step, starts_where_elements_are_not_inverted) {
  // Neo-Hookean tets whose predictor turns the bar inside out: no energy there. Oracle: a finite
  // energy at the end, no higher than at x^n.
  TestStep step = tet_bar(3, solid::NeoHookean::name, 500, 5);
  step.x_n = step.rest;
  for (std::size_t i = 4; i < step.rest.size(); ++i)
    step.targets[i] = Vec3(-1.5 * step.rest[i].x(), step.rest[i].y(), step.rest[i].z());
  ASSERT_EQ(energy(step.problem(), step.targets), std::numeric_limits<double>::infinity());
  for (auto& [name, integrator] : implicit_integrators(step)) {
    if (name.find("ADMM") != std::string::npos) continue;  // May pass through inversion.
    std::vector<Vec3> x = step.x_n;
    const StepReport report = integrator->step(step.problem(), {.max_iterations = 50}, x);
    EXPECT_TRUE(std::isfinite(report.energy)) << name;
    EXPECT_LE(energy(step.problem(), x), energy(step.problem(), step.x_n)) << name;
  }
}

TEST(Step, without_a_finite_start_fails_cleanly) {
  TestStep step = tet_bar(2, solid::NeoHookean::name, 500, 6);
  for (Vec3& x : step.x_n)
    x.x() = 0;
  for (Vec3& y : step.targets)
    y.x() = -y.x();
  for (auto& [name, integrator] : implicit_integrators(step)) {
    std::vector<Vec3> x = step.x_n;
    EXPECT_EQ(integrator->step(step.problem(), {}, x).status, StepStatus::no_energy) << name;
  }
}

TEST(Step, reaches_a_tight_residual_on_springs_that_hardly_stretch) {
  // Symptom: "no descent" at a residual of 1e-6 and below. Mechanism: a stretch of 1e-5 of a
  // spring's length has ten digits in double, and so has the energy; differences of it are noise
  // before the gradient is. Oracle: the residual.
  TestStep step;
  const auto mesh = solid::grid_mesh(10, 10, 1.0 / 9);
  step.rest = step.x_n = step.targets = mesh.vertices;
  std::vector<solid::Spring> springs;
  for (std::int32_t a = 0; a < 100; ++a) {
    for (const auto& [dx, dy] : {std::array{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}}) {
      if (a % 10 + dx < 0 || a % 10 + dx >= 10 || a / 10 + dy >= 10) continue;
      const double length = std::hypot(dx, dy) / 9;
      springs.push_back({a, a + dx + 10 * dy, 1000, length, solid::SpringKind::structural});
    }
  }
  step.add(std::make_unique<solid::SpringPotential>(springs));
  step.inertia.assign(100, 20);
  for (Vec3& y : step.targets)
    y.z() -= 9.81e-4;
  for (const std::size_t corner : {0U, 9U}) {
    step.inertia[corner] = std::numeric_limits<double>::infinity();
    step.targets[corner] = step.rest[corner];
  }
  for (auto& [name, integrator] : implicit_integrators(step)) {
    if (name.find("Newton") == std::string::npos) continue;
    std::vector<Vec3> x = step.x_n;
    const StepReport report =
        integrator->step(step.problem(), {.relative_residual = 1e-9, .max_iterations = 100}, x);
    EXPECT_TRUE(report.is_converged())
        << name << ": " << describe(report.status) << ", residual " << report.residual;
  }
}

TEST(Step, ends_near_an_equilibrium_of_taut_springs) {
  // A sheet that is held stretched, and all but still: what is left of its forces is less than
  // float can tell of them. Symptom: a hand that held a sheet ended its session.
  TestStep step = spring_sheet(8, 20, 1);
  for (std::size_t i = 0; i < 64; ++i) {
    const bool is_rim = i % 8 == 0 || i % 8 == 7 || i < 8 || i >= 56;
    if (is_rim) step.inertia[i] = std::numeric_limits<double>::infinity();
    step.x_n[i] = step.targets[i] = 1.5 * step.rest[i];
  }
  const StepProblem problem = step.problem();
  ProjectedNewton settle(step.potentials, step.rest.size());
  for (int n = 0; n < 60; ++n) {
    ASSERT_TRUE(settle.step(problem, {.relative_residual = 1e-10}, step.x_n).is_converged());
    std::ranges::copy(step.x_n, step.targets.begin());
  }
  for (std::size_t i = 9; i < 55; i += 3) {
    if (step.inertia[i] < 100) step.targets[i].z() += 1e-8;
  }
  for (const auto& [name, integrator] : implicit_integrators(step)) {
    std::vector<Vec3> x = step.x_n;
    const StepReport report = integrator->step(problem, {}, x);
    EXPECT_TRUE(report.is_converged())
        << name << ": " << describe(report.status) << ", residual " << report.residual;
  }
}

TEST(Step, of_a_free_body_too_stiff_for_float_is_solved) {
  // Beside elements 1e10 times as stiff float loses inertia, which alone holds the body's place:
  // the first solver of ProjectedNewton's systems fails, and another has to take over.
  constexpr double inertia = 5e-7;
  TestStep step = tet_bar(8, solid::StableNeoHookean::name, inertia, 3);
  std::ranges::fill(step.inertia, inertia);
  ProjectedNewton newton(step.potentials, step.rest.size());
  std::vector<Vec3> x = step.x_n;
  const StepReport report =
      newton.step(step.problem(), {.relative_residual = 1e-6, .max_iterations = 30}, x);
  EXPECT_TRUE(report.is_converged()) << describe(report.status) << ", " << report.residual;
}

TEST(SymplecticEuler, knows_the_limit_of_one_spring) {
  // By hand: masses m on a spring k swing at omega^2 = 2 k / m: with inertia m / h^2 = 3, k = 6,
  // (h omega)^2 = 4, which is the limit.
  TestStep step;
  step.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0)};
  const std::vector<solid::Spring> springs{{0, 1, 6, 1, solid::SpringKind::structural}};
  step.add(std::make_unique<solid::SpringPotential>(springs));
  step.inertia = {3, 3};
  step.x_n = step.targets = step.rest;
  SymplecticEuler euler(step.potentials, 2);
  // The allowance for what power iteration misses: 3 % of omega^2.
  EXPECT_NEAR(euler.stability_ratio(step.problem(), step.x_n), std::sqrt(1.03), 1e-9);
  std::vector<Vec3> x = step.x_n;
  EXPECT_EQ(euler.step(step.problem(), {}, x).status, StepStatus::unstable);
  EXPECT_EQ(x, step.x_n);
  step.inertia = {3.2, 3.2};
  EXPECT_EQ(euler.step(step.problem(), {}, x).status, StepStatus::converged);
}

TEST(SymplecticEuler, finds_the_largest_eigenvalue_of_a_sheet) {
  // Oracle: the eigenvalues of the dense matrix.
  TestStep step = spring_sheet(9, 20, 8);
  StepHessian hessian(step.potentials, step.rest.size());
  const auto& A = hessian.assemble(step.problem(), step.x_n);
  const auto n = static_cast<Eigen::Index>(3 * step.rest.size());
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t i = 0; i < step.rest.size(); ++i) {
    for (std::int32_t e = A.pattern().row_starts[i]; e < A.pattern().row_starts[i + 1]; ++e) {
      dense.block<3, 3>(static_cast<Eigen::Index>(3 * i),
                        Eigen::Index{3} * A.pattern().columns[static_cast<std::size_t>(e)]) =
          A.block(e);
    }
  }
  const double largest =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues().maxCoeff();
  const double expected = std::sqrt((largest - 20) / 20) / 2;
  const double found =
      SymplecticEuler(step.potentials, step.rest.size()).stability_ratio(step.problem(), step.x_n);
  EXPECT_GE(found, expected);
  EXPECT_LT(found, 1.02 * expected);
}

}  // namespace
}  // namespace sluice::integrator
