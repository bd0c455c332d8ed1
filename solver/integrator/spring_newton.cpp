// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/spring_newton.h"

#include <algorithm>
#include <cmath>

#include "solver/linalg/vectors.h"

namespace sluice::integrator {

namespace {

constexpr int most_cg_iterations = 2000;
// Stiffness over inertia from which a push is felt further than across a patch, some ten springs.
constexpr double stiff_ratio = 100;

}  // namespace

SpringNewton::SpringNewton(std::span<const solid::Potential* const> potentials,
                           std::size_t vertex_count)
    : state_(potentials, vertex_count),
      coarse_(state_.springs, vertex_count),
      direction_(vertex_count),
      image_(vertex_count),
      step_(vertex_count),
      residual_(vertex_count),
      preconditioned_(vertex_count) {
  for (const solid::Potential* potential : potentials) {
    for (const double k : potential->weights())
      stiffness_sum_ += k;
  }
  diagonal_.fill(make_lanes(vertex_count));
}

/// Factors the diagonal blocks of inertia + Hessian as L D L^T. Both D of what is left after
/// elimination are at least inertia, exactly: float's rounding is not let take more away.
void SpringNewton::prepare_preconditioner() {
  if (has_long_waves_) coarse_.prepare(state_.springs, state_.inertia, state_.is_free);
  for (auto& entries : diagonal_)
    std::ranges::fill(entries, 0.0F);
  state_.springs.add_diagonal(diagonal_);
  auto& [xx, xy, xz, yy, yz, zz] = diagonal_;
  for (std::size_t i = 0; i < state_.end(); i += lane_width) {
    const Lane inertia = load(state_.inertia.data() + i), is_free = load(state_.is_free.data() + i);
    // A held vertex gets pivots of 1, and 0 for their inverses.
    const Lane least = inertia + (1 - is_free);
    const Lane d_x = load(&xx[i]) + least;
    const Lane l_xy = load(&xy[i]) / d_x, l_xz = load(&xz[i]) / d_x;
    const Lane d_y = larger(load(&yy[i]) + least - l_xy * load(&xy[i]), least);
    const Lane l_yz = (load(&yz[i]) - l_xz * load(&xy[i])) / d_y;
    const Lane d_z = larger(load(&zz[i]) + least - l_xz * load(&xz[i]) - l_yz * l_yz * d_y, least);
    store(is_free / d_x, &xx[i]);
    store(l_xy, &xy[i]);
    store(l_xz, &xz[i]);
    store(is_free / d_y, &yy[i]);
    store(l_yz, &yz[i]);
    store(is_free / d_z, &zz[i]);
  }
}

/// step_ = -H^-1 gradient_, roughly, by conjugate gradients: |residual| falls to `tolerance` of
/// itself in the norm of the preconditioner. [Hestenes1952]
void SpringNewton::solve_system(double tolerance) {
  const auto& [inverse_x, l_xy, l_xz, inverse_y, l_yz, inverse_z] = diagonal_;
  const std::size_t end = state_.end();
  // residual -= alpha image; step += alpha direction; returns r . z for z = preconditioned r.
  const auto advance = [&](float alpha) {
    LaneSum rz;
    for (std::size_t i = 0; i < end; i += lane_width) {
      std::array<Lane, 3> r;
      for (std::size_t c = 0; c < 3; ++c) {
        r[c] = load(residual_[c] + i) - alpha * load(image_[c] + i);
        store(r[c], residual_[c] + i);
        store(load(step_[c] + i) + alpha * load(direction_[c] + i), step_[c] + i);
      }
      const Lane xy = load(&l_xy[i]), xz = load(&l_xz[i]), yz = load(&l_yz[i]);
      const Lane y = r[1] - xy * r[0], z = r[2] - xz * r[0] - yz * y;
      const Lane z_z = z * load(&inverse_z[i]);
      const Lane z_y = y * load(&inverse_y[i]) - yz * z_z;
      const Lane z_x = r[0] * load(&inverse_x[i]) - xy * z_y - xz * z_z;
      store(z_x, preconditioned_[0] + i);
      store(z_y, preconditioned_[1] + i);
      store(z_z, preconditioned_[2] + i);
      rz.add(r[0] * z_x + r[1] * z_y + r[2] * z_z);
    }
    const double of_patches =
        has_long_waves_ ? coarse_.correct(residual_, state_.is_free, preconditioned_) : 0;
    return rz.total() + of_patches;
  };
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < end; i += lane_width) {
      store(-load(state_.gradient[c] + i), residual_[c] + i);
      store(Lane{}, step_[c] + i);
      store(Lane{}, direction_[c] + i);
      store(Lane{}, image_[c] + i);
    }
  }
  double rz = advance(0);
  const double enough = tolerance * tolerance * rz;
  float beta = 0;
  for (int n = 0; n < most_cg_iterations && rz > enough; ++n) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < end; i += lane_width) {
        const Lane direction = load(preconditioned_[c] + i) + beta * load(direction_[c] + i);
        store(direction, direction_[c] + i);
        store(load(state_.inertia.data() + i) * direction, image_[c] + i);
      }
    }
    state_.springs.add_product(direction_, image_);
    LaneSum curvature;
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < end; i += lane_width) {
        const Lane image = load(image_[c] + i) * load(state_.is_free.data() + i);
        store(image, image_[c] + i);
        curvature.add(image * load(direction_[c] + i));
      }
    }
    const double step_curvature = curvature.total();
    if (!(step_curvature > 0)) break;
    const double next = advance(static_cast<float>(rz / step_curvature));
    beta = static_cast<float>(next / rz);
    rz = next;
  }
}

/// Newton's iterations in float, from the predictor. False where double has to go on: the residual
/// is as small as float can tell, or the energy did not fall. `x` is the last iterate.
bool SpringNewton::iterate_in_float(const StoppingRule& rule, Convergence& convergence,
                                    StepReport& report, std::span<Vec3> x) {
  report.energy = state_.compute_gradient_and_energy();
  for (int iteration = 0;; ++iteration) {
    if (rule.observer) {
      state_.write_positions(x);
      rule.observer(iteration, x);
    }
    const FloatVerdict verdict = state_.check(iteration, convergence, report);
    if (verdict != FloatVerdict::go_on) return verdict == FloatVerdict::stopped;
    prepare_preconditioner();
    solve_system(forcing_.next(report.residual * report.force_scale));
    // Armijo's rule; energies that float cannot tell apart count as equal.
    const double slope = state_.dot(state_.gradient, step_), energy = report.energy;
    double length = 1;
    const auto falls_enough = [&] {
      state_.move(static_cast<float>(length), step_);
      report.energy = state_.compute_gradient_and_energy();
      return report.energy <= energy + 1e-4 * length * slope + 1e-6 * energy;
    };
    while (!falls_enough()) {
      state_.move(static_cast<float>(-length), step_);
      length /= 2;
      if (length <= 1e-3) return false;
    }
  }
}

StepReport SpringNewton::step(const StepProblem& problem, const StoppingRule& rule,
                              std::span<Vec3> x) {
  StepReport report;
  Convergence convergence = state_.convergence(problem, rule);
  forcing_ = {};
  state_.begin(problem);
  double inertia_sum = 0;
  for (const float inertia : state_.inertia)
    inertia_sum += static_cast<double>(inertia);
  has_long_waves_ = stiffness_sum_ > stiff_ratio * inertia_sum;
  const bool is_done = iterate_in_float(rule, convergence, report, x);
  state_.write_positions(x);
  if (is_done) return report;
  return descent_.go_on(
      problem, convergence, report.iterations, StepLength::armijo,
      [&](std::span<const Vec3> at, std::span<const Vec3> gradient, std::span<Vec3> direction) {
        state_.rebase(problem, at);
        state_.compute_gradient_and_energy();
        prepare_preconditioner();
        for (std::size_t i = 0; i < gradient.size(); ++i) {
          for (std::size_t c = 0; c < 3; ++c) {
            state_.gradient[c][i] = static_cast<float>(gradient[i][static_cast<Eigen::Index>(c)]);
          }
        }
        solve_system(forcing_.next(linalg::norm(gradient)));
        for (std::size_t i = 0; i < direction.size(); ++i)
          direction[i] = Vec3(step_[0][i], step_[1][i], step_[2][i]);
      },
      x);
}

}  // namespace sluice::integrator
