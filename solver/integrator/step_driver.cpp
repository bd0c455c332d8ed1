// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::integrator {

StepDriver::StepDriver(std::span<solid::Potential* const> potentials, Integrator& integrator)
    : potentials_(potentials.begin(), potentials.end()),
      const_potentials_(potentials.begin(), potentials.end()),
      integrator_(integrator) {}

StepReport StepDriver::step(double h, const StoppingRule& rule, const MovingBodies& bodies) {
  const std::size_t count = bodies.positions.size();
  inertia_.resize(count);
  targets_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    targets_[i] = bodies.positions[i] + h * bodies.velocities[i];
    inertia_[i] = std::numeric_limits<double>::infinity();
    if (bodies.is_held[i] != 0) continue;
    inertia_[i] = bodies.mass[i] / (h * h);
    if (!bodies.accelerations.empty()) targets_[i] += h * h * bodies.accelerations[i];
  }
  for (solid::Potential* potential : potentials_)
    potential->begin_step(bodies.positions, h);
  x_.assign(bodies.positions.begin(), bodies.positions.end());
  StepReport report = integrator_.step({inertia_, targets_, {}, const_potentials_}, rule, x_);
  const bool is_finite = std::ranges::all_of(x_, [](const Vec3& x) { return x.allFinite(); });
  if (!is_finite) report.status = StepStatus::not_finite;
  if (!report.is_converged()) return report;
  for (std::size_t i = 0; i < count; ++i) {
    if (bodies.is_held[i] == 0) bodies.velocities[i] = (x_[i] - bodies.positions[i]) / h;
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
