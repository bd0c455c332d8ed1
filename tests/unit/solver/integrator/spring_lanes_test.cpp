// SPDX-License-Identifier: Apache-2.0
// Oracle: SpringPotential, in double.
#include "solver/integrator/spring_lanes.h"

#include <gtest/gtest.h>

#include <random>

#include "solver/integrator/admm_stages.h"
#include "solver/integrator/spring_coarse.h"
#include "solver/integrator/step_hessian.h"
#include "tests/unit/solver/integrator/scenes.h"

namespace sluice::integrator {
namespace {

std::vector<Vec3> random_vectors(std::size_t count, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<Vec3> vectors;
  vectors.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    vectors.emplace_back(uniform(random), uniform(random), uniform(random));
  return vectors;
}

LaneVector to_lanes(const std::vector<Vec3>& from) {
  LaneVector to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      to[c][i] = static_cast<float>(from[i][static_cast<Eigen::Index>(c)]);
  }
  return to;
}

/// Largest difference over the largest number of `expected`.
double relative_difference(const LaneVector& found, const std::vector<Vec3>& expected) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Vec3 f(found[0][i], found[1][i], found[2][i]);
    difference = std::max(difference, (f - expected[i]).cwiseAbs().maxCoeff());
    largest = std::max(largest, expected[i].cwiseAbs().maxCoeff());
  }
  return difference / largest;
}

/// Meshes with runs of every length, near and far, and vertices numbered at random.
std::vector<solid::Spring> springs_of(int side, bool is_shuffled) {
  auto mesh = solid::grid_mesh(side, side, 0.1);
  std::vector<solid::Spring> springs = solid::lay_springs(mesh, {1000, 500, 200});
  if (!is_shuffled) return springs;
  std::vector<std::int32_t> names(mesh.vertices.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = static_cast<std::int32_t>(i);
  std::shuffle(names.begin(), names.end(), std::mt19937(3));
  for (solid::Spring& s : springs) {
    s.a = names[static_cast<std::size_t>(s.a)];
    s.b = names[static_cast<std::size_t>(s.b)];
    if (s.a > s.b) std::swap(s.a, s.b);
  }
  return springs;
}

class SpringLanesTest : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  int side = std::get<0>(GetParam());
  std::size_t count = static_cast<std::size_t>(side * side);
  solid::SpringPotential potential{springs_of(side, std::get<1>(GetParam()))};
  const solid::SpringPotential* springs = &potential;
  const solid::Potential* as_potential = &potential;
  SpringLanes lanes{{&springs, 1}};
  std::vector<Vec3> reference = random_vectors(count, 0.3, 1);
  std::vector<Vec3> u = random_vectors(count, 1e-3, 2);
};

TEST_P(SpringLanesTest, has_the_energy_and_the_gradient_of_the_potential) {
  lanes.set_reference(reference);
  // u as float has it, so that rounding it is not counted.
  LaneVector gradient(count);
  const LaneVector u_lanes = to_lanes(u);
  std::vector<Vec3> x = reference, expected(count, Vec3::Zero());
  for (std::size_t i = 0; i < count; ++i)
    x[i] += Vec3(u_lanes[0][i], u_lanes[1][i], u_lanes[2][i]);
  const double energy = lanes.linearize(u_lanes, gradient);
  potential.add_gradient(x, expected);
  // A few roundings of 6e-8 in each force, twelve forces a vertex.
  EXPECT_LT(relative_difference(gradient, expected), 1e-6);
  EXPECT_NEAR(energy, potential.energy(x), 1e-6 * energy);
}

TEST_P(SpringLanesTest, has_the_gradient_alone_too) {
  // Oracle: the one that comes with the Hessian, to the bit.
  lanes.set_reference(reference);
  LaneVector alone(count), with_hessian(count);
  lanes.add_gradient(to_lanes(u), alone);
  lanes.linearize(to_lanes(u), with_hessian);
  EXPECT_EQ(alone.of_axis, with_hessian.of_axis);
}

TEST_P(SpringLanesTest, takes_the_local_and_dual_steps_of_any_element) {
  // Oracle: AdmmStages, in double.
  lanes.set_reference(reference);
  AdmmStages stages({&as_potential, 1}, count);
  const std::vector<double> inertia(count, 0.0);
  std::vector<Vec3> x = reference, pull(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] += u[i];
  stages.begin(x);
  lanes.begin_duals(to_lanes(u));
  for (int n = 0; n < 3; ++n) {
    // On by some millimetres each time.
    for (std::size_t i = 0; i < count; ++i) {
      u[i] += 1e-3 * reference[(i + static_cast<std::size_t>(n)) % count];
      x[i] = reference[i] + u[i];
    }
    LaneVector gradient(count);
    lanes.local_and_dual_step(to_lanes(u), gradient);
    stages.local_and_dual_step(x);
    stages.write_global_residual({inertia, x, {}, {&as_potential, 1}}, x, pull);
    for (Vec3& force : pull)
      force = -force;
    // Where p is a tenth of l0, its direction turns ten times as much by float's rounding.
    EXPECT_LT(relative_difference(gradient, pull), 1e-5);
  }
  std::vector<double> duals(stages.duals().size());
  lanes.write_duals(duals);
  // In the mean over the springs, for the same reason.
  double squared_error = 0, squares = 0;
  for (std::size_t n = 0; n < duals.size(); ++n) {
    squared_error += std::pow(duals[n] - stages.duals()[n], 2);
    squares += std::pow(duals[n], 2);
  }
  EXPECT_LT(squared_error, std::pow(1e-5, 2) * squares);
}

TEST_P(SpringLanesTest, iterates_together_as_one_after_the_other) {
  // Oracle: local and dual step of all springs, then the global step of all vertices, to the bit.
  lanes.set_reference(reference);
  const std::size_t end = (count + lane_width - 1) / lane_width * lane_width;
  std::array<LaneVector, 2> x{to_lanes(u), to_lanes(u)},
      gradients{LaneVector(count), LaneVector(count)};
  for (const bool is_together : {false, true}) {
    LaneVector &at = x[is_together], &gradient = gradients[is_together];
    const auto global_step = [&](std::size_t first, std::size_t last) {
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t i = first; i < last; ++i) {
          at[c][i] -= 1e-4F * gradient[c][i];
          gradient[c][i] = 0;
        }
      }
    };
    constexpr int iterations = 7;
    lanes.begin_duals(at);
    if (is_together) lanes.iterate(iterations, end, at, gradient, global_step);
    for (int n = 0; !is_together && n < iterations; ++n) {
      lanes.local_and_dual_step(at, gradient);
      global_step(0, end);
    }
  }
  EXPECT_EQ(x[0].of_axis, x[1].of_axis);
}

TEST_P(SpringLanesTest, has_the_projected_hessian_of_the_potential) {
  lanes.set_reference(reference);
  LaneVector gradient(count), product(count);
  lanes.linearize(LaneVector(count), gradient);
  StepHessian hessian({&as_potential, 1}, count);
  const std::vector<double> inertia(count, 0.0);
  const auto& A = hessian.assemble({inertia, reference, {}, {&as_potential, 1}}, reference);
  std::vector<Vec3> expected(count);
  A.multiply(u, expected);
  lanes.add_product(to_lanes(u), product);
  EXPECT_LT(relative_difference(product, expected), 1e-6);
  std::array<Floats, 6> blocks;
  blocks.fill(make_lanes(count));
  lanes.add_diagonal(blocks);
  constexpr std::array<std::pair<int, int>, 6> places{
      {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};
  for (std::size_t i = 0; i < count; ++i) {
    const Mat3 block = A.block(A.pattern().diagonal[i]);
    for (std::size_t n = 0; n < 6; ++n)
      EXPECT_NEAR(blocks[n][i], block(places[n].first, places[n].second), 1e-6 * block.trace());
  }
}

INSTANTIATE_TEST_SUITE_P(sides_and_numberings, SpringLanesTest,
                         testing::Combine(testing::Values(2, 3, 5, 9, 10, 12, 17, 40),
                                          testing::Bool()));

TEST(SpringLanesFar, is_exact_for_small_displacements_far_from_the_origin) {
  // At rest 1 km away: forces are k u / 0.1 m, and float's unit at 1 km is 6e-5 m, sixty times u.
  const std::size_t count = 81;
  const solid::SpringPotential potential(springs_of(9, false));
  const solid::SpringPotential* springs = &potential;
  SpringLanes lanes({&springs, 1});
  std::vector<Vec3> x = solid::grid_mesh(9, 9, 0.1).vertices;
  std::vector<Vec3> far = x;
  for (Vec3& position : far)
    position += Vec3(1000, 0, 0);
  lanes.set_reference(far);
  LaneVector gradient(count), small(count);
  std::vector<Vec3> expected(count, Vec3::Zero());
  for (std::size_t i = 0; i < count; ++i) {
    small[0][i] = 1e-6F * static_cast<float>(i % 3);
    x[i].x() += static_cast<double>(small[0][i]);
  }
  lanes.linearize(small, gradient);
  potential.add_gradient(x, expected);
  // |d0|^2 - l0^2 itself is rounding of 1000 m in double, 1e-13, against stretches of 1e-6.
  EXPECT_LT(relative_difference(gradient, expected), 1e-5);
}

TEST(SpringCoarse, moves_patches_as_the_galerkin_matrix_says) {
  // Oracle: Z^T H Z (moves) = Z^T r, checked with the assembled H of the potential: patches are
  // read off the correction, which is the same all over one.
  const solid::SpringPotential potential(springs_of(40, false));
  const solid::SpringPotential* springs = &potential;
  const solid::Potential* as_potential = &potential;
  SpringLanes lanes({&springs, 1});
  const std::size_t count = 1600;
  std::vector<Vec3> reference = solid::grid_mesh(40, 40, 0.1).vertices;
  const auto noise = random_vectors(count, 0.01, 5);
  for (std::size_t i = 0; i < count; ++i)
    reference[i] += noise[i];
  lanes.set_reference(reference);
  LaneVector gradient(count);
  lanes.linearize(LaneVector(count), gradient);
  std::vector<double> inertia(count, 2);
  inertia[5] = std::numeric_limits<double>::infinity();
  Floats inertia_lanes = make_lanes(count), is_free = make_lanes(count);
  for (std::size_t i = 0; i < count; ++i) {
    is_free[i] = i == 5 ? 0 : 1;
    inertia_lanes[i] = i == 5 ? 0 : 2;
  }
  SpringCoarse coarse(lanes, count);
  coarse.prepare(lanes, inertia_lanes, is_free);
  auto r = random_vectors(count, 1, 6);
  r[5].setZero();
  LaneVector z(count);
  const double product = coarse.correct(to_lanes(r), is_free, z);

  StepHessian hessian({&as_potential, 1}, count);
  const auto& A = hessian.assemble({inertia, reference, {}, {&as_potential, 1}}, reference);
  std::vector<Vec3> correction(count), image(count);
  for (std::size_t i = 0; i < count; ++i)
    correction[i] = Vec3(z[0][i], z[1][i], z[2][i]);
  EXPECT_EQ(correction[5], Vec3::Zero());
  A.multiply(correction, image);
  // By patch, sums of H z and of r agree.
  std::vector<std::pair<Vec3, Vec3>> sums;
  std::vector<Vec3> moves;
  double r_dot_z = 0;
  for (std::size_t i = 0; i < count; ++i) {
    r_dot_z += r[i].dot(correction[i]);
    if (i == 5) continue;
    const auto found = std::find(moves.begin(), moves.end(), correction[i]);
    const auto patch = static_cast<std::size_t>(found - moves.begin());
    if (found == moves.end()) {
      moves.push_back(correction[i]);
      sums.emplace_back(Vec3::Zero(), Vec3::Zero());
    }
    sums[patch].first += image[i];
    sums[patch].second += r[i];
  }
  EXPECT_EQ(moves.size(), 16U);
  for (const auto& [of_image, of_r] : sums)
    EXPECT_LT((of_image - of_r).norm(), 1e-3 * of_r.norm());  // Float, on moves of every patch.
  EXPECT_NEAR(product, r_dot_z, 1e-4 * product);
}

}  // namespace
}  // namespace sluice::integrator
