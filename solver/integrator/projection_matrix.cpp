// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/projection_matrix.h"

#include <algorithm>

namespace sluice::integrator {

ProjectionMatrix::ProjectionMatrix(std::span<const solid::Potential* const> potentials,
                                   std::size_t vertex_count)
    : groups_(element_groups(potentials)),
      pattern_(linalg::make_pattern(vertex_count, groups_)),
      cholesky_(pattern_, linalg::EntryKind::scalar),
      entries_(pattern_.entry_count()) {
  for (const solid::Potential* potential : potentials)
    weights_.push_back(potential->weights());
}

bool ProjectionMatrix::prepare(const StepProblem& problem) {
  if (std::ranges::equal(inertia_, problem.inertia)) return true;
  inertia_.clear();
  linalg::assemble_scalar(pattern_, groups_, weights_, problem.inertia, entries_);
  if (!cholesky_.factor(entries_)) return false;
  inertia_.assign(problem.inertia.begin(), problem.inertia.end());
  return true;
}

}  // namespace sluice::integrator
