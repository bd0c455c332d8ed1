// SPDX-License-Identifier: Apache-2.0
// What integrators rely on, of pairs in contact as of any other elements.
#include "solver/coupling/pair_potential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "solver/contact/step_limit.h"
#include "solver/integrator/projected_newton.h"
#include "tests/unit/solver/contact/contact_pairs.h"
#include "tests/unit/solver/solid/potential_checks.h"

namespace sluice::coupling::pair_potential_test {
namespace {

using contact::ContactPair;
using contact::PairKind;
using contact::PairSampler;
using contact::PlacedPair;
using solid::HessianForm;

constexpr double range = 0.1;

// Pairs of both kinds in range of each other, on vertices of their own.
struct Scene {
  std::vector<ContactPair> pairs;
  std::vector<Vec3> x;
};

Scene close_pairs(int count, double friction = 0) {
  PairSampler sampler(21);
  Scene scene;
  for (int i = 0; i < count; ++i) {
    PlacedPair placed = sampler.close(i % 2 == 0 ? PairKind::point_triangle : PairKind::edge_edge,
                                      range * sampler.uniform(0.2, 0.8), i % 3 == 0 ? 0.01 : 0);
    for (std::size_t p = 0; p < 4; ++p) {
      placed.pair.points[p] = static_cast<std::int32_t>(scene.x.size());
      scene.x.push_back(placed.x[p]);
    }
    placed.pair.friction = friction;
    scene.pairs.push_back(placed.pair);
  }
  return scene;
}

template <typename Potential>
class GapPotentials : public testing::Test {};
using Potentials = testing::Types<BarrierPotential, PenaltyPotential>;
TYPED_TEST_SUITE(GapPotentials, Potentials);

TYPED_TEST(GapPotentials, keep_the_promises_of_elements) {
  const Scene scene = close_pairs(6);
  const TypeParam potential({40, range}, scene.pairs);
  const double force = 40 * range;
  solid::expect_maps_are_those_of_the_tables(potential, scene.x);
  solid::expect_gradient_is_derivative(potential, scene.x, 1e-6, 1e-7 * force);
  solid::expect_hessian_is_derivative(potential, scene.x, 1e-6, 1e-5 * 40);
  solid::expect_rigid_invariance(potential, scene.x, 1e-12 * force);
  solid::expect_balanced_forces(potential, scene.x, 1e-12 * force);
}

TYPED_TEST(GapPotentials, have_positive_semidefinite_hessians_on_demand) {
  const Scene scene = close_pairs(20);
  const TypeParam potential({40, range}, scene.pairs);
  for (std::size_t e = 0; e < potential.element_count(); ++e) {
    const Eigen::MatrixXd H = hessian_of(potential, e, scene.x, HessianForm::positive_semidefinite);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
    EXPECT_GE(eigen.eigenvalues()[0], -1e-12 * H.norm());
    // And it is no less than the exact one.
    const Eigen::MatrixXd more = H - hessian_of(potential, e, scene.x, HessianForm::exact);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> rest(more);
    EXPECT_GE(rest.eigenvalues()[0], -1e-12 * H.norm());
  }
}

TYPED_TEST(GapPotentials, give_the_same_bits_for_any_thread_count) {
  const Scene scene = close_pairs(3'000);
  const TypeParam potential({40, range}, scene.pairs);
  solid::expect_same_bits_for_any_thread_count(potential, scene.x);
}

TYPED_TEST(GapPotentials, take_local_steps_to_the_minimum) {
  for (int i = 0; i < 12; ++i) {
    Scene scene = close_pairs(i + 1);
    ContactPair pair = scene.pairs.back();
    const std::vector<Vec3> x(scene.x.end() - 4, scene.x.end());
    pair.points = {0, 1, 2, 3};
    const TypeParam potential({40, range}, {pair});
    Eigen::VectorXd p(9);
    potential.map(0, 1, x, {p.data(), 9});
    solid::expect_local_step_minimises(potential, p, 0.5, 1e-7);
  }
}

TEST(BarrierPotential, takes_local_steps_from_places_without_energy) {
  const ContactPair pair{PairKind::point_triangle, {0, 1, 2, 3}, 0.01};
  const BarrierPotential potential({40, range}, {pair});
  for (const double z : {0.0, 0.005, -0.005}) {
    const std::vector<Vec3> x{{0.2, 0.2, z}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    std::vector<double> p(9), out(9);
    potential.map(0, 1, x, p);
    potential.local_step(0, 1, p, 1, out);
    const std::vector<Vec3> found{Vec3::Zero(), Vec3(&out[0]), Vec3(&out[3]), Vec3(&out[6])};
    EXPECT_TRUE(std::isfinite(potential.energy(found)));
  }
}

std::vector<contact::FrictionPair> lagged(const Scene& scene, const contact::Barrier& barrier) {
  std::vector<contact::FrictionPair> result;
  for (const ContactPair& pair : scene.pairs)
    result.push_back(*lag_friction(barrier, pair, scene.x));
  return result;
}

TEST(FrictionPotential, keeps_the_promises_of_elements) {
  const Scene scene = close_pairs(6, 0.3);
  const FrictionPotential potential(lagged(scene, {40, range}), scene.x, 1e-2);
  const std::vector<Vec3> x = solid::jittered(scene.x, 5e-3, 3);
  solid::expect_maps_are_those_of_the_tables(potential, x);
  solid::expect_gradient_is_derivative(potential, x, 1e-6, 1e-7);
  solid::expect_hessian_is_derivative(potential, x, 1e-7, 1e-4);
  Vec3 force = Vec3::Zero();
  for (const Vec3& g : solid::gradient_of(potential, x))
    force += g;
  EXPECT_LE(force.norm(), 1e-14);
  // Nothing resists what has not moved.
  for (const Vec3& g : solid::gradient_of(potential, scene.x))
    EXPECT_LE(g.norm(), 1e-12);
}

TEST(FrictionPotential, takes_local_steps_to_the_minimum) {
  for (int i = 0; i < 12; ++i) {
    Scene scene = close_pairs(i + 1, 0.3);
    Scene last{{scene.pairs.back()}, {scene.x.end() - 4, scene.x.end()}};
    last.pairs[0].points = {0, 1, 2, 3};
    const FrictionPotential potential(lagged(last, {40, range}), last.x, 1e-2);
    // Sticking, and sliding.
    for (const double size : {2e-3, 0.2}) {
      const std::vector<Vec3> x = solid::jittered(last.x, size, static_cast<unsigned>(i));
      Eigen::VectorXd p(9);
      potential.map(0, 1, x, {p.data(), 9});
      solid::expect_local_step_minimises(potential, p, 0.1, 1e-6);
    }
  }
}

// The minimum of inertia and barrier for one heavy point above a held triangle is where the
// barrier's slope is its weight; the way there must not lead through the triangle, below which the
// target is.
TEST(BarrierPotential, holds_a_point_above_a_triangle_in_a_newton_step) {
  const std::vector<Vec3> start{{0.2, 0.2, 0.5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const contact::Barrier barrier{1e3, 0.01};
  const BarrierPotential potential(barrier, {{PairKind::point_triangle, {0, 1, 2, 3}}});
  const solid::Potential* const potentials[] = {&potential};
  const double held = std::numeric_limits<double>::infinity(), inertia = 10;
  const std::vector<double> inertias{inertia, held, held, held};
  std::vector<Vec3> targets = start;
  targets[0].z() = -0.5;
  integrator::StepProblem problem{inertias, targets, {}, potentials, start};
  problem.step_limit = [&](std::span<const Vec3> x, std::span<const Vec3> direction,
                           double longest) {
    return contact::largest_step(potential.pairs(), x, direction, longest);
  };
  integrator::ProjectedNewton newton(potentials, 4);
  std::vector<Vec3> x = start;
  const integrator::StepReport report = newton.step(problem, {.relative_residual = 1e-8}, x);
  ASSERT_TRUE(report.is_converged()) << describe(report.status);
  const double gap = x[0].z();
  EXPECT_GT(gap, 0);
  EXPECT_NEAR(-barrier.at(gap).slope, inertia * (gap + 0.5), 1e-6 * inertia);

  problem.step_limit = {};  // Without it the point ends below.
  x = start;
  newton.step(problem, {.relative_residual = 1e-8}, x);
  EXPECT_LT(x[0].z(), 0);
}

}  // namespace
}  // namespace sluice::coupling::pair_potential_test
