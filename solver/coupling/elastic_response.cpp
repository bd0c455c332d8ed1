// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/elastic_response.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "solver/integrator/step_problem.h"

namespace sluice::coupling {
namespace {

std::vector<const solid::Potential*> potentials_of(const solid::SpringPotential& springs,
                                                   const solid::DeformableSystem& solids) {
  std::vector<const solid::Potential*> potentials;
  if (springs.element_count() > 0) potentials.push_back(&springs);
  for (const auto* group : {&solids.elements, &solids.dampers}) {
    for (const auto& potential : *group)
      potentials.push_back(potential.get());
  }
  return potentials;
}

}  // namespace

ElasticResponse::ElasticResponse(const solid::DeformableSystem& solids, double theta)
    : theta_(theta),
      springs_(solids.springs),
      potentials_(potentials_of(springs_, solids)),
      hessian_(potentials_, solids.positions.size()),
      cholesky_(hessian_.matrix().pattern(), linalg::EntryKind::block) {}

void ElasticResponse::begin(double h, const Vec3& gravity, std::span<const solid::Anchor> anchors,
                            const solid::DeformableSystem& solids) {
  h_ = h;
  attached_.clear();
  elastic_forces_.assign(solids.positions.size(), Vec3::Zero());
  for (const auto& elements : solids.elements)
    elements->add_gradient(solids.positions, elastic_forces_);
  if (springs_.element_count() > 0) springs_.add_gradient(solids.positions, elastic_forces_);
  for (Vec3& force : elastic_forces_)
    force = -force;
  solid::set_inertial_term(solids, h, gravity, {}, anchors, term_, rule());
  ends_ = solids.positions;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (solids.is_held[i] != 0) ends_[i] = term_.targets[i];
  }
  for (const auto& damper : solids.dampers)
    damper->begin_step(solids.positions, theta_ * h);
  const integrator::StepProblem problem{term_.inertia, term_.targets, {}, potentials_};
  is_factored_ = cholesky_.factor(hessian_.assemble(problem, ends_).entries());
  gradient_.resize(ends_.size());
  integrator::compute_gradient(problem, ends_, gradient_);
  for (Vec3& impulse : gradient_)
    impulse *= -way_per_change();
  velocities_.resize(ends_.size());
  respond(gradient_, velocities_);
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    ends_[i] += way_per_change() * velocities_[i];
    velocities_[i] = solids.is_held[i] != 0 ? Vec3((ends_[i] - solids.positions[i]) / h)
                                            : end_velocity(solids, h, i, ends_[i], rule());
  }
}

void ElasticResponse::respond(std::span<const Vec3> impulses, std::span<Vec3> changes) {
  std::ranges::copy(impulses, changes.begin());
  const double squared = way_per_change() * way_per_change();
  const auto hold = [&] {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (!answers(i)) changes[i].setZero();
    }
  };
  hold();
  if (is_factored_) {
    cholesky_.solve(changes, changes);
    hold();
    for (Vec3& change : changes)
      change /= squared;
  } else {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const double mass = squared * term_.inertia[i];
      if (attached_.empty()) {
        changes[i] /= mass;
      } else {
        const Mat3 heaved = mass * Mat3::Identity() + attached_[i];
        changes[i] = heaved.llt().solve(changes[i]);
      }
    }
  }
}

bool ElasticResponse::answers(std::size_t vertex) const {
  return !std::isinf(term_.inertia[vertex]);
}

void ElasticResponse::attach(std::span<const Mat3> masses) {
  attached_.assign(masses.begin(), masses.end());
  const linalg::BlockMatrix& hessian = hessian_.matrix();
  with_them_.assign(hessian.entries().begin(), hessian.entries().end());
  const double squared = way_per_change() * way_per_change();
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (hessian.is_held(i)) continue;
    const auto entry = static_cast<std::size_t>(hessian.pattern().diagonal[i]);
    for (std::size_t k = 0; k < 9; ++k)
      with_them_[9 * entry + k] += masses[i].data()[k] / squared;
  }
  is_factored_ = cholesky_.factor(with_them_);
}

}  // namespace sluice::coupling
