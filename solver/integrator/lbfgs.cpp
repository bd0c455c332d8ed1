// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/lbfgs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "solver/linalg/vectors.h"

namespace sluice::integrator {

namespace {
constexpr std::size_t window = 5;  // [Liu2017] 4 finds 5 best.
}

Lbfgs::Lbfgs(std::span<const solid::Potential* const> potentials, std::size_t vertex_count)
    : matrix_(potentials, vertex_count) {}

void Lbfgs::remember(std::span<const Vec3> x, std::span<const Vec3> gradient) {
  if (!last_x_.empty()) {
    Pair pair;
    if (pairs_.size() == window) {
      pair = std::move(pairs_.front());
      pairs_.erase(pairs_.begin());
    }
    pair.s.resize(x.size());
    pair.y.resize(x.size());
    linalg::step_along(x, -1, last_x_, pair.s);
    linalg::step_along(gradient, -1, last_gradient_, pair.y);
    pair.y_dot_s = linalg::dot(pair.y, pair.s);
    // Armijo's rule alone does not see to positive curvature: a pair without it is left out.
    if (pair.y_dot_s > 0) pairs_.push_back(std::move(pair));
  }
  last_x_.assign(x.begin(), x.end());
  last_gradient_.assign(gradient.begin(), gradient.end());
}

void Lbfgs::write_direction(std::span<const Vec3> gradient, std::span<Vec3> direction) {
  std::array<double, window> alpha{};
  for (std::size_t i = 0; i < gradient.size(); ++i)
    direction[i] = -gradient[i];
  for (std::size_t n = pairs_.size(); n-- > 0;) {
    alpha[n] = linalg::dot(pairs_[n].s, direction) / pairs_[n].y_dot_s;
    linalg::add_scaled(-alpha[n], pairs_[n].y, direction);
  }
  matrix_.solve(direction, direction);
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    const double beta = linalg::dot(pairs_[n].y, direction) / pairs_[n].y_dot_s;
    linalg::add_scaled(alpha[n] - beta, pairs_[n].s, direction);
  }
}

StepReport Lbfgs::step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) {
  if (!matrix_.prepare(problem)) return {.status = StepStatus::not_finite};
  pairs_.clear();
  last_x_.clear();
  return descent_.run(
      problem, rule, StepLength::armijo,
      [&](std::span<const Vec3> at, std::span<const Vec3> gradient, std::span<Vec3> direction) {
        remember(at, gradient);
        write_direction(gradient, direction);
      },
      x);
}

}  // namespace sluice::integrator
