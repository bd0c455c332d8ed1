// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::integrator {

StepDriver::StepDriver(std::span<solid::Potential* const> potentials, Integrator& integrator,
                       TimeRule time_rule)
    : potentials_(potentials.begin(), potentials.end()),
      const_potentials_(potentials.begin(), potentials.end()),
      integrator_(integrator),
      time_rule_(time_rule),
      parts_({}, 0) {}

/// From x_, a state near by whose energy is finite, to the end of an implicit step that starts at
/// `positions` with `velocities`.
StepReport StepDriver::implicit_step(double h, const StoppingRule& rule, const MovingBodies& bodies,
                                     std::span<const Vec3> positions,
                                     std::span<const Vec3> velocities) {
  const std::size_t count = positions.size();
  inertia_.resize(count);
  targets_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    targets_[i] = positions[i] + h * velocities[i];
    inertia_[i] = std::numeric_limits<double>::infinity();
    if (bodies.is_held[i] != 0) continue;
    inertia_[i] = bodies.mass[i] / (h * h);
    if (!bodies.accelerations.empty()) targets_[i] += h * h * bodies.accelerations[i];
  }
  for (solid::Potential* potential : potentials_)
    potential->begin_step(positions, h);
  const StepProblem problem{inertia_, targets_, {}, const_potentials_};
  StepReport report = integrator_.step(problem, rule, x_);
  const bool is_finite = std::ranges::all_of(x_, [](const Vec3& x) { return x.allFinite(); });
  if (!is_finite) report.status = StepStatus::not_finite;
  if (!report.is_converged()) return report;
  if (parts_.vertex_count() != count) parts_ = LooseParts(const_potentials_, count);
  parts_.place(problem, x_);
  return report;
}

/// X and V from where the first stage has ended, x_. A held vertex keeps its velocity.
void StepDriver::start_second_stage(double h, const MovingBodies& bodies) {
  constexpr double g = stage_share;
  stage_positions_.resize(x_.size());
  stage_velocities_.resize(x_.size());
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const Vec3 &x = bodies.positions[i], &v = bodies.velocities[i];
    const Vec3 V_1 = bodies.is_held[i] != 0 ? v : Vec3((x_[i] - x) / (g * h));
    stage_positions_[i] = x + (1 - g) * h * V_1;
    stage_velocities_[i] = v + (1 - g) / g * (V_1 - v);
  }
}

StepReport StepDriver::step(double h, const StoppingRule& rule, const MovingBodies& bodies) {
  const bool has_two_stages = time_rule_ == TimeRule::alexander;
  const double stage = has_two_stages ? stage_share * h : h;
  std::span<const Vec3> start = bodies.positions;
  x_.assign(start.begin(), start.end());
  StepReport report = implicit_step(stage, rule, bodies, start, bodies.velocities);
  if (has_two_stages && report.is_converged()) {
    const int iterations_before = report.iterations;
    start_second_stage(h, bodies);
    start = stage_positions_;
    report = implicit_step(stage, rule, bodies, start, stage_velocities_);
    report.iterations += iterations_before;
  }
  if (!report.is_converged()) return report;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (bodies.is_held[i] == 0) bodies.velocities[i] = (x_[i] - start[i]) / stage;
    bodies.positions[i] = x_[i];
  }
  return report;
}

const std::string& StepDriver::worst_body(const MovingBodies& bodies) {
  // The gradient of what was left unsolved; where it has none, that of inertia alone: what was to
  // move the furthest.
  StepProblem problem{inertia_, targets_, {}, const_potentials_};
  if (!std::isfinite(energy(problem, x_))) problem.potentials = {};
  gradient_.resize(x_.size());
  compute_gradient(problem, x_, gradient_);
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t b = 0; b < bodies.bodies.size(); ++b) {
    double squares = 0;
    for (std::size_t i = 0; i < bodies.bodies[b].count; ++i) {
      const std::size_t vertex = bodies.bodies[b].first + i;
      squares += x_[vertex].allFinite() ? gradient_[vertex].squaredNorm()
                                        : std::numeric_limits<double>::infinity();
    }
    if (squares > most) {
      most = squares;
      worst = b;
    }
  }
  return bodies.bodies[worst].name;
}

Result<DriverReport> StepDriver::advance(double h, const StoppingRule& rule,
                                         const MovingBodies& bodies) {
  start_positions_.assign(bodies.positions.begin(), bodies.positions.end());
  start_velocities_.assign(bodies.velocities.begin(), bodies.velocities.end());
  DriverReport report;
  // Time in units of the shortest step allowed: sums of them are exact.
  constexpr int units = 1 << most_halvings;
  int done = 0;
  for (int length = units; done < units;) {
    report.last = step(h * length / units, rule, bodies);
    report.iteration_count += report.last.iterations;
    if (report.last.is_converged()) {
      ++report.step_count;
      done += length;
      // On a boundary of longer steps it may grow again.
      while (length < units && done % (2 * length) == 0)
        length *= 2;
      continue;
    }
    ++report.failed_count;
    if (length == 1) {
      const std::string& body = worst_body(bodies);
      std::ranges::copy(start_positions_, bodies.positions.begin());
      std::ranges::copy(start_velocities_, bodies.velocities.begin());
      return Error{ErrorCode::solver_diverged,
                   fmt::format("the step of \"{}\" failed even at {:.3g} s, a {}th of {:.3g} s: {} "
                               "(residual {:.2g} after {} iterations)",
                               body, h / units, units, h, describe(report.last.status),
                               report.last.residual, report.last.iterations)};
    }
    length /= 2;
  }
  return report;
}

}  // namespace sluice::integrator
