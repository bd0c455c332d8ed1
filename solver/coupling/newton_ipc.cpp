// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/newton_ipc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/contact/friction.h"
#include "solver/contact/step_limit.h"
#include "solver/coupling/pair_potential.h"
#include "solver/integrator/projected_newton.h"

namespace sluice::coupling {
namespace {

constexpr int most_rounds = 40;
constexpr int most_lags = 2;  // [Li2020] 5.5 has one.

// Of the range: below it line searches are cut short often, and a stiffer barrier pays.
constexpr double small_gap = 1e-3;
constexpr double stiffening = 4;

// How far the pairs of a round go: a part of the longest way, and of the range. Longer, there are
// more pairs, by the square; shorter, more rounds. Half and double of both cost more
// (newton_ipc_test, a cloth that falls on a sphere).
constexpr double reach_of_way = 0.1, reach_of_range = 2;

// Of a search's length: with no more left to the reach, the next round goes further.
constexpr double too_short = 1e-3;

constexpr double unlimited = std::numeric_limits<double>::infinity();

// How far along `direction` all points stay within `reach` of `origin` along each axis.
double within_reach(std::span<const Vec3> origin, double reach, std::span<const Vec3> x,
                    std::span<const Vec3> direction) {
  double longest = unlimited;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const double speed = std::abs(direction[i][axis]);
      if (speed == 0) continue;
      const double gone = std::copysign(1.0, direction[i][axis]) * (x[i] - origin[i])[axis];
      longest = std::min(longest, std::max(0.0, (reach - gone) / speed));
    }
  }
  return longest;
}

std::vector<contact::FrictionPair> touching(const contact::Barrier& barrier,
                                            std::span<const contact::ContactPair> pairs,
                                            std::span<const Vec3> x) {
  std::vector<contact::FrictionPair> result;
  for (const contact::ContactPair& pair : pairs) {
    if (const auto lagged = lag_friction(barrier, pair, x)) result.push_back(*lagged);
  }
  return result;
}

}  // namespace

NewtonIpc::NewtonIpc(const NewtonIpcSettings& settings, solid::DeformableSystem& solids)
    : settings_(settings), springs_(solids.springs), search_(solids, settings.friction) {
  if (springs_.element_count() > 0) elastic_.push_back(&springs_);
  for (auto* group : {&solids.elements, &solids.dampers}) {
    for (const auto& potential : *group)
      elastic_.push_back(potential.get());
  }
}

// The mean over what can move of inertia and elastic stiffness, the diagonal of the Hessian at
// rest.
double NewtonIpc::first_stiffness() const {
  double sum = 0, count = 0;
  const auto is_free = [&](std::size_t vertex) { return term_.inertia[vertex] != unlimited; };
  for (std::size_t i = 0; i < term_.inertia.size(); ++i) {
    if (!is_free(i)) continue;
    sum += term_.inertia[i];
    ++count;
  }
  for (const solid::Potential* potential : elastic_) {
    const auto rows = static_cast<std::size_t>(potential->rows());
    const auto k = static_cast<std::size_t>(potential->vertices_per_element());
    const auto stencils = potential->stencils();
    const auto maps = potential->maps(), weights = potential->weights();
    for (std::size_t n = 0; n < maps.size(); ++n) {
      const std::size_t e = n / (rows * k), corner = n % k;
      if (is_free(static_cast<std::size_t>(stencils[e * k + corner])))
        sum += weights[e] * maps[n] * maps[n];
    }
  }
  return count > 0 ? sum / count : 1;
}

double NewtonIpc::longest_way(std::span<const Vec3> x_n) const {
  double longest = 0;
  for (std::size_t i = 0; i < x_n.size(); ++i)
    longest = std::max(longest, (term_.targets[i] - x_n[i]).cwiseAbs().maxCoeff());
  return longest;
}

double NewtonIpc::force_scale(std::span<const Vec3> x_n) const {
  double squares = 0;
  for (std::size_t i = 0; i < x_n.size(); ++i) {
    if (term_.inertia[i] == unlimited) continue;
    squares += (term_.inertia[i] * (term_.targets[i] - x_n[i])).squaredNorm();
  }
  return std::sqrt(squares);
}

bool NewtonIpc::is_clear_way(std::span<const Vec3> x_n) {
  double longest = 0;
  for (std::size_t i = 0; i < x_n.size(); ++i)
    longest = std::max(longest, (x_[i] - x_n[i]).cwiseAbs().maxCoeff());
  if (longest == 0) return true;
  search_.find(x_n, longest, 0, pairs_);
  return contact::is_clear(pairs_, x_n, x_);
}

NewtonIpc::Round NewtonIpc::minimise(double h, double reach, double stiffness,
                                     std::span<const Vec3> x_n,
                                     const integrator::StoppingRule& rule) {
  search_.find(x_, reach, settings_.range, pairs_);
  const contact::Barrier barrier{stiffness, settings_.range};
  const BarrierPotential contact(barrier, pairs_);
  const double eps = settings_.sticking_speed * h;
  const FrictionPotential friction(lagged_, x_n, eps);
  std::vector<const solid::Potential*> potentials(elastic_.begin(), elastic_.end());
  if (contact.element_count() > 0) potentials.push_back(&contact);
  if (friction.element_count() > 0) potentials.push_back(&friction);

  start_ = x_;
  Round round{{}, false};
  integrator::StepProblem problem{term_.inertia, term_.targets, {}, potentials, start_};
  problem.step_limit = [&](std::span<const Vec3> x, std::span<const Vec3> direction,
                           double longest) -> double {
    const double reached = within_reach(start_, reach, x, direction);
    if (reached < longest) round.is_at_reach = true;
    if (reached < too_short * longest) return 0;
    return contact::largest_step(pairs_, x, direction, std::min(reached, longest));
  };
  // Newton would look for another place to start, and what is between is anybody's guess.
  if (!std::isfinite(integrator::energy(problem, x_))) {
    round.newton.status = integrator::StepStatus::no_energy;
    return round;
  }
  integrator::ProjectedNewton newton(potentials, x_.size());
  round.newton = newton.step(problem, rule, x_);
  return round;
}

double NewtonIpc::smallest_gap() const {
  double smallest = unlimited;
  for (const contact::ContactPair& pair : pairs_) {
    const double distance = std::sqrt(distance_of(pair.kind, pair.gather(x_)).squared);
    smallest = std::min(smallest, distance - pair.thickness);
  }
  return smallest;
}

Result<NewtonIpcReport> NewtonIpc::step(double h, const Vec3& gravity,
                                        solid::DeformableSystem& solids) {
  solid::set_inertial_term(solids, h, gravity, {}, {}, term_);
  for (solid::Potential* potential : elastic_)
    potential->begin_step(solids.positions, h);
  const std::span<const Vec3> x_n = solids.positions;
  x_.assign(x_n.begin(), x_n.end());
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (solids.is_held[i] != 0) x_[i] = term_.targets[i];
  }
  if (!is_clear_way(x_n)) {
    return Error{ErrorCode::solver_diverged,
                 fmt::format("held vertices would meet others within a step of {} s", h)};
  }

  NewtonIpcReport report;
  report.stiffness = first_stiffness();
  lagged_.clear();
  if (settings_.friction > 0) {
    search_.find(x_n, 0, settings_.range, pairs_);
    lagged_ = touching({report.stiffness, settings_.range}, pairs_, x_n);
  }
  integrator::StoppingRule rule{.relative_residual = settings_.relative_residual,
                                .force_scale = force_scale(x_n)};
  const double reach = std::max(reach_of_way * longest_way(x_n), reach_of_range * settings_.range);
  int lag_count = 1;
  for (;;) {
    rule.max_iterations = settings_.max_iterations - report.iteration_count;
    const Round round = minimise(h, reach, report.stiffness, x_n, rule);
    ++report.round_count;
    report.iteration_count += round.newton.iterations;
    report.residual = round.newton.residual;
    report.pair_count = pairs_.size();
    report.smallest_gap = smallest_gap();
    if (round.newton.is_converged()) {
      if (report.smallest_gap < small_gap * settings_.range) {
        report.stiffness *= stiffening;
      } else if (settings_.friction == 0 || lag_count == most_lags) {
        break;
      } else {
        ++lag_count;
        lagged_ = touching({report.stiffness, settings_.range}, pairs_, x_);
      }
    } else if (!round.is_at_reach) {
      return Error{ErrorCode::solver_diverged,
                   fmt::format("{} after {} iterations of a step of {} s",
                               describe(round.newton.status), report.iteration_count, h)};
    }
    if (report.round_count == most_rounds) {
      return Error{ErrorCode::solver_diverged,
                   fmt::format("no end after {} rounds of a step of {} s", most_rounds, h)};
    }
  }

  if (!is_clear_way(x_n)) {
    return Error{ErrorCode::solver_diverged,
                 fmt::format("the way that a step of {} s has gone is too crooked", h)};
  }
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (solids.is_held[i] == 0) solids.velocities[i] = (x_[i] - solids.positions[i]) / h;
    solids.positions[i] = x_[i];
  }
  solid::advance_pins(solids, h);
  return report;
}

}  // namespace sluice::coupling
