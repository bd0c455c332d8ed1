// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/spring_step.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "solver/solid/spring_potential.h"

namespace sluice::integrator {

namespace {

// Where float hands over to double. A gradient in float is good to some 1e-6 of the forces in it.
constexpr double smallest_float_residual = 1e-4;
// A change of u by less than this part of it, some 30 units in the last place, is mostly rounding.
constexpr double smallest_float_change = 2e-6;

std::vector<const solid::SpringPotential*> as_springs(
    std::span<const solid::Potential* const> potentials) {
  std::vector<const solid::SpringPotential*> springs;
  for (const solid::Potential* potential : potentials)
    springs.push_back(dynamic_cast<const solid::SpringPotential*>(potential));
  return springs;
}

}  // namespace

bool SpringStep::serves(std::span<const solid::Potential* const> potentials) {
  return std::ranges::all_of(as_springs(potentials), [](const auto* p) { return p != nullptr; });
}

SpringStep::SpringStep(std::span<const solid::Potential* const> potentials,
                       std::size_t vertex_count)
    : springs(as_springs(potentials)),
      u(vertex_count),
      gradient(vertex_count),
      inertia(make_lanes(vertex_count)),
      is_free(make_lanes(vertex_count)),
      vertex_count_(vertex_count),
      end_((vertex_count + lane_width - 1) / lane_width * lane_width),
      force_(vertex_count),
      element_stiffness_(Convergence::element_stiffness(potentials)) {
  assert(serves(potentials));
}

void SpringStep::begin(const StepProblem& problem) {
  for (std::size_t i = 0; i < vertex_count_; ++i) {
    is_free[i] = is_held(problem, i) ? 0.0F : 1.0F;
    inertia[i] = is_held(problem, i) ? 0.0F : static_cast<float>(problem.inertia[i]);
  }
  rebase(problem, problem.targets);
  has_forces_ = !problem.forces.empty();
  for (std::size_t i = 0; i < problem.start.size(); ++i) {
    if (is_held(problem, i)) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto axis = static_cast<Eigen::Index>(c);
      u[c][i] = static_cast<float>(problem.start[i][axis] - problem.targets[i][axis]);
    }
  }
}

void SpringStep::rebase(const StepProblem& problem, std::span<const Vec3> x) {
  reference_.assign(x.begin(), x.end());
  springs.set_reference(x);
  has_forces_ = true;
  energy_at_reference_ = 0;
  for (std::size_t i = 0; i < vertex_count_; ++i) {
    Vec3 force = Vec3::Zero();
    if (!is_held(problem, i)) {
      const Vec3 way = problem.targets[i] - x[i], pull = problem.inertia[i] * way;
      force = pull;
      energy_at_reference_ += 0.5 * pull.dot(way);
      if (!problem.forces.empty()) {
        force += problem.forces[i];
        energy_at_reference_ += problem.forces[i].dot(way);
      }
    }
    for (std::size_t c = 0; c < 3; ++c)
      force_[c][i] = static_cast<float>(force[static_cast<Eigen::Index>(c)]);
  }
  for (auto& axis : u.of_axis)
    std::ranges::fill(axis, 0.0F);
}

bool SpringStep::needs_rebase(const LaneVector& change) const {
  return dot(change, change) < smallest_float_change * smallest_float_change * dot(u, u);
}

void SpringStep::start_gradient(LaneVector& out) const {
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < end_; i += lane_width) {
      const Lane force = has_forces_ ? load(force_[c] + i) : Lane{};
      store(load(inertia.data() + i) * load(u[c] + i) - force, out[c] + i);
    }
  }
}

void SpringStep::finish_gradient() {
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < end_; i += lane_width)
      store(load(gradient[c] + i) * load(is_free.data() + i), gradient[c] + i);
  }
}

void SpringStep::compute_gradient() {
  start_gradient(gradient);
  spring_energy_ = springs.add_gradient(u, gradient);
  finish_gradient();
}

double SpringStep::compute_gradient_and_energy() {
  start_gradient(gradient);
  spring_energy_ = springs.linearize(u, gradient);
  finish_gradient();
  return energy();
}

double SpringStep::energy() const {
  LaneSum sum;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < end_; i += lane_width) {
      const Lane force = has_forces_ ? load(force_[c] + i) : Lane{};
      const Lane pull = load(inertia.data() + i) * load(u[c] + i);
      sum.add((0.5F * pull - force) * load(u[c] + i));
    }
  }
  return energy_at_reference_ + sum.total() + spring_energy_;
}

FloatVerdict SpringStep::check(int iteration, Convergence& convergence, StepReport& report) {
  const double norm = std::sqrt(dot(gradient, gradient));
  const bool is_over = convergence.stop(iteration, norm, report);
  if (iteration == 0) force_scale_ = std::max(norm, report.force_scale);
  if (is_over) return FloatVerdict::stopped;
  // Near equilibrium of stretched springs, forces are far greater than what is left of them.
  const double finest =
      std::max(smallest_float_residual * force_scale_, springs.rounding_of_forces(spring_energy_));
  return norm > finest ? FloatVerdict::go_on : FloatVerdict::too_fine;
}

void SpringStep::move(float length, const LaneVector& step) {
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < end_; i += lane_width)
      store(load(u[c] + i) + length * load(step[c] + i), u[c] + i);
  }
}

void SpringStep::step_by_diagonal(std::size_t first, std::size_t last,
                                  std::span<const float> inverse_diagonal, LaneVector& of_step,
                                  LaneVector& change) {
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = first; i < last; i += lane_width) {
      const Lane step = -load(of_step[c] + i) * load(inverse_diagonal.data() + i);
      const Lane next = load(u[c] + i) + step;
      store(step, change[c] + i);
      store(next, u[c] + i);
      store(load(inertia.data() + i) * next - load(force_[c] + i), of_step[c] + i);
    }
  }
}

double SpringStep::dot(const LaneVector& a, const LaneVector& b) const {
  LaneSum sum;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < end_; i += lane_width)
      sum.add(load(a[c] + i) * load(b[c] + i));
  }
  return sum.total();
}

void SpringStep::write_positions(std::span<Vec3> x) const {
  for (std::size_t i = 0; i < vertex_count_; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto axis = static_cast<Eigen::Index>(c);
      x[i][axis] = reference_[i][axis] + static_cast<double>(u[c][i]);
    }
  }
}

}  // namespace sluice::integrator
