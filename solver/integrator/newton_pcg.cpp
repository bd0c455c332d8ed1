// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/newton_pcg.h"

#include "solver/integrator/newton_system.h"

namespace sluice::integrator {

NewtonPcg::NewtonPcg(std::span<const solid::Potential* const> potentials, std::size_t vertex_count)
    : hessian_(potentials, vertex_count), projection_(potentials, vertex_count) {}

StepReport NewtonPcg::step(const StepProblem& problem, const StoppingRule& rule,
                           std::span<Vec3> x) {
  if (!projection_.prepare(problem)) return {.status = StepStatus::not_finite};
  ForcingTerm forcing;
  const linalg::LinearMap precondition = [&](std::span<const Vec3> r, std::span<Vec3> z) {
    projection_.solve(r, z);
  };
  return descent_.run(
      problem, rule, StepLength::armijo,
      [&](std::span<const Vec3> at, std::span<const Vec3> gradient, std::span<Vec3> direction) {
        solve_newton_system(hessian_.assemble(problem, at), precondition, gradient, forcing, pcg_,
                            direction);
        for (Vec3& d : direction)
          d = -d;
      },
      x);
}

}  // namespace sluice::integrator
