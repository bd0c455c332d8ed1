// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/convergence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/linalg/vectors.h"

namespace sluice::integrator {

double Convergence::element_stiffness(std::span<const solid::Potential* const> potentials) {
  double squares = 0;
  for (const solid::Potential* potential : potentials) {
    const auto rows = static_cast<std::size_t>(potential->rows());
    const std::size_t per_element =
        rows * static_cast<std::size_t>(potential->vertices_per_element());
    const auto weights = potential->weights();
    const auto maps = potential->maps();
    for (std::size_t e = 0; e < weights.size(); ++e) {
      double map = 0;
      for (const double g : maps.subspan(e * per_element, per_element))
        map += g * g;
      squares += weights[e] * map * weights[e] * map;
    }
  }
  return std::sqrt(squares);
}

Convergence::Convergence(const StepProblem& problem, const StoppingRule& rule, double stiffness)
    : rule_(rule), force_scale_(rule.force_scale > 0 ? rule.force_scale : -1) {
  // The part of the gradient that rounding leaves: a few units of the largest coordinate, times
  // stiffness and inertia, in quadrature over the elements and vertices.
  double squares = stiffness * stiffness, largest = 0;
  for (std::size_t i = 0; i < problem.inertia.size(); ++i) {
    if (!is_held(problem, i)) squares += problem.inertia[i] * problem.inertia[i];
    largest = std::max(largest, problem.targets[i].cwiseAbs().maxCoeff());
  }
  rounding_ = 4 * std::numeric_limits<double>::epsilon() * largest * std::sqrt(squares);
}

bool Convergence::stop(int iteration, std::span<const Vec3> x, std::span<const Vec3> gradient,
                       StepReport& report) {
  if (rule_.observer) rule_.observer(iteration, x);
  return stop(iteration, linalg::norm(gradient), report);
}

bool Convergence::stop(int iteration, double gradient_norm, StepReport& report) {
  if (force_scale_ < 0) force_scale_ = gradient_norm;
  report.iterations = iteration;
  report.force_scale = force_scale_;
  report.residual = force_scale_ > 0 ? gradient_norm / force_scale_ : 0;
  if (!std::isfinite(gradient_norm)) {
    report.status = StepStatus::not_finite;
    return true;
  }
  if (gradient_norm <= rounding_) report.residual = 0;  // Nothing that means anything is left.
  if (gradient_norm <= std::max(rule_.relative_residual * force_scale_, rounding_)) {
    report.status = StepStatus::converged;
    return true;
  }
  report.status = StepStatus::iteration_limit;
  return iteration >= rule_.max_iterations;
}

bool set_start(const StepProblem& problem, std::vector<Vec3>& scratch, std::span<Vec3> x) {
  if (!problem.start.empty()) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = is_held(problem, i) ? problem.targets[i] : problem.start[i];
    if (std::isfinite(energy(problem, x))) return true;
  }
  scratch.assign(x.begin(), x.end());
  constexpr int most_halvings = 20;
  for (int n = 0; n <= most_halvings; ++n) {
    const double part = n < most_halvings ? std::ldexp(1.0, -n) : 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = part == 1 || is_held(problem, i)
                 ? problem.targets[i]
                 : Vec3(scratch[i] + part * (problem.targets[i] - scratch[i]));
    }
    if (std::isfinite(energy(problem, x))) return true;
  }
  return false;
}

}  // namespace sluice::integrator
