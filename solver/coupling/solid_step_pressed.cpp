// SPDX-License-Identifier: Apache-2.0
// The part of SolidStep that minimises over solids together with their contacts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "solver/coupling/solid_step.h"

namespace sluice::coupling {

namespace {

// A vertex keeps this part of the gap at a wall, whatever the minimisation has left over.
constexpr double kept_part = 0.5;

// Presses may be off by this many times the tolerance, in contact distances: Newton's method leaves
// over less by its own tolerance.
constexpr double closeness = 3;

// The most iterations of Newton's method in a round: forces that are half right say more about
// which contacts there are than the last digit of wrong ones.
constexpr int iterations_of_round = 16;

// Where the iterations are used up, the part of the forces that accelerate the solids, or press on
// them, which may be left over; the frame's statistics have it. Shorter substeps leave less.
constexpr double largest_accepted = 0.1;

}  // namespace

std::optional<Error> SolidStep::iterate_pressed(double h, const solid::DeformableSystem& solids,
                                                SubstepReport& report) {
  const double close = closeness * settings_.tolerance * settings_.contact_distance;
  const auto vertex_count = static_cast<std::ptrdiff_t>(iterate_.size());
  int iterations_left = pressed_->most_iterations();
  bool is_solved = false;
  double residual = 0, unbalanced = 0;  // Solids' residual; that of particles and what they press.
  double accepted = largest_accepted;
  for (int k = 0;; ++k) {
    if (contact_.has_pairs()) contact_.evaluate(iterate_);
    presses_.collect(h, contact_, walls_, rigid_, *pressed_);
    const double missing = presses_.largest_change(*pressed_);
    const bool is_settled = is_solved && missing <= close && unbalanced <= settings_.tolerance;
    if (is_settled || k == settings_.max_iterations || iterations_left <= 0) {
      report.residual =
          larger_or_nan(larger_or_nan(residual, unbalanced), missing / settings_.contact_distance);
      if (is_solved || residual <= accepted) break;
      return failed_step(residual, k);
    }
    const integrator::StepReport solved =
        pressed_->solve(contact_.fluid_forces(), presses_.presses(),
                        std::min(iterations_left, iterations_of_round));
    report.iteration_count += solved.iterations;
    iterations_left -= std::max(1, solved.iterations);
    is_solved = solved.is_converged();
    residual = solved.residual;
    accepted = largest_accepted * std::max(1.0, presses_.load() / solved.force_scale);
    if (solved.status == integrator::StepStatus::not_finite ||
        solved.status == integrator::StepStatus::no_energy) {
      return failed_step(residual, k);
    }
    std::copy_n(pressed_->points().begin(), vertex_count, next_.begin());
    presses_.take(*pressed_, contact_, rigid_, wall_forces_);
    iterate_ = next_;
    if (!contact_.has_pairs()) continue;
    const double particle_change = contact_.respond(k, walls_, next_);
    unbalanced =
        std::sqrt((particle_change + squared_distance(solids, iterate_, next_)) /
                  (squared_distance(solids, next_, solids.positions) + energy_floor(solids)));
    if (!std::isfinite(unbalanced)) break;
  }
  // Rigid bodies go where these forces take them, to rounding; their points were to first order.
  next_ = iterate_;
  move_rigid_bodies(1);
  iterate_ = next_;
  return std::nullopt;
}

Error SolidStep::failed_step(double residual, int round_count) const {
  return {ErrorCode::solver_diverged,
          fmt::format("the step of \"{}\" did not converge (residual {:.2g} after {} rounds of "
                      "contact)",
                      pressed_->worst_body(), residual, round_count)};
}

void SolidStep::stay_off_walls(const solid::DeformableSystem& solids) {
  for (std::size_t i = 0; i < iterate_.size(); ++i) {
    is_at_wall_[i] = wall_forces_[i].isZero(0) ? 0 : 1;
    if (solids.is_held[i] != 0) continue;
    const std::int32_t body = solids.body_of_vertex[i];
    const double gap =
        settings_.contact_distance + solids.bodies[static_cast<std::size_t>(body)].half_thickness;
    iterate_[i] = walls_.resolve(
        {solids.positions[i], solids.velocities[i], body, kept_part * gap, 0}, iterate_[i]);
  }
}

}  // namespace sluice::coupling
