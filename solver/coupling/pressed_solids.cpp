// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/pressed_solids.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "solver/coupling/press_potential.h"
#include "solver/integrator/make_integrator.h"
#include "solver/integrator/projected_newton.h"

namespace sluice::coupling {
namespace {

/// Presses by the number of their points, as potentials have one number for all.
std::vector<std::unique_ptr<solid::Potential>> potentials_of(std::span<const Press> presses) {
  std::vector<std::unique_ptr<solid::Potential>> potentials;
  for (const std::size_t count : {std::size_t{1}, std::size_t{4}, Press::most_points}) {
    std::vector<Press> own;
    std::ranges::copy_if(presses, std::back_inserter(own),
                         [&](const Press& press) { return press.point_count == count; });
    if (!own.empty()) potentials.push_back(std::make_unique<PressPotential>(std::move(own)));
  }
  return potentials;
}

}  // namespace

PressedSolids::PressedSolids(const scene::SolidSolver& settings, double contact_distance,
                             const solid::DeformableSystem& solids)
    : solids_(solids),
      tiny_(1e-6 * contact_distance),
      rule_{.relative_residual = settings.tolerance, .max_iterations = settings.max_iterations},
      springs_(solids.springs),
      elastic_([&] {
        std::vector<const solid::Potential*> elastic;
        if (springs_.element_count() > 0) elastic.push_back(&springs_);
        for (const auto* group : {&solids.elements, &solids.dampers}) {
          for (const auto& potential : *group)
            elastic.push_back(potential.get());
        }
        return elastic;
      }()),
      frames_(solids),
      at_start_(elastic_, solids.positions.size()) {
  free_ = integrator::make_integrator(scene::Integrator::newton, elastic_, solids.positions.size());
}

void PressedSolids::begin(double h, const solid::InertialTerm& term, const RigidStep& rigid,
                          std::span<const Vec3> likely) {
  inertia_ = term.inertia;
  targets_ = term.targets;
  frames_.begin(h, rigid, targets_, inertia_);
  x_ = targets_;
  std::ranges::copy(likely, x_.begin());
  double squares = 0;
  for (std::size_t i = 0; i < solids_.positions.size(); ++i) {
    if (!std::isfinite(inertia_[i])) continue;
    const double way = (targets_[i] - solids_.positions[i]).norm() + tiny_;
    squares += inertia_[i] * inertia_[i] * way * way;
  }
  rule_.force_scale = std::sqrt(squares);
  at_start_.assemble({term.inertia, term.targets, {}, elastic_}, solids_.positions);
}

Mat3 PressedSolids::resistance(std::int32_t point) const {
  const auto i = static_cast<std::size_t>(point);
  if (i >= solids_.positions.size() || !std::isfinite(inertia_[i]))
    return inertia_[i] * Mat3::Identity();
  const linalg::BlockMatrix& A = at_start_.matrix();
  return A.block(A.pattern().diagonal[i]);
}

// Forces on the vertices of free rigid bodies act on the points that carry them.
void PressedSolids::set_forces(std::span<const Vec3> forces) {
  forces_.assign(x_.size(), Vec3::Zero());
  std::ranges::copy(forces, forces_.begin());
  if (frames_.is_empty()) return;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    if (forces[i].isZero(0)) continue;
    const auto vertex = static_cast<std::int32_t>(i);
    const auto points = frames_.points_of(vertex);
    if (!points) continue;
    const RigidFrames::Weights weights = frames_.weights_of(vertex);
    for (std::size_t k = 0; k < RigidFrames::points_per_body; ++k)
      forces_[static_cast<std::size_t>((*points)[k])] += weights[k] * forces[i];
  }
}

integrator::StepReport PressedSolids::solve(std::span<const Vec3> forces,
                                            std::span<const Press> presses, int most_iterations) {
  set_forces(forces);
  integrator::StoppingRule rule = rule_;
  rule.max_iterations = most_iterations;

  const std::size_t vertex_count = solids_.positions.size();
  std::vector<Vec3> start = x_;
  if (presses.empty()) {
    integrator::StepProblem problem{std::span(inertia_).first(vertex_count),
                                    std::span(targets_).first(vertex_count),
                                    std::span(forces_).first(vertex_count), elastic_};
    problem.start = std::span(start).first(vertex_count);
    const std::span<Vec3> vertices = std::span(x_).first(vertex_count);
    std::ranges::copy(solids_.positions, vertices.begin());
    const integrator::StepReport report = free_->step(problem, rule, vertices);
    for (std::size_t i = vertex_count; i < x_.size(); ++i)
      x_[i] = targets_[i] + forces_[i] / inertia_[i];
    frames_.carry(x_);
    return report;
  }
  const auto pressing = potentials_of(presses);
  std::vector<const solid::Potential*> potentials = elastic_;
  if (!frames_.is_empty()) potentials.push_back(&frames_.shape());
  for (const auto& potential : pressing)
    potentials.push_back(potential.get());
  integrator::StepProblem problem{inertia_, targets_, forces_, potentials};
  problem.start = start;
  std::ranges::copy(solids_.positions, x_.begin());
  integrator::ProjectedNewton newton(potentials, x_.size());
  const integrator::StepReport report = newton.step(problem, rule, x_);
  frames_.carry(x_);
  return report;
}

const std::string& PressedSolids::worst_body() const {
  // The forces that inertia alone leaves over: they are largest for the body that was to move
  // furthest and could not.
  std::vector<double> squares(solids_.bodies.size(), 0.0);
  for (std::size_t i = 0; i < solids_.positions.size(); ++i) {
    if (!std::isfinite(inertia_[i])) continue;
    const Vec3 left = inertia_[i] * (targets_[i] - x_[i]);
    squares[static_cast<std::size_t>(solids_.body_of_vertex[i])] +=
        left.allFinite() ? left.squaredNorm() : std::numeric_limits<double>::infinity();
  }
  const auto worst = std::ranges::max_element(squares);
  return solids_.bodies[static_cast<std::size_t>(worst - squares.begin())].name;
}

}  // namespace sluice::coupling
