// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "solver/integrator/projected_newton.h"
#include "solver/solid/continuum.h"
#include "tests/unit/solver/integrator/motion.h"
#include "tests/validation/solid/convergence/bar_modes.h"
#include "tests/validation/solid/convergence/studies.h"

namespace sluice::solid {
namespace {

using integrator::Motion;
using integrator::TimeRule;

/// A body that swings, and where and how fast it is after `seconds`.
struct Swing {
  std::function<Motion()> start;
  std::vector<Vec3> expected_x, expected_v;
  double seconds, period;  ///< [s]
  double amplitude;        ///< [m] In the norm over all vertices.
  int fewest_steps;        ///< From which on an order shows.
};

double error_after(const Swing& swing, int steps, TimeRule rule) {
  Motion motion = swing.start();
  integrator::ProjectedNewton newton(motion.const_potentials, motion.x.size());
  integrator::StepDriver driver(motion.potentials, newton, rule);
  for (int n = 0; n < steps; ++n) {
    const auto report = driver.advance(
        swing.seconds / steps, {.relative_residual = 1e-9, .max_iterations = 50}, motion.view());
    if (!report || report.value().failed_count > 0) return NAN;
  }
  const double frequency = 2 * std::numbers::pi / swing.period;
  double squares = 0;
  for (std::size_t i = 0; i < motion.x.size(); ++i) {
    squares += (motion.x[i] - swing.expected_x[i]).squaredNorm() +
               (motion.v[i] - swing.expected_v[i]).squaredNorm() / (frequency * frequency);
  }
  return std::sqrt(squares) / swing.amplitude;
}

/// A chain of 8 springs in its first mode, for half a period: theory is linear.
Swing spring_chain() {
  constexpr int n = 8;
  const double k = 100, m = 0.02;
  const double frequency = 2 * std::sqrt(k / m) * std::sin(std::numbers::pi / (2 * (2 * n + 1)));
  Swing swing{[=] { return integrator::chain(n, k, m); }, {}, {}, 0, 0, 0, 50};
  swing.period = 2 * std::numbers::pi / frequency;
  swing.seconds = swing.period / 2;
  double squares = 0;
  for (const Vec3& x : swing.start().x) {
    const Vec3 rest(0.1 * static_cast<double>(swing.expected_x.size()), 0, 0);
    swing.expected_x.emplace_back(rest - (x - rest));
    squares += (x - rest).squaredNorm();
  }
  swing.expected_v.assign(swing.expected_x.size(), Vec3::Zero());
  swing.amplitude = std::sqrt(squares);
  return swing;
}

/// A mass on a rod of 1 m, let go at rest 60 degrees from hanging, for a period, by elliptic
/// integrals. The rod is a spring that the weight stretches by 1e-7 of its length and whose own
/// swing no step resolves.
Swing pendulum() {
  const double angle = std::numbers::pi / 3;
  const std::vector<Vec3> x{Vec3::Zero(), Vec3(std::sin(angle), 0, -std::cos(angle))};
  const auto start = [x] {
    Motion motion;
    motion.add(std::make_unique<SpringPotential>(
        std::vector<Spring>{{0, 1, 1e8, 1, SpringKind::structural}}));
    motion.x = x;
    motion.v.assign(2, Vec3::Zero());
    motion.mass = {1, 1};
    motion.is_held = {1, 0};
    motion.accelerations.assign(2, Vec3(0, 0, -9.81));
    motion.bodies = {{"pendulum", 0, 2}};
    return motion;
  };
  const double period = 2.152874667;
  return {start, x, {Vec3::Zero(), Vec3::Zero()}, period, period, angle, 400};
}

/// A bar of linear tets that hangs from its upper end, and swings along itself about its sag in its
/// first mode, for a period: by the modes of the mesh, so that time alone is to blame.
Swing hanging_bar() {
  constexpr double density = 1000, gravity = 10, deep = 0.02;
  const auto bar = std::make_shared<TetBar>(std::array{1, 1, 8}, Vec3(0.1, 0.1, 1));
  const IsotropicMaterial material{LinearElasticity::name, lame_of({1e6, 0}).value()};
  const std::vector<double> mass = bar->masses(density);
  std::vector<std::uint8_t> is_held;
  for (const Vec3& vertex : bar->vertices)
    is_held.push_back(vertex.z() > 1 - 1e-9 ? 1 : 0);
  const BarMode mode = first_longitudinal_mode(*bar, *make_tets(bar->vertices, bar->tets, material),
                                               mass, is_held, gravity);
  Swing swing{{}, {}, {}, 0, 0, 0, 100};
  swing.start = [=] {
    Motion motion;
    motion.add(make_tets(bar->vertices, bar->tets, material));
    for (std::size_t i = 0; i < mass.size(); ++i)
      motion.x.emplace_back(bar->vertices[i] + mode.sag[i] + deep * mode.shape[i]);
    motion.v.assign(mass.size(), Vec3::Zero());
    motion.mass = mass;
    motion.is_held = is_held;
    motion.accelerations.assign(mass.size(), Vec3(0, 0, -gravity));
    motion.bodies = {{"bar", 0, mass.size()}};
    return motion;
  };
  double squares = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    swing.expected_x.emplace_back(bar->vertices[i] + mode.sag[i] + deep * mode.shape[i]);
    squares += (deep * mode.shape[i]).squaredNorm();
  }
  swing.expected_v.assign(mass.size(), Vec3::Zero());
  swing.period = 2 * std::numbers::pi / mode.frequency;
  swing.seconds = swing.period;
  swing.amplitude = std::sqrt(squares);
  return swing;
}

}  // namespace

std::vector<Study> time_studies() {
  struct Case {
    const char* name;
    Swing swing;
    TimeRule rule;
    double order;
  };
  // Not the pendulum by Alexander's rule, which falls to first order on what is as stiff as that.
  const std::array<Case, 5> cases{
      {{"hanging bar, implicit Euler", hanging_bar(), TimeRule::implicit_euler, 1},
       {"pendulum, implicit Euler", pendulum(), TimeRule::implicit_euler, 1},
       {"spring chain, implicit Euler", spring_chain(), TimeRule::implicit_euler, 1},
       {"hanging bar, Alexander", hanging_bar(), TimeRule::alexander, 2},
       {"spring chain, Alexander", spring_chain(), TimeRule::alexander, 2}}};
  std::vector<Study> studies;
  for (const auto& [name, swing, rule, order] : cases) {
    Study study{name, order, {}};
    const int most_steps = 16 * swing.fewest_steps;
    for (int steps = swing.fewest_steps; steps <= most_steps; steps *= 2) {
      study.samples.push_back(
          {swing.seconds / steps / swing.period, error_after(swing, steps, rule)});
    }
    studies.push_back(std::move(study));
  }
  return studies;
}

}  // namespace sluice::solid
