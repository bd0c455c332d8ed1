// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/integrator/step_problem.h"
#include "solver/types.h"

namespace sluice::integrator {

/// The parts that a step's vertices fall into when vertices tied together by elements count as one
/// part. No element resists the motion of a part as a whole.
class LooseParts {
 public:
  LooseParts(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  /// Moves each part without a held vertex as a whole to where the step's energy is least, in
  /// closed form: sum_i inertia_i (x_i - target_i) = sum_i f_i. So its linear momentum changes by
  /// what forces from outside give it, to rounding, however large a residual is left.
  void place(const StepProblem& problem, std::span<Vec3> x);

  [[nodiscard]] std::size_t vertex_count() const { return part_.size(); }

 private:
  /// Sums over a part.
  struct Sums {
    double inertia;  ///< Infinite with a held vertex.
    Vec3 force;      ///< [N] Force on it that is not balanced yet.
  };

  std::vector<std::int32_t> part_;  ///< Part of each vertex.
  std::vector<Sums> sums_;          ///< By part.
};

}  // namespace sluice::integrator
