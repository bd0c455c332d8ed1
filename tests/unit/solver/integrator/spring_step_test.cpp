// SPDX-License-Identifier: Apache-2.0
// Oracle: the step's gradient in double.
#include "solver/integrator/spring_step.h"

#include <gtest/gtest.h>

#include "solver/linalg/vectors.h"
#include "tests/unit/solver/integrator/scenes.h"

namespace sluice::integrator {
namespace {

double gradient_error(const SpringStep& state, const StepProblem& problem) {
  std::vector<Vec3> x(problem.targets.size()), gradient(x.size());
  state.write_positions(x);
  compute_gradient(problem, x, gradient);
  const double size = linalg::norm(gradient);
  for (std::size_t i = 0; i < x.size(); ++i)
    gradient[i] -= Vec3(state.gradient[0][i], state.gradient[1][i], state.gradient[2][i]);
  return linalg::norm(gradient) / size;
}

TEST(SpringStep, rebased_sees_what_large_displacements_hide) {
  // A sheet 100 m from its predictor, where float's unit is 8e-6 m, and 2e-5 m off its rest shape:
  // held together with forces, so that inertia's pull is not what the gradient is.
  TestStep step = spring_sheet(6, 20, 1);
  step.inertia[0] = 20;
  std::vector<Vec3> forces(step.rest.size(), Vec3(2000, 0, 0)), start = step.rest;
  step.targets = step.rest;
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] += Vec3(100, 2e-5 * static_cast<double>(i % 3), 0);
  const StepProblem problem{step.inertia, step.targets, forces, step.potentials, start};
  SpringStep state(step.potentials, step.rest.size());
  state.begin(problem);
  LaneVector change(step.rest.size());
  change[1][3] = 1e-4F;
  EXPECT_TRUE(state.needs_rebase(change));
  state.rebase(problem, start);
  EXPECT_FALSE(state.needs_rebase(change));
  state.compute_gradient();
  // A few roundings of 6e-8 in each force.
  EXPECT_LT(gradient_error(state, problem), 1e-6);
  const LaneVector alone = state.gradient;
  state.compute_gradient_and_energy();
  EXPECT_EQ(state.gradient.of_axis, alone.of_axis);
}

}  // namespace
}  // namespace sluice::integrator
