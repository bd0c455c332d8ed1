// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/symplectic_euler.h"

#include <algorithm>
#include <cmath>

#include "solver/integrator/convergence.h"
#include "solver/linalg/vectors.h"

namespace sluice::integrator {

namespace {
// The power iteration's quotient approaches from below. After this many rounds it is within 3 % on
// meshes, whose upper spectrum is dense (symplectic_euler_test); the factor covers that.
constexpr int power_iterations = 40;
constexpr double shortfall = 1.03;
}  // namespace

SymplecticEuler::SymplecticEuler(std::span<const solid::Potential* const> potentials,
                                 std::size_t vertex_count)
    : hessian_(potentials, vertex_count),
      gradient_(vertex_count),
      image_(vertex_count),
      mode_(vertex_count) {}

double SymplecticEuler::stability_ratio(const StepProblem& problem, std::span<const Vec3> x) {
  const linalg::BlockMatrix& A = hessian_.assemble(problem, x);
  // Starts from what changes most from vertex to vertex, as the highest mode does.
  for (std::size_t i = 0; i < mode_.size(); ++i) {
    const double sign = i % 2 == 0 ? 1 : -1, tilt = static_cast<double>(i % 7) / 7;
    mode_[i] =
        is_held(problem, i) ? Vec3(Vec3::Zero()) : Vec3(sign * Vec3(1, 0.7 + tilt, 0.4 - tilt));
  }
  // In the variables inertia^1/2 x the matrix is symmetric, and Rayleigh's quotient a lower bound.
  const auto scale = [&](std::span<Vec3> v) {
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = is_held(problem, i) ? Vec3(Vec3::Zero()) : Vec3(v[i] / std::sqrt(problem.inertia[i]));
  };
  double largest = 0;
  for (int n = 0; n < power_iterations; ++n) {
    const double length = linalg::norm(mode_);
    if (!(length > 0)) return 0;
    for (Vec3& v : mode_)
      v /= length;
    gradient_ = mode_;
    scale(gradient_);
    A.multiply(gradient_, image_);
    scale(image_);
    // A holds inertia besides the Hessian: 1 in these variables.
    largest = std::max(largest, linalg::dot(mode_, image_) - 1);
    for (std::size_t i = 0; i < mode_.size(); ++i)
      mode_[i] = image_[i] - mode_[i];
  }
  return std::sqrt(shortfall * largest) / 2;
}

StepReport SymplecticEuler::step(const StepProblem& problem, const StoppingRule& rule,
                                 std::span<Vec3> x) {
  StepReport report;
  const StepProblem forces_alone{problem.inertia, x, problem.forces, problem.potentials};
  if (!std::isfinite(energy(forces_alone, x))) {
    report.status = StepStatus::no_energy;
    return report;
  }
  if (stability_ratio(problem, x) > 1) {
    report.status = StepStatus::unstable;
    return report;
  }
  Convergence convergence(problem, rule);
  compute_gradient(problem, problem.targets, gradient_);
  convergence.stop(0, problem.targets, gradient_, report);
  compute_gradient(forces_alone, x, gradient_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = problem.targets[i];
    if (!is_held(problem, i)) x[i] -= gradient_[i] / problem.inertia[i];
  }
  report.energy = energy(problem, x);
  if (std::isfinite(report.energy)) {
    compute_gradient(problem, x, gradient_);
    convergence.stop(1, x, gradient_, report);
    report.status = StepStatus::converged;
  } else {
    report.status = StepStatus::not_finite;
  }
  report.iterations = 1;
  return report;
}

}  // namespace sluice::integrator
