// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/ipc_solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>

#include "solver/contact/step_limit.h"
#include "solver/coupling/pair_potential.h"
#include "solver/integrator/projected_newton.h"

namespace sluice::coupling {
namespace {

constexpr int most_rounds = 100;
constexpr int most_lags = 2;  // [Li2020] 5.5 has one.

// Held points and obstacles that get less far in a round than this part of the contact distance
// have nowhere to go, after that many such rounds.
constexpr double no_way = 0.01;
constexpr int most_rounds_without_way = 3;

// Each point's way in a step counts as this part of the contact distance at least, so that bodies
// at rest have a force to compare with.
constexpr double at_rest = 1e-3;

// Gaps below this part of the range often cut line searches short, and a stiffer barrier pays.
constexpr double small_gap = 1e-3;
constexpr double stiffening = 4;

// How far the pairs of a round go: a part of the longest way, and of the range. Longer, there are
// more pairs, by the square; shorter, more rounds. Half and double of both cost more
// (newton_ipc_test, a cloth that falls on a sphere). In steps much shorter than the range all stay
// within about their way.
constexpr double reach_of_way = 0.1, reach_of_range = 2;
constexpr double short_way = 2, short_range = 0.1;

// A search stops where the reach leaves it less than the first part of its length, and a way of
// less than the second part of the reach: the next round goes further.
constexpr double too_short = 1e-3, little_room = 0.5;

constexpr double unlimited = std::numeric_limits<double>::infinity();

bool is_held(const IpcProblem& problem, std::size_t point) {
  return problem.inertia[point] == unlimited;
}

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

double largest_coordinate(std::span<const Vec3> direction) {
  double largest = 0;
  for (const Vec3& d : direction)
    largest = std::max(largest, d.cwiseAbs().maxCoeff());
  return largest;
}

double longest_way(const IpcProblem& problem) {
  double longest = problem.walls != nullptr ? problem.walls->largest_step() : 0;
  for (std::size_t i = 0; i < problem.x_n.size(); ++i)
    longest = std::max(longest, (problem.targets[i] - problem.x_n[i]).cwiseAbs().maxCoeff());
  return longest;
}

// The forces that would take all points to their targets in a step; what is held, and obstacles,
// count as if they weighed as much as what is free.
double force_scale(const IpcProblem& problem, double shortest) {
  double squares = 0, squared_ways = 0, inertia = 0, count = 0;
  for (std::size_t i = 0; i < problem.x_n.size(); ++i) {
    const double way = std::max(shortest, (problem.targets[i] - problem.x_n[i]).norm());
    if (is_held(problem, i)) {
      squared_ways += way * way;
      continue;
    }
    squares += problem.inertia[i] * problem.inertia[i] * way * way;
    inertia += problem.inertia[i];
    ++count;
  }
  if (count == 0) return 0;
  if (problem.walls != nullptr) squared_ways += std::pow(problem.walls->largest_step(), 2);
  return std::sqrt(squares + squared_ways * std::pow(inertia / count, 2));
}

// Whether another round, with pairs and a matrix of its own, may do better.
bool can_go_on(integrator::StepStatus status) {
  return status == integrator::StepStatus::iteration_limit ||
         status == integrator::StepStatus::no_descent;
}

double largest_step(std::span<const PairGroup> groups, std::span<const Vec3> x,
                    std::span<const Vec3> direction, double longest) {
  for (const PairGroup& group : groups)
    longest = contact::largest_step(group.pairs, x, direction, longest);
  return longest;
}

}  // namespace

IpcSolve::IpcSolve(const IpcSettings& settings, const ContactSurfaces& surfaces,
                   solid::DeformableSystem& solids)
    : settings_(settings),
      springs_(solids.springs),
      range_(surfaces.contact_distance()),
      search_(surfaces, solids) {
  if (springs_.element_count() > 0) elastic_.push_back(&springs_);
  for (auto* group : {&solids.elements, &solids.dampers}) {
    for (const auto& potential : *group)
      elastic_.push_back(potential.get());
  }
}

// The mean over what can move of inertia and elastic stiffness, the diagonal of the Hessian at
// rest.
double IpcSolve::first_stiffness(const IpcProblem& problem) const {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < problem.inertia.size(); ++i) {
    if (is_held(problem, i)) continue;
    sum += problem.inertia[i];
    ++count;
  }
  for (const solid::Potential* potential : elastic_) {
    const auto rows = static_cast<std::size_t>(potential->rows());
    const auto k = static_cast<std::size_t>(potential->vertices_per_element());
    const auto stencils = potential->stencils();
    const auto maps = potential->maps(), weights = potential->weights();
    for (std::size_t n = 0; n < maps.size(); ++n) {
      const std::size_t e = n / (rows * k), corner = n % k;
      if (!is_held(problem, static_cast<std::size_t>(stencils[e * k + corner])))
        sum += weights[e] * maps[n] * maps[n];
    }
  }
  return count > 0 ? sum / count : 1;
}

// The pairs and touches that can come into range within `reach` of `x`.
void IpcSolve::find(const IpcProblem& problem, std::span<const Vec3> x, double reach) {
  search_.find(x, reach, groups_);
  touches_.clear();
  if (problem.walls == nullptr) return;
  const double nearer = 2 * std::numbers::sqrt3 * reach;  // A point and an obstacle both move.
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_held(problem, i)) continue;
    problem.walls->add_touches(static_cast<std::int32_t>(i), problem.x_n[i], x[i], held_part_,
                               problem.margins[i], nearer, touches_);
  }
}

// Moves what is held on towards its targets, and obstacles, as far as what is free leaves. Returns
// whether that is a way to speak of, or they are there.
bool IpcSolve::advance_held(const IpcProblem& problem, double reach, std::span<Vec3> x) {
  if (held_part_ == 1) return true;
  // Each time it may take nine tenths of a gap: first let the barrier open it.
  if (has_narrow_gaps(x)) return false;
  double longest = 0;
  direction_.assign(x.size(), Vec3::Zero());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!is_held(problem, i)) continue;
    direction_[i] = problem.targets[i] - x[i];
    longest = std::max(longest, direction_[i].cwiseAbs().maxCoeff());
  }
  if (problem.walls != nullptr)
    longest = std::max(longest, (1 - held_part_) * problem.walls->largest_step());
  double part = longest > reach ? reach / longest : 1;
  part = std::min(part, largest_advance(touches_, x));
  part = largest_step(groups_, x, direction_, part);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!is_held(problem, i)) continue;
    x[i] = part == 1 ? problem.targets[i] : Vec3(x[i] + part * direction_[i]);
  }
  for (WallTouch& touch : touches_)
    touch.shift *= 1 - part;
  held_part_ = part == 1 ? 1 : held_part_ + (1 - held_part_) * part;
  return part == 1 || part * longest >= no_way * range_;
}

void IpcSolve::lag(const IpcProblem& problem, std::span<const Vec3> x) {
  lagged_ = {};
  for (const PairGroup& group : groups_) {
    for (const contact::ContactPair& pair : group.pairs) {
      if (const auto pressed = lag_friction({stiffness_, group.range}, pair, x))
        lagged_.pairs.push_back(*pressed);
    }
  }
  for (const WallTouch& touch : touches_) {
    if (const auto pressed = lag_friction(stiffness_, touch, problem.x_n, x))
      lagged_.walls.push_back(*pressed);
  }
}

integrator::StepReport IpcSolve::run_round(const IpcProblem& problem, double reach,
                                           const integrator::StoppingRule& rule,
                                           std::span<Vec3> x) {
  std::vector<std::unique_ptr<solid::Potential>> contact;
  contact.reserve(groups_.size() + 3);
  for (const PairGroup& group : groups_) {
    contact.push_back(
        std::make_unique<BarrierPotential>(contact::Barrier{stiffness_, group.range}, group.pairs));
  }
  contact.push_back(std::make_unique<WallBarrier>(stiffness_, touches_));
  const double eps = settings_.sticking_speed * problem.h;
  contact.push_back(std::make_unique<FrictionPotential>(lagged_.pairs, problem.x_n, eps));
  contact.push_back(std::make_unique<WallFriction>(lagged_.walls, eps));
  std::vector<const solid::Potential*> potentials(elastic_.begin(), elastic_.end());
  for (const auto& potential : contact) {
    if (potential->element_count() > 0) potentials.push_back(potential.get());
  }

  held_targets_.assign(problem.targets.begin(), problem.targets.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_held(problem, i)) held_targets_[i] = x[i];
  }
  const std::vector<Vec3> start(x.begin(), x.end());
  integrator::StepProblem step{problem.inertia, held_targets_, {}, potentials, start};
  step.step_limit = [&](std::span<const Vec3> at, std::span<const Vec3> direction,
                        double longest) -> double {
    const double reached = within_reach(center_, reach, at, direction);
    if (reached < too_short * longest &&
        reached * largest_coordinate(direction) < little_room * reach) {
      return 0;
    }
    longest = largest_step(touches_, at, direction, std::min(reached, longest));
    return largest_step(groups_, at, direction, longest);
  };
  // Newton would look for another place to start, and what is between is anybody's guess.
  if (!std::isfinite(integrator::energy(step, x))) {
    return {.status = integrator::StepStatus::no_energy};
  }
  integrator::ProjectedNewton newton(potentials, x.size());
  return newton.step(step, rule, x);
}

bool IpcSolve::has_narrow_gaps(std::span<const Vec3> x) const {
  for (const PairGroup& group : groups_) {
    const double narrow = small_gap * group.range;
    for (const contact::ContactPair& pair : group.pairs) {
      if (distance_of(pair.kind, pair.gather(x)).squared < narrow * narrow) return true;
    }
  }
  return std::ranges::any_of(touches_, [&](const WallTouch& touch) {
    return touch.gap_at(x[static_cast<std::size_t>(touch.point)]).distance <
           small_gap * touch.range;
  });
}

std::int64_t IpcSolve::count_contacts(std::span<const Vec3> x) const {
  std::int64_t count = 0;
  for (const PairGroup& group : groups_) {
    count += std::ranges::count_if(group.pairs, [&](const contact::ContactPair& pair) {
      return distance_of(pair.kind, pair.gather(x)).squared < group.range * group.range;
    });
  }
  return count;
}

void IpcSolve::measure_forces(const IpcProblem& problem, std::span<const Vec3> x) {
  const double eps = settings_.sticking_speed * problem.h;
  pair_forces_.assign(x.size(), Vec3::Zero());
  wall_forces_.assign(x.size(), Vec3::Zero());
  for (const PairGroup& group : groups_)
    BarrierPotential({stiffness_, group.range}, group.pairs).add_gradient(x, pair_forces_);
  FrictionPotential(lagged_.pairs, problem.x_n, eps).add_gradient(x, pair_forces_);
  WallBarrier(stiffness_, touches_).add_gradient(x, wall_forces_);
  WallFriction(lagged_.walls, eps).add_gradient(x, wall_forces_);
  for (std::vector<Vec3>* forces : {&pair_forces_, &wall_forces_}) {
    for (Vec3& force : *forces)
      force = -force;
  }
}

Result<IpcReport> IpcSolve::minimise(const IpcProblem& problem, std::vector<Vec3>& x) {
  for (solid::Potential* potential : elastic_)
    potential->begin_step(problem.x_n, problem.h);
  x.assign(problem.x_n.begin(), problem.x_n.end());
  stiffness_ = first_stiffness(problem);
  held_part_ = 0;
  find(problem, x, 0);
  lag(problem, x);
  const integrator::StoppingRule rule{.relative_residual = settings_.relative_residual,
                                      .max_iterations = settings_.max_iterations,
                                      .force_scale = force_scale(problem, at_rest * range_)};
  const double way = longest_way(problem);
  const double reach =
      std::max(reach_of_way * way,
               std::min(reach_of_range * range_, short_way * way + short_range * range_));
  IpcReport report;
  int lag_count = 1, rounds_without_way = 0;
  bool was_moving = true, is_settled = true;
  for (;;) {
    center_.assign(x.begin(), x.end());
    find(problem, x, reach);
    if (is_settled && !advance_held(problem, reach, x)) ++rounds_without_way;
    const integrator::StepReport round = run_round(problem, reach, rule, x);
    ++report.round_count;
    report.iteration_count += round.iterations;
    report.residual = round.residual;
    is_settled = round.is_converged();
    if (is_settled) {
      const bool is_stuck = rounds_without_way >= most_rounds_without_way;
      if (!is_stuck && has_narrow_gaps(x)) {
        stiffness_ *= stiffening;
      } else if (held_part_ == 1 || is_stuck) {
        const bool had_friction = !lagged_.is_empty();
        if (lag_count == most_lags) break;
        ++lag_count;
        lag(problem, x);
        if (!had_friction && lagged_.is_empty()) break;
      }
    } else if (!can_go_on(round.status) || (round.iterations == 0 && !was_moving)) {
      return Error{
          ErrorCode::solver_diverged,
          fmt::format("{} (residual {:.2g} after {} iterations of a step of {:.3g} s)",
                      describe(round.status), report.residual, report.iteration_count, problem.h)};
    }
    was_moving = round.iterations > 0;
    if (report.round_count == most_rounds) {
      return Error{ErrorCode::solver_diverged,
                   fmt::format("no end after {} rounds, {} iterations, of a step of {} s",
                               most_rounds, report.iteration_count, problem.h)};
    }
  }
  report.stiffness = stiffness_;
  report.held_part = held_part_;
  report.contact_count = count_contacts(x);
  measure_forces(problem, x);
  return report;
}

}  // namespace sluice::coupling
