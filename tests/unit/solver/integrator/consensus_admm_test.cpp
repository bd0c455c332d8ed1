// SPDX-License-Identifier: Apache-2.0
// Oracle: gradient descent with line search on the same energy, run to a gradient of nearly zero.
#include "solver/integrator/consensus_admm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::integrator {
namespace {

struct Problem {
  std::vector<Vec3> x_n;
  std::vector<solid::Spring> springs;
  solid::InertialTerm term;
};

/// A wrinkled 6 x 6 sheet in motion; the corner 0 is held.
Problem make_problem(double ratio) {
  const auto mesh = solid::grid_mesh(6, 6, 0.1);
  Problem p;
  p.springs = solid::lay_springs(mesh, {50, 20, 5});
  std::mt19937 random(7);
  std::uniform_real_distribution<double> spread(-0.01, 0.01);
  const double inertia = 2 * 12 * 50 / ratio;
  for (const Vec3& x : mesh.vertices) {
    p.x_n.emplace_back(x + Vec3(spread(random), spread(random), spread(random)));
    p.term.targets.emplace_back(p.x_n.back() +
                                Vec3(spread(random), spread(random), spread(random)));
    p.term.inertia.push_back(inertia);
  }
  p.term.inertia[0] = std::numeric_limits<double>::infinity();
  p.term.targets[0] = p.x_n[0];
  return p;
}

double energy(const Problem& p, const std::vector<Vec3>& x) {
  double e = solid::energy(p.springs, x);
  for (std::size_t i = 1; i < x.size(); ++i) {
    e += 0.5 * p.term.inertia[i] * (x[i] - p.term.targets[i]).squaredNorm();
  }
  return e;
}

std::vector<Vec3> gradient(const Problem& p, const std::vector<Vec3>& x) {
  std::vector<Vec3> g(x.size(), Vec3::Zero());
  solid::add_gradient(p.springs, x, g);
  for (std::size_t i = 1; i < x.size(); ++i)
    g[i] += p.term.inertia[i] * (x[i] - p.term.targets[i]);
  g[0].setZero();
  return g;
}

std::vector<Vec3> descend(const Problem& p) {
  std::vector<Vec3> x = p.term.targets;
  double step = 1e-3;
  for (int k = 0; k < 200000; ++k) {
    const auto g = gradient(p, x);
    double squared = 0;
    for (const Vec3& v : g)
      squared += v.squaredNorm();
    if (squared < 1e-22) break;
    auto trial = x;
    step *= 2;
    for (const double before = energy(p, x);; step /= 2) {
      for (std::size_t i = 0; i < x.size(); ++i)
        trial[i] = x[i] - step * g[i];
      if (energy(p, trial) <= before - 0.1 * step * squared || step < 1e-12) break;
    }
    x = trial;
  }
  return x;
}

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

std::vector<Vec3> iterate(const Problem& p, int count) {
  ConsensusAdmm admm(p.springs, {}, p.x_n.size());
  std::vector<Vec3> x(p.x_n.size()), next(p.x_n.size());
  admm.begin(p.x_n, p.term, {}, x);
  for (int k = 0; k < count; ++k) {
    admm.local_and_dual_step(x);
    admm.global_step(x, p.term, {}, next);
    x.swap(next);
  }
  return x;
}

class ConsensusAdmmTest : public testing::TestWithParam<double> {};
class ConsensusAdmmSpeed : public testing::TestWithParam<double> {};

TEST_P(ConsensusAdmmTest, reaches_the_minimiser_of_the_implicit_step) {
  const Problem p = make_problem(GetParam());
  const auto exact = descend(p);
  const auto x = iterate(p, static_cast<int>(40 * GetParam()) + 100);
  // Targets are some 1e-2 away: six digits of the step.
  EXPECT_LT(largest_difference(x, exact), 1e-8);
  EXPECT_EQ(x[0], p.x_n[0]);
}

TEST_P(ConsensusAdmmSpeed, thirty_iterations_leave_a_small_part_of_the_step) {
  const Problem p = make_problem(GetParam());
  const auto exact = descend(p);
  EXPECT_LT(largest_difference(iterate(p, 30), exact), 0.1 * largest_difference(p.x_n, exact));
}

INSTANTIATE_TEST_SUITE_P(ratios_of_stiffness_to_inertia, ConsensusAdmmTest,
                         testing::Values(0.1, 4.0, 32.0, 200.0));
INSTANTIATE_TEST_SUITE_P(ratios_of_stiffness_to_inertia, ConsensusAdmmSpeed,
                         testing::Values(0.1, 4.0, 32.0));

TEST(ConsensusAdmmResidual, goes_to_zero_with_the_error) {
  const Problem p = make_problem(32);
  ConsensusAdmm admm(p.springs, {}, p.x_n.size());
  std::vector<Vec3> x(p.x_n.size()), next(p.x_n.size());
  admm.begin(p.x_n, p.term, {}, x);
  double first = 0, last = 0;
  for (int k = 0; k < 400; ++k) {
    const double primal = admm.local_and_dual_step(x);
    admm.global_step(x, p.term, {}, next);
    last = primal + admm.squared_change(x, next, p.term);
    if (k == 0) first = last;
    x.swap(next);
  }
  EXPECT_GT(first, 1e-6);
  EXPECT_LT(last, 1e-9 * first);
}

TEST(ConsensusAdmmForce, two_masses_and_a_spring_settle_where_forces_balance) {
  // By hand: masses held softly (inertia 3 N/m) at 0 and 1, spring of rest length 1, k = 6, force f
  // = 1.5 along the axis on the second: 3 x_a + 6 (x_a - x_b + 1) = 0 and 3 (x_b - 1) + 6 (x_b -
  // x_a - 1) = 1.5.
  const std::vector<solid::Spring> springs{{0, 1, 6, 1, solid::SpringKind::structural}};
  solid::InertialTerm term{{3, 3}, {Vec3(0, 0, 0), Vec3(1, 0, 0)}};
  ConsensusAdmm admm(springs, {}, 2);
  std::vector<Vec3> x(2), next(2);
  const std::vector<Vec3> forces{Vec3::Zero(), Vec3(1.5, 0, 0)};
  admm.begin(term.targets, term, forces, x);
  for (int k = 0; k < 300; ++k) {
    admm.local_and_dual_step(x);
    admm.global_step(x, term, forces, next);
    x.swap(next);
  }
  EXPECT_NEAR(x[0].x(), 0.2, 1e-12);
  EXPECT_NEAR(x[1].x(), 1.3, 1e-12);
}

}  // namespace
}  // namespace sluice::integrator
