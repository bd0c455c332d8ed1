// SPDX-License-Identifier: Apache-2.0
// Oracles: central differences, the dissipated power by its definition, the theory of a damped
// mode.
#include "solver/solid/kelvin_voigt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "solver/solid/continuum.h"
#include "tests/unit/solver/solid/grid_mesh.h"
#include "tests/unit/solver/solid/potential_checks.h"

namespace sluice::solid {
namespace {

constexpr Viscosity syrup{0.5, 0.3};
const std::vector<std::array<std::int32_t, 4>> five_tets{
    {0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 4, 6}, {3, 5, 6, 7}, {0, 3, 6, 5}};

std::vector<Vec3> cube() {
  std::vector<Vec3> vertices;
  vertices.reserve(8);
  for (int i = 0; i < 8; ++i)
    vertices.emplace_back(0.1 * (i & 1), 0.1 * ((i >> 1) & 1), 0.1 * ((i >> 2) & 1));
  return vertices;
}

struct DampedBody {
  std::vector<Vec3> rest;
  std::unique_ptr<Potential> damping;
};

std::vector<DampedBody> bodies() {
  std::vector<DampedBody> found;
  found.push_back({cube(), make_tet_damping(cube(), five_tets, syrup)});
  const auto mesh = grid_mesh(3, 2, 0.1);
  found.push_back({mesh.vertices, make_plane_damping(mesh.vertices, mesh.triangles, syrup)});
  found.push_back(
      {mesh.vertices, make_membrane_damping(mesh.vertices, mesh.triangles, syrup, 0.01)});
  return found;
}

double heaviest(const Potential& potential) {
  return *std::max_element(potential.weights().begin(), potential.weights().end());
}

TEST(KelvinVoigt, derivatives_match_differences) {
  for (const DampedBody& body : bodies()) {
    body.damping->begin_step(jittered(body.rest, 0.02, 1), 0.05);
    const auto x = jittered(body.rest, 0.02, 2);
    const double w = heaviest(*body.damping);
    expect_gradient_is_derivative(*body.damping, x, 1e-7, 1e-6 * w);
    expect_hessian_is_derivative(*body.damping, x, 1e-7, 1e-4 * w);
  }
}

TEST(KelvinVoigt, projected_hessian_is_positive_and_not_below_the_exact_one) {
  for (const DampedBody& body : bodies()) {
    body.damping->begin_step(body.rest, 0.05);
    const auto x = jittered(mapped(body.rest, 0.7 * Mat3::Identity(), Vec3::Zero()), 0.01, 2);
    const double w = heaviest(*body.damping);
    for (std::size_t e = 0; e < body.damping->element_count(); ++e) {
      const auto exact = hessian_of(*body.damping, e, x, HessianForm::exact);
      const auto projected = hessian_of(*body.damping, e, x, HessianForm::positive_semidefinite);
      const auto least = [](const Eigen::MatrixXd& H) {
        return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H).eigenvalues()[0];
      };
      EXPECT_LT(least(exact), -1e-3 * w);  // Else it would test nothing.
      EXPECT_GE(least(projected), -1e-12 * w);
      EXPECT_GE(least(projected - exact), -1e-12 * w);
    }
  }
}

TEST(KelvinVoigt, rigid_motion_of_any_size_is_free) {
  const Mat3 turn(Eigen::AngleAxisd(2.5, Vec3(0, 0, 1)));
  for (const DampedBody& body : bodies()) {
    const auto deformed = jittered(body.rest, 0.02, 3);
    body.damping->begin_step(deformed, 0.01);
    const double w = heaviest(*body.damping);
    const auto moved = mapped(deformed, turn, Vec3(1, -2, 0));
    EXPECT_LE(body.damping->energy(moved), 1e-25 * w);
    for (const Vec3& force : gradient_of(*body.damping, moved))
      EXPECT_LE(force.norm(), 1e-12 * w);
  }
}

TEST(KelvinVoigt, forces_are_balanced) {
  for (const DampedBody& body : bodies()) {
    body.damping->begin_step(body.rest, 0.01);
    auto x = jittered(body.rest, 0.01, 4);
    if (body.damping->vertices_per_element() == 3) {
      for (Vec3& point : x)
        point.z() = 0;  // Out of its plane a plane element has no moments to balance.
    }
    expect_balanced_forces(*body.damping, x, 1e-12 * heaviest(*body.damping));
  }
}

TEST(KelvinVoigt, force_takes_the_power_of_the_strain_rate) {
  const std::vector<Vec3> rest{Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.1)};
  const auto damping =
      make_tet_damping(rest, std::vector<std::array<std::int32_t, 4>>{{0, 1, 2, 3}}, syrup);
  const auto x = jittered(rest, 0.02, 5);
  const auto v = jittered(std::vector<Vec3>(4, Vec3::Zero()), 1, 6);
  const double h = 1e-8;
  auto next = x;
  for (std::size_t i = 0; i < 4; ++i)
    next[i] += h * v[i];
  damping->begin_step(x, h);
  const auto gradient = gradient_of(*damping, next);
  double power = 0;
  for (std::size_t i = 0; i < 4; ++i)
    power += gradient[i].dot(v[i]);
  Mat3 F, rate;
  F << x[1] - x[0], x[2] - x[0], x[3] - x[0];
  rate << v[1] - v[0], v[2] - v[0], v[3] - v[0];
  F /= 0.1;
  rate /= 0.1;
  const Mat3 strain_rate = 0.5 * (F.transpose() * rate + rate.transpose() * F);
  const double volume = 0.001 / 6;
  const double expected = volume * (syrup.phi * strain_rate.trace() * strain_rate.trace() +
                                    2 * syrup.psi * strain_rate.squaredNorm());
  EXPECT_NEAR(power, expected, 1e-5 * expected);
  EXPECT_GT(expected, 0);
}

TEST(KelvinVoigt, local_step_minimises) {
  const std::vector<Vec3> rest{Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.1)};
  const auto damping =
      make_tet_damping(rest, std::vector<std::array<std::int32_t, 4>>{{0, 1, 2, 3}}, syrup);
  damping->begin_step(jittered(rest, 0.03, 7), 0.01);
  Eigen::VectorXd p(9);
  p << 1.2, 0.1, -0.3, 0.2, 0.8, 0, 0.1, 0.4, 1.5;
  for (const double scale : {0.1, 1.0, 10.0})
    expect_local_step_minimises(*damping, p, scale, 1e-7);
}

// One mode of a cube with stiffness-proportional damping, in small steps of symplectic Euler:
// the amplitude falls as exp(-time w^2 t / 2).
TEST(KelvinVoigt, mode_decays_at_the_rate_of_theory) {
  const std::vector<Vec3> rest = cube();
  const Lame rubber{3000, 5000};
  const auto elastic = make_tets(rest, five_tets, {SaintVenantKirchhoff::name, rubber});
  const double mass = 0.125;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(
      assembled_hessian(*elastic, rest, HessianForm::exact) / mass);
  const int index = 8;  // The softest but two: 0 to 5 are rigid.
  const double frequency = std::sqrt(modes.eigenvalues()[index]);
  const double ratio = 0.02;
  const auto damping =
      make_tet_damping(rest, five_tets, rayleigh_viscosity(rubber, 2 * ratio / frequency));
  const double amplitude = 1e-6, period = 2 * std::numbers::pi / frequency;
  std::vector<Vec3> x = rest, v(8, Vec3::Zero());
  for (int i = 0; i < 24; ++i)
    x[static_cast<std::size_t>(i / 3)][i % 3] += amplitude * modes.eigenvectors()(i, index);
  const int steps_per_period = 2000, period_count = 5;
  const double h = period / std::sqrt(1 - ratio * ratio) / steps_per_period;
  for (int step = 0; step < steps_per_period * period_count; ++step) {
    std::vector<Vec3> gradient = gradient_of(*elastic, x);
    std::vector<Vec3> next = x;
    for (std::size_t i = 0; i < 8; ++i)
      next[i] += h * v[i];
    damping->begin_step(x, h);
    damping->add_gradient(next, gradient);
    for (std::size_t i = 0; i < 8; ++i) {
      v[i] -= h / mass * gradient[i];
      x[i] += h * v[i];
    }
  }
  double left = 0;
  for (int i = 0; i < 24; ++i) {
    left += modes.eigenvectors()(i, index) *
            (x[static_cast<std::size_t>(i / 3)] - rest[static_cast<std::size_t>(i / 3)])[i % 3];
  }
  const double rate = -std::log(left / amplitude) / (period_count * steps_per_period * h);
  EXPECT_NEAR(rate, ratio * frequency, 0.01 * ratio * frequency);
}

}  // namespace
}  // namespace sluice::solid
