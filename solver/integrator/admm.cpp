// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/admm.h"

#include <algorithm>
#include <cmath>

#include "solver/linalg/vectors.h"

namespace sluice::integrator {

AdmmIteration::AdmmIteration(std::span<const solid::Potential* const> potentials,
                             std::size_t vertex_count)
    : stages_(potentials, vertex_count), gradient_(vertex_count), correction_(vertex_count) {}

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
  return go_on(problem, rule, convergence, 0, accelerated, solve_global, x);
}

StepReport AdmmIteration::go_on(const StepProblem& problem, const StoppingRule& rule,
                                Convergence& convergence, int iteration, bool accelerated,
                                const std::function<void(std::span<Vec3>)>& solve_global,
                                std::span<Vec3> x) {
  StepReport report;
  if (accelerated) {
    state_.resize(3 * x.size() + stages_.duals().size());
    image_.resize(state_.size());
    anderson_.restart(state_.size());
  }
  // The residual costs as much as an iteration. So it is measured where what the global step finds
  // left over is as small, and now and then.
  constexpr int longest_unmeasured = 10;
  int next_measured = iteration;
  for (;; ++iteration) {
    if (rule.observer) rule.observer(iteration, x);
    if (iteration >= next_measured || iteration >= rule.max_iterations) {
      // An iterate may have inverted elements on its way: only those of z_e have an energy for
      // sure.
      report.energy = energy(problem, x);
      if (std::isfinite(report.energy)) {
        compute_gradient(problem, x, gradient_);
        if (convergence.stop(iteration, linalg::norm(gradient_), report)) break;
      } else if (iteration >= rule.max_iterations || !std::isfinite(linalg::norm(x))) {
        report.status =
            iteration >= rule.max_iterations ? StepStatus::iteration_limit : StepStatus::not_finite;
        report.iterations = iteration;
        break;
      }
      next_measured = iteration + longest_unmeasured;
    }
    if (accelerated) read_state(x, state_);
    stages_.local_and_dual_step(x);
    stages_.write_global_residual(problem, x, correction_);
    if (linalg::norm(correction_) <= rule.relative_residual * report.force_scale)
      next_measured = iteration + 1;
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

ConsensusAdmmIntegrator::InFloat::InFloat(std::span<const solid::Potential* const> potentials,
                                          std::size_t vertex_count)
    : state(potentials, vertex_count),
      gradient(vertex_count),
      change(vertex_count),
      inverse_diagonal(make_lanes(vertex_count)) {}

/// The duals as AdmmStages has them: from 0, one local step at x^n.
void ConsensusAdmmIntegrator::InFloat::begin(const StepProblem& problem, const AdmmStages& stages,
                                             std::span<const Vec3> x_n) {
  state.begin(problem);
  change = state.u;
  if (problem.start.empty()) {
    for (std::size_t i = 0; i < x_n.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        const auto axis = static_cast<Eigen::Index>(c);
        change[c][i] = static_cast<float>(x_n[i][axis] - problem.targets[i][axis]);
      }
    }
  }
  state.springs.begin_duals(change);
  for (std::size_t i = 0; i < x_n.size(); ++i) {
    inverse_diagonal[i] =
        is_held(problem, i)
            ? 0.0F
            : static_cast<float>(1 / (problem.inertia[i] + stages.stiffness_sum(i)));
  }
}

void ConsensusAdmmIntegrator::InFloat::iterate(int count) {
  state.start_gradient(gradient);
  state.springs.iterate(count, state.end(), state.u, gradient,
                        [&](std::size_t first, std::size_t last) {
                          state.step_by_diagonal(first, last, inverse_diagonal, gradient, change);
                        });
}

ConsensusAdmmIntegrator::ConsensusAdmmIntegrator(
    std::span<const solid::Potential* const> potentials, std::size_t vertex_count, bool accelerated)
    : iteration_(potentials, vertex_count), is_accelerated_(accelerated) {
  if (!accelerated && SpringStep::serves(potentials))
    in_float_ = std::make_unique<InFloat>(potentials, vertex_count);
}

/// False where double has to go on. `x` is the last iterate.
bool ConsensusAdmmIntegrator::iterate_in_float(const StepProblem& problem, const StoppingRule& rule,
                                               Convergence& convergence, StepReport& report,
                                               std::span<Vec3> x) {
  constexpr int measured_every = 10;
  InFloat& in_float = *in_float_;
  SpringStep& state = in_float.state;
  in_float.begin(problem, iteration_.stages(), x);
  FloatVerdict verdict = FloatVerdict::go_on;
  for (int iteration = 0;;) {
    if (rule.observer) {
      state.write_positions(x);
      rule.observer(iteration, x);
    }
    if (iteration % measured_every == 0 || iteration >= rule.max_iterations) {
      state.compute_gradient();
      verdict = state.check(iteration, convergence, report);
      if (verdict != FloatVerdict::go_on) break;
      if (iteration > 0 && state.needs_rebase(in_float.change)) {
        state.write_positions(x);
        state.rebase(problem, x);
      }
    }
    const int unseen = rule.observer ? 1
                                     : std::min(measured_every - iteration % measured_every,
                                                rule.max_iterations - iteration);
    in_float.iterate(unseen);
    iteration += unseen;
  }
  state.write_positions(x);
  report.energy = state.energy();
  return verdict == FloatVerdict::stopped;
}

StepReport ConsensusAdmmIntegrator::step(const StepProblem& problem, const StoppingRule& rule,
                                         std::span<Vec3> x) {
  const auto solve_global = [&](std::span<Vec3> r) {
    for (std::size_t i = 0; i < r.size(); ++i)
      r[i] /= problem.inertia[i] + iteration_.stages().stiffness_sum(i);
  };
  if (!in_float_) return iteration_.run(problem, rule, is_accelerated_, solve_global, x);
  StepReport report;
  Convergence convergence = in_float_->state.convergence(problem, rule);
  if (iterate_in_float(problem, rule, convergence, report, x)) return report;
  iteration_.stages().begin(x);
  in_float_->state.springs.write_duals(iteration_.stages().duals());
  return iteration_.go_on(problem, rule, convergence, report.iterations, false, solve_global, x);
}

}  // namespace sluice::integrator
