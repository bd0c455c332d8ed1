// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/projected_newton.h"

#include "solver/integrator/newton_system.h"

namespace sluice::integrator {

ProjectedNewton::ProjectedNewton(std::span<const solid::Potential* const> potentials,
                                 std::size_t vertex_count, std::size_t direct_up_to)
    : hessian_(potentials, vertex_count) {
  if (vertex_count <= direct_up_to) {
    cholesky_ = std::make_unique<linalg::SparseCholesky<double>>(hessian_.matrix().pattern(),
                                                                 linalg::EntryKind::block);
  }
}

StepReport ProjectedNewton::step(const StepProblem& problem, const StoppingRule& rule,
                                 std::span<Vec3> x) {
  ForcingTerm forcing;
  return descent_.run(
      problem, rule, StepLength::armijo,
      [&](std::span<const Vec3> at, std::span<const Vec3> gradient, std::span<Vec3> direction) {
        const linalg::BlockMatrix& A = hessian_.assemble(problem, at);
        if (cholesky_ && cholesky_->factor(A.entries())) {
          cholesky_->solve(gradient, direction);
        } else {
          solve_newton_system(A, linalg::BlockJacobi(A), gradient, forcing, pcg_, direction);
        }
        for (Vec3& d : direction)
          d = -d;
      },
      x);
}

}  // namespace sluice::integrator
