// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/linalg/vectors.h"

namespace sluice::integrator {

namespace {
constexpr double sufficient_decrease = 1e-4;  // Armijo's constant; [Nocedal2006] 3.1 has this one.
constexpr double shortest = 1e-12;
// Rounding may decide which of two energies is lower if they differ by less than this part: the
// stretch of a spring that is a millionth of its length has ten digits. Slopes then decide.
// [Hager2005] 2.
constexpr double flat = 1e-6;

// [J] The energy of the elements that rounding may leave where it should be 0: that of a
// tetrahedron at rest is what is left of terms of the size w |D_e x|^2.
double rounding_of_energy(const StepProblem& problem, std::span<const Vec3> x) {
  double sum = 0;
  for (const solid::Potential* potential : problem.potentials) {
    const auto k = static_cast<std::size_t>(potential->vertices_per_element());
    const auto r = static_cast<std::size_t>(potential->rows());
    const auto stencils = potential->stencils();
    const auto maps = potential->maps(), weights = potential->weights();
    for (std::size_t e = 0; e < potential->element_count(); ++e) {
      for (std::size_t p = 0; p < r; ++p) {
        Vec3 image = Vec3::Zero();
        for (std::size_t a = 0; a < k; ++a) {
          image += maps[(e * r + p) * k + a] * x[static_cast<std::size_t>(stencils[e * k + a])];
        }
        sum += weights[e] * image.squaredNorm();
      }
    }
  }
  return std::numeric_limits<double>::epsilon() * sum;
}
}  // namespace

bool Descent::search(const StepProblem& problem, double slope, double& length, double& energy_at_x,
                     std::span<Vec3> x) {
  while (length > shortest) {
    linalg::step_along(x, length, direction_, trial_);
    const double value = energy(problem, trial_);
    bool is_enough = value <= energy_at_x + sufficient_decrease * length * slope;
    if (!is_enough && value <= energy_at_x + flat * std::abs(energy_at_x) + energy_rounding_) {
      compute_gradient(problem, trial_, trial_gradient_);
      is_enough = linalg::dot(trial_gradient_, direction_) <= (2 * sufficient_decrease - 1) * slope;
    }
    if (is_enough) {
      energy_at_x = value;
      std::copy(trial_.begin(), trial_.end(), x.begin());
      return true;
    }
    length /= 2;
  }
  return false;
}

StepReport Descent::run(const StepProblem& problem, const StoppingRule& rule, StepLength length,
                        const SearchDirection& search_direction, std::span<Vec3> x) {
  if (!set_start(problem, trial_, x)) return {.status = StepStatus::no_energy};
  Convergence convergence(problem, rule);
  return go_on(problem, convergence, 0, length, search_direction, x);
}

StepReport Descent::go_on(const StepProblem& problem, Convergence& convergence, int iteration,
                          StepLength length, const SearchDirection& search_direction,
                          std::span<Vec3> x) {
  StepReport report;
  for (auto* vectors : {&trial_, &trial_gradient_, &gradient_, &direction_})
    vectors->resize(x.size());
  report.energy = energy(problem, x);
  energy_rounding_ = rounding_of_energy(problem, x);
  double last_length = 1;
  for (;; ++iteration) {
    compute_gradient(problem, x, gradient_);
    if (convergence.stop(iteration, x, gradient_, report)) break;
    search_direction(x, gradient_, direction_);
    if (length == StepLength::unit) {
      linalg::add_scaled(1, direction_, x);
      continue;
    }
    const double slope = linalg::dot(gradient_, direction_);
    last_length = length == StepLength::armijo_from_last ? 2 * last_length : 1;
    if (problem.step_limit) last_length = problem.step_limit(x, direction_, last_length);
    if (!(slope < 0) || !search(problem, slope, last_length, report.energy, x)) {
      report.status = std::isfinite(slope) ? StepStatus::no_descent : StepStatus::not_finite;
      break;
    }
  }
  if (length == StepLength::unit) report.energy = energy(problem, x);
  return report;
}

}  // namespace sluice::integrator
