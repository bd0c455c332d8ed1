// SPDX-License-Identifier: Apache-2.0
// Oracles: one tet at a time by isotropic/, whose own tests go to finite differences; std::log.
#include "solver/solid/neo_hookean_tets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solver/solid/packet.h"
#include "tests/unit/solver/solid/potential_checks.h"

namespace sluice::solid {
namespace {

constexpr Lame rubber{300, 500};
constexpr double stiffness = 2 * 300 + 3 * 500;

/// Tets that share no vertex, corners of cubes of 0.1 m; not a multiple of four.
struct Heap {
  std::vector<Vec3> rest;
  std::vector<std::array<std::int32_t, 4>> tets;

  explicit Heap(int count) {
    for (int i = 0; i < count; ++i) {
      tets.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
      for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.1)})
        rest.push_back(corner);
    }
  }
  [[nodiscard]] NeoHookeanTets four_at_a_time() const {
    return {NeoHookean{rubber}, tet_shapes(rest, tets)};
  }
  [[nodiscard]] ContinuumPotential<NeoHookean, 3, 3> one_at_a_time() const {
    return {NeoHookean{rubber}, tet_shapes(rest, tets)};
  }
};

TEST(PacketTest, logarithm_is_exact_to_rounding) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 20000; ++n) {
    const double wide = std::exp(100 * normal(random)), near_one = 1 + 1e-4 * normal(random);
    const Double4 found = log4(Double4{wide, near_one, 1, 1e-300});
    EXPECT_NEAR(found[0], std::log(wide), 4.5e-16 * std::max(1.0, std::abs(std::log(wide))));
    EXPECT_NEAR(found[1], std::log(near_one), 7e-16 * std::abs(std::log(near_one)));
    EXPECT_EQ(found[2], 0);
  }
}

TEST(NeoHookeanTetsTest, energy_and_gradient_are_those_of_one_tet_at_a_time) {
  const Heap heap(1027);
  const auto four = heap.four_at_a_time();
  const auto one = heap.one_at_a_time();
  for (const double size : {0.0, 1e-6, 0.02}) {
    const auto x = jittered(heap.rest, size, 3);
    const double energy = one.energy(x);
    ASSERT_TRUE(std::isfinite(energy));
    // A tet's stiffness is 2100 Pa of 1.7e-4 m^3; its energy is a difference of terms of that size.
    const double unit = stiffness * 1e-3 / 6;
    EXPECT_NEAR(four.energy(x), energy, 1e-14 * unit * 1027 + 1e-13 * energy);
    const auto expected = gradient_of(one, x), found = gradient_of(four, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LE((found[i] - expected[i]).norm(), 1e-12 * unit / 0.1) << i;
  }
  auto inverted = heap.rest;
  inverted[4 * 501 + 3].z() = -0.1;
  EXPECT_EQ(four.energy(inverted), std::numeric_limits<double>::infinity());
}

TEST(NeoHookeanTetsTest, local_step_is_stationary_from_rest_to_mirrored) {
  const Heap heap(1027);
  const auto potential = heap.four_at_a_time();
  const NeoHookean energy{rubber};
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const double size : {0.0, 1e-9, 1e-6, 1e-3, 0.1, 0.3, 0.8, 5.0}) {
    std::vector<double> p(9 * heap.tets.size()), z(p.size());
    for (std::size_t e = 0; e < heap.tets.size(); ++e) {
      const Mat3 turn(Eigen::AngleAxisd(normal(random), Vec3(1, 2, 3).normalized()));
      Eigen::Map<Mat3> target(&p[9 * e]);
      target = turn * (Mat3::Identity() + size * Mat3::NullaryExpr([&] { return normal(random); }));
    }
    for (const double scale : {0.02, 1.0, 30.0}) {
      potential.local_step(p, scale, z);
      const double w = stiffness * scale;
      for (std::size_t e = 0; e < heap.tets.size(); ++e) {
        const Mat3 P = Eigen::Map<const Mat3>(&p[9 * e]), Z = Eigen::Map<const Mat3>(&z[9 * e]);
        ASSERT_TRUE(Z.allFinite()) << P;
        ASSERT_GT(Z.determinant(), 0) << P;
        // Newton stops at 1e-5 of log J, which leaves 1e-10; softer w multiplies it.
        EXPECT_LE((stress(energy, Z) + w * (Z - P)).norm(), 1e-8 * (stiffness + w) * (1 + P.norm()))
            << "size " << size << " scale " << scale << "\n"
            << P;
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> solver(
            hessian(energy, Z, HessianForm::exact));
        EXPECT_GE(solver.eigenvalues()[0] + w, -1e-6 * solver.eigenvalues()[8]);
      }
    }
  }
}

TEST(NeoHookeanTetsTest, equal_and_nearly_equal_stretches_agree_with_the_singular_vectors) {
  const Heap heap(64);
  const auto potential = heap.four_at_a_time();
  std::vector<double> p(std::size_t{9} * 64), z(p.size());
  const double tiny[] = {0, 1e-16, 1e-12, 1e-8};
  for (std::size_t e = 0; e < 64; ++e) {
    const double a = tiny[e % 4], b = tiny[e / 4 % 4];
    const double base = e < 16 ? 1 : (e < 32 ? 0.3 : 2);
    const Vec3 stretches(base, base * (1 + a), e < 48 ? base * (1 + a + b) : 0.5);
    const Mat3 turn(Eigen::AngleAxisd(0.7, Vec3(1, -2, 3).normalized()));
    Eigen::Map<Mat3> target(&p[9 * e]);
    target = turn * stretches.asDiagonal() * turn.transpose();
  }
  potential.local_step(p, 1, z);
  for (std::size_t e = 0; e < 64; ++e) {
    const Mat3 P = Eigen::Map<const Mat3>(&p[9 * e]);
    EXPECT_LE(
        (Eigen::Map<const Mat3>(&z[9 * e]) - proximal(NeoHookean{rubber}, P, stiffness)).norm(),
        1e-9)
        << e;
  }
}

TEST(NeoHookeanTetsTest, same_bits_for_any_thread_count) {
  const Heap heap(5003);
  const auto potential = heap.four_at_a_time();
  expect_same_bits_for_any_thread_count(potential, jittered(heap.rest, 0.01, 3));
  std::vector<double> p(9 * heap.tets.size());
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < p.size(); ++i)
    p[i] = 0.3 * normal(random) + (i % 9 % 4 == 0 ? 1 : 0);
  std::vector<std::vector<double>> found;
  for (const int thread_count : {1, 2, 5}) {
    parallel::ThreadLimit limit(thread_count);
    found.emplace_back(p.size());
    limit.run([&] { potential.local_step(p, 1, found.back()); });
  }
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
}

}  // namespace
}  // namespace sluice::solid
