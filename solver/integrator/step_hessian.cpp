// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/step_hessian.h"

#include <algorithm>
#include <cstdint>

#include "solver/parallel/parallel_for.h"

namespace sluice::integrator {

namespace {
constexpr std::int64_t grain = 256;

std::size_t numbers_per_element(const solid::Potential& potential) {
  const auto rows = static_cast<std::size_t>(potential.rows());
  return 9 * rows * rows;
}
}  // namespace

StepHessian::StepHessian(std::span<const solid::Potential* const> potentials,
                         std::size_t vertex_count)
    : matrix_(vertex_count, element_groups(potentials)) {
  std::size_t most = 0;
  for (const solid::Potential* potential : potentials)
    most = std::max(most, numbers_per_element(*potential) * potential->element_count());
  of_elements_.resize(most);
}

const linalg::BlockMatrix& StepHessian::assemble(const StepProblem& problem,
                                                 std::span<const Vec3> x) {
  matrix_.begin(problem.inertia);
  for (std::size_t g = 0; g < problem.potentials.size(); ++g) {
    const solid::Potential& potential = *problem.potentials[g];
    const std::size_t per_element = numbers_per_element(potential);
    parallel::parallel_for(
        0, static_cast<std::int64_t>(potential.element_count()), grain,
        [&](std::int64_t first, std::int64_t last) {
          const auto begin = static_cast<std::size_t>(first), end = static_cast<std::size_t>(last);
          potential.hessians(
              begin, end, x, solid::HessianForm::positive_semidefinite,
              std::span(of_elements_).subspan(begin * per_element, (end - begin) * per_element));
        });
    matrix_.add(g, of_elements_);
  }
  return matrix_;
}

}  // namespace sluice::integrator
