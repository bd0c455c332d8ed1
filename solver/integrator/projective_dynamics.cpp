// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/projective_dynamics.h"

#include <algorithm>

#include "solver/solid/length_potential.h"

namespace sluice::integrator {

ProjectiveDynamics::ProjectiveDynamics(std::span<const solid::Potential* const> potentials,
                                       std::size_t vertex_count)
    : matrix_(potentials, vertex_count) {
  const bool lengths_alone = std::ranges::all_of(potentials, [](const solid::Potential* potential) {
    return dynamic_cast<const solid::LengthPotential*>(potential) != nullptr;
  });
  length_ = lengths_alone ? StepLength::unit : StepLength::armijo;
  if (SpringStep::serves(potentials))
    in_float_ = std::make_unique<InFloat>(potentials, vertex_count);
}

/// False where double has to go on. `x` is the last iterate.
bool ProjectiveDynamics::iterate_in_float(const StepProblem& problem, const StoppingRule& rule,
                                          Convergence& convergence, StepReport& report,
                                          std::span<Vec3> x) {
  auto& [state, step] = *in_float_;
  state.begin(problem);
  FloatVerdict verdict = FloatVerdict::go_on;
  for (int iteration = 0;; ++iteration) {
    state.compute_gradient();
    if (rule.observer) {
      state.write_positions(x);
      rule.observer(iteration, x);
    }
    verdict = state.check(iteration, convergence, report);
    if (verdict != FloatVerdict::go_on) break;
    matrix_.solve(state.gradient, step);
    state.move(-1, step);
    if (state.needs_rebase(step)) {
      state.write_positions(x);
      state.rebase(problem, x);
    }
  }
  state.write_positions(x);
  report.energy = state.energy();
  return verdict == FloatVerdict::stopped;
}

StepReport ProjectiveDynamics::step(const StepProblem& problem, const StoppingRule& rule,
                                    std::span<Vec3> x) {
  if (!matrix_.prepare(problem)) return {.status = StepStatus::not_finite};
  const SearchDirection search_direction =
      [&](std::span<const Vec3>, std::span<const Vec3> gradient, std::span<Vec3> direction) {
        matrix_.solve(gradient, direction);
        for (Vec3& d : direction)
          d = -d;
      };
  if (!in_float_) return descent_.run(problem, rule, length_, search_direction, x);
  StepReport report;
  Convergence convergence = in_float_->state.convergence(problem, rule);
  if (iterate_in_float(problem, rule, convergence, report, x)) return report;
  return descent_.go_on(problem, convergence, report.iterations, length_, search_direction, x);
}

}  // namespace sluice::integrator
