// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solver/integrator/integrator.h"
#include "solver/integrator/loose_parts.h"
#include "solver/integrator/time_rule.h"
#include "solver/result.h"
#include "solver/types.h"

namespace sluice::integrator {

/// The vertices [first, first + count) of one body.
struct BodyRange {
  std::string name;
  std::size_t first, count;
};

/// The bodies that move in steps of free length: vertices with masses.
struct MovingBodies {
  std::span<const BodyRange> bodies;
  std::span<const double> mass;           ///< [kg]
  std::span<const std::uint8_t> is_held;  ///< 1: keeps its velocity, whatever acts on it.
  std::span<const Vec3> accelerations;    ///< [m/s^2] By vertex, constant: gravity's. Or empty.
  std::span<Vec3> positions;              ///< [m]
  std::span<Vec3> velocities;             ///< [m/s]
};

struct DriverReport {
  int step_count = 0;       ///< Steps that the time was cut into.
  int failed_count = 0;     ///< Steps tried in vain.
  int iteration_count = 0;  ///< Iterations of all steps, failed ones too.
  StepReport last;
};

/// Drives an integrator through time by a rule, cutting steps that do not converge. A part that
/// nothing holds keeps its linear momentum to rounding, but for `accelerations`, with every
/// integrator and stopping rule (LooseParts).
class StepDriver {
 public:
  static constexpr int most_halvings = 6;

  /// `potentials` and `integrator`, made for them, outlive it.
  StepDriver(std::span<solid::Potential* const> potentials, Integrator& integrator,
             TimeRule time_rule = TimeRule::implicit_euler);

  /// Advances `bodies` by `h` seconds, by one step of the rule; a step that does not converge is
  /// done again as two of half its length, down to h / 2^most_halvings. On `solver_diverged` the
  /// bodies are where they were, and the message names the one that failed, the step, and why.
  Result<DriverReport> advance(double h, const StoppingRule& rule, const MovingBodies& bodies);

 private:
  StepReport step(double h, const StoppingRule& rule, const MovingBodies& bodies);
  StepReport implicit_step(double h, const StoppingRule& rule, const MovingBodies& bodies,
                           std::span<const Vec3> positions, std::span<const Vec3> velocities);
  void start_second_stage(double h, const MovingBodies& bodies);
  [[nodiscard]] const std::string& worst_body(const MovingBodies& bodies);

  std::vector<solid::Potential*> potentials_;
  std::vector<const solid::Potential*> const_potentials_;
  Integrator& integrator_;
  TimeRule time_rule_;
  LooseParts parts_;  ///< Made with the first step.
  std::vector<double> inertia_;
  std::vector<Vec3> targets_, x_, gradient_, start_positions_, start_velocities_;
  std::vector<Vec3> stage_positions_, stage_velocities_;  ///< X and V of TimeRule::alexander.
};

}  // namespace sluice::integrator
