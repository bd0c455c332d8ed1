// SPDX-License-Identifier: Apache-2.0
// Oracles: a dense solve; the theorem that conjugate gradients end after as many iterations as the
// preconditioned matrix has distinct eigenvalues.
#include "solver/linalg/pcg.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "tests/unit/solver/linalg/random_elements.h"

namespace sluice::linalg {
namespace {

TEST(Pcg, solves_like_a_dense_factorisation) {
  const RandomElements tets(4, 3, 100, 200, 5);
  std::vector<double> inertia(100, 0.1);
  inertia[7] = std::numeric_limits<double>::infinity();
  const ElementGroup group = tets.group();
  BlockMatrix A(100, {&group, 1});
  A.begin(inertia);
  A.add(0, tets.source());
  const auto b = random_vectors(100, 6);
  std::vector<Vec3> x(100);
  const PcgReport report =
      Pcg().solve([&](auto v, auto w) { A.multiply(v, w); }, BlockJacobi(A), b, 1e-12, 3000, x);
  const Eigen::VectorXd expected = dense_hessian({&tets}, inertia).llt().solve(flat(b));
  EXPECT_LE(report.residual, 1e-12);
  EXPECT_LT(report.iterations, 600);  // Twice the unknowns: rounding delays, but does not stop it.
  EXPECT_LT((flat(x) - expected).norm(), 1e-9 * expected.norm());
}

TEST(Pcg, needs_as_many_iterations_as_there_are_eigenvalues) {
  const auto scale = [](std::span<const Vec3> v, std::span<Vec3> w) {
    for (std::size_t i = 0; i < v.size(); ++i)
      w[i] = Vec3(1, 10, 1000).cwiseProduct(v[i]);
  };
  const auto identity = [](std::span<const Vec3> v, std::span<Vec3> w) {
    std::copy(v.begin(), v.end(), w.begin());
  };
  const auto b = random_vectors(50, 8);
  std::vector<Vec3> x(50);
  EXPECT_EQ(Pcg().solve(scale, identity, b, 1e-10, 100, x).iterations, 3);
  EXPECT_NEAR(x[4].z(), b[4].z() / 1000, 1e-12);
}

TEST(Pcg, ends_at_negative_curvature_with_a_direction_of_descent) {
  const auto negative = [](std::span<const Vec3> v, std::span<Vec3> w) {
    for (std::size_t i = 0; i < v.size(); ++i)
      w[i] = -v[i];
  };
  const auto identity = [](std::span<const Vec3> v, std::span<Vec3> w) {
    std::copy(v.begin(), v.end(), w.begin());
  };
  const auto b = random_vectors(5, 9);
  std::vector<Vec3> x(5);
  EXPECT_TRUE(Pcg().solve(negative, identity, b, 1e-10, 100, x).is_indefinite);
  EXPECT_EQ(x, b);
}

TEST(Pcg, answers_zero_with_zero) {
  const auto identity = [](std::span<const Vec3> v, std::span<Vec3> w) {
    std::copy(v.begin(), v.end(), w.begin());
  };
  const std::vector<Vec3> b(5, Vec3::Zero());
  std::vector<Vec3> x(5, Vec3::Ones());
  EXPECT_EQ(Pcg().solve(identity, identity, b, 1e-10, 100, x).iterations, 0);
  EXPECT_EQ(x, b);
}

}  // namespace
}  // namespace sluice::linalg
