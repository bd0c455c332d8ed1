// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/implicit_solids.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "solver/integrator/make_integrator.h"

namespace sluice::coupling {

ImplicitSolids::ImplicitSolids(const scene::SolidSolver& settings,
                               const solid::DeformableSystem& solids)
    : rule_{.relative_residual = settings.tolerance, .max_iterations = settings.max_iterations},
      springs_(solids.springs) {
  if (springs_.element_count() > 0) potentials_.push_back(&springs_);
  for (const auto* group : {&solids.elements, &solids.dampers}) {
    for (const auto& potential : *group)
      potentials_.push_back(potential.get());
  }
  integrator_ =
      integrator::make_integrator(settings.integrator, potentials_, solids.positions.size());
}

void ImplicitSolids::begin(std::span<const Vec3> x_n, const solid::InertialTerm& term,
                           std::span<const Vec3> likely) {
  x_n_ = x_n;
  term_ = &term;
  rule_.force_scale = 0;
  is_started_ = !likely.empty();
  solution_.assign(likely.begin(), likely.end());
  if (!is_started_) return;
  double squares = 0;
  for (std::size_t i = 0; i < x_n.size(); ++i) {
    if (std::isfinite(term.inertia[i]))
      squares += (term.inertia[i] * (term.targets[i] - x_n[i])).squaredNorm();
  }
  rule_.force_scale = std::sqrt(squares);
}

integrator::StepReport ImplicitSolids::solve(std::span<const Vec3> forces, std::span<Vec3> x) {
  std::ranges::copy(x_n_, x.begin());
  integrator::StepProblem problem{term_->inertia, term_->targets, forces, potentials_};
  if (is_started_) {
    problem.start = solution_;
    // A body that moves freely until it hits something has no forces at the predictor to compare
    // with.
    double squares = 0;
    for (std::size_t i = 0; i < forces.size(); ++i) {
      if (!integrator::is_held(problem, i)) squares += forces[i].squaredNorm();
    }
    rule_.force_scale = std::max(rule_.force_scale, std::sqrt(squares));
  }
  const integrator::StepReport report = integrator_->step(problem, rule_, x);
  rule_.force_scale = report.force_scale;
  solution_.assign(x.begin(), x.end());
  is_started_ = true;
  return report;
}

const std::string& ImplicitSolids::worst_body(const solid::DeformableSystem& solids,
                                              std::span<const Vec3> forces,
                                              std::span<const Vec3> x) {
  // Where the elements have no energy, what inertia alone leaves over: what was to move furthest.
  integrator::StepProblem problem{term_->inertia, term_->targets, forces, potentials_};
  if (!std::isfinite(integrator::energy(problem, x))) problem.potentials = {};
  gradient_.resize(x.size());
  integrator::compute_gradient(problem, x, gradient_);
  std::vector<double> squares(solids.bodies.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares[static_cast<std::size_t>(solids.body_of_vertex[i])] +=
        gradient_[i].allFinite() ? gradient_[i].squaredNorm()
                                 : std::numeric_limits<double>::infinity();
  }
  const auto worst = std::ranges::max_element(squares);
  return solids.bodies[static_cast<std::size_t>(worst - squares.begin())].name;
}

}  // namespace sluice::coupling
