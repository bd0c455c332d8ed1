// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/admm.h"

#include <algorithm>
#include <cmath>

#include "solver/linalg/vectors.h"

namespace sluice::integrator {

AdmmIteration::AdmmIteration(std::span<const solid::Potential* const> potentials,
                             std::size_t vertex_count)
    : stages_(potentials, vertex_count),
      gradient_(vertex_count),
      correction_(vertex_count),
      state_(3 * vertex_count + stages_.duals().size()),
      image_(state_.size()) {}

void AdmmIteration::read_state(std::span<const Vec3> x, std::span<double> state) {
  const double* first = x.front().data();
  const auto duals = std::copy(first, first + 3 * x.size(), state.begin());
  std::ranges::copy(stages_.duals(), duals);
}

void AdmmIteration::write_state(std::span<const double> state, std::span<Vec3> x) {
  const auto positions = state.first(3 * x.size());
  std::ranges::copy(positions, x.front().data());
  std::ranges::copy(state.subspan(positions.size()), stages_.duals().begin());
}

StepReport AdmmIteration::run(const StepProblem& problem, const StoppingRule& rule,
                              bool accelerated,
                              const std::function<void(std::span<Vec3>)>& solve_global,
                              std::span<Vec3> x) {
  StepReport report;
  stages_.begin(problem.start.empty() ? x : problem.start);
  if (!set_start(problem, scratch_, x)) {
    report.status = StepStatus::no_energy;
    return report;
  }
  Convergence convergence(problem, rule);
  anderson_.restart(state_.size());
  for (int iteration = 0;; ++iteration) {
    // An iterate may have inverted elements on its way: only those of z_e have an energy for sure.
    report.energy = energy(problem, x);
    const bool has_energy = std::isfinite(report.energy);
    if (has_energy) {
      compute_gradient(problem, x, gradient_);
      if (convergence.stop(iteration, x, gradient_, report)) break;
    } else if (iteration >= rule.max_iterations || !std::isfinite(linalg::norm(x))) {
      report.status =
          iteration >= rule.max_iterations ? StepStatus::iteration_limit : StepStatus::not_finite;
      report.iterations = iteration;
      break;
    }
    if (accelerated) read_state(x, state_);
    stages_.local_and_dual_step(x);
    stages_.write_global_residual(problem, x, correction_);
    solve_global(correction_);
    linalg::add_scaled(1, correction_, x);
    if (!accelerated) continue;
    read_state(x, image_);
    anderson_.next(state_, image_);
    write_state(image_, x);
  }
  return report;
}

Admm::Admm(std::span<const solid::Potential* const> potentials, std::size_t vertex_count)
    : matrix_(potentials, vertex_count), iteration_(potentials, vertex_count) {}

StepReport Admm::step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) {
  if (!matrix_.prepare(problem)) return {.status = StepStatus::not_finite};
  return iteration_.run(problem, rule, false, [&](std::span<Vec3> r) { matrix_.solve(r, r); }, x);
}

ConsensusAdmmIntegrator::ConsensusAdmmIntegrator(
    std::span<const solid::Potential* const> potentials, std::size_t vertex_count, bool accelerated)
    : iteration_(potentials, vertex_count), is_accelerated_(accelerated) {}

StepReport ConsensusAdmmIntegrator::step(const StepProblem& problem, const StoppingRule& rule,
                                         std::span<Vec3> x) {
  return iteration_.run(
      problem, rule, is_accelerated_,
      [&](std::span<Vec3> r) {
        for (std::size_t i = 0; i < r.size(); ++i)
          r[i] /= problem.inertia[i] + iteration_.stages().stiffness_sum(i);
      },
      x);
}

}  // namespace sluice::integrator
