// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/step_hessian.h"

namespace sluice::integrator {

StepHessian::StepHessian(std::span<const solid::Potential* const> potentials,
                         std::size_t vertex_count)
    : matrix_(vertex_count, element_groups(potentials)) {}

const linalg::BlockMatrix& StepHessian::assemble(const StepProblem& problem,
                                                 std::span<const Vec3> x) {
  matrix_.begin(problem.inertia);
  for (std::size_t g = 0; g < problem.potentials.size(); ++g) {
    const solid::Potential& potential = *problem.potentials[g];
    matrix_.add(g, [&](std::size_t first, std::size_t last, std::span<double> hessians) {
      potential.hessians(first, last, x, solid::HessianForm::positive_semidefinite, hessians);
    });
  }
  return matrix_;
}

}  // namespace sluice::integrator
