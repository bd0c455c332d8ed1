// SPDX-License-Identifier: Apache-2.0
// Oracle: the same sum as a dense matrix, each G_e written out.
#include "solver/linalg/block_matrix.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/linalg/random_elements.h"

namespace sluice::linalg {
namespace {

struct Problem {
  RandomElements springs{2, 1, 700, 2000, 1}, triangles{3, 2, 700, 600, 2}, tets{4, 3, 700, 900, 3};
  std::array<ElementGroup, 3> groups{springs.group(), triangles.group(), tets.group()};
  std::vector<double> inertia = std::vector<double>(700, 0.5);
  Problem() { inertia[3] = inertia[699] = std::numeric_limits<double>::infinity(); }

  BlockMatrix assembled() const {
    BlockMatrix A(inertia.size(), groups);
    A.begin(inertia);
    A.add(0, springs.source());
    A.add(1, triangles.source());
    A.add(2, tets.source());
    return A;
  }
};

TEST(BlockMatrix, is_the_sum_over_its_elements) {
  const Problem p;
  const Eigen::MatrixXd expected = dense_hessian({&p.springs, &p.triangles, &p.tets}, p.inertia);
  const BlockMatrix A = p.assembled();
  Eigen::MatrixXd found = Eigen::MatrixXd::Zero(expected.rows(), expected.cols());
  for (std::size_t i = 0; i < p.inertia.size(); ++i) {
    for (std::int32_t n = A.pattern().row_starts[i]; n < A.pattern().row_starts[i + 1]; ++n) {
      found.block<3, 3>(3 * static_cast<Eigen::Index>(i),
                        Eigen::Index{3} * A.pattern().columns[static_cast<std::size_t>(n)]) =
          A.block(n);
    }
  }
  // Some 20 products of size 10 an entry: 1e-13 is rounding.
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(BlockMatrix, multiplies_like_the_dense_matrix) {
  const Problem p;
  const auto x = random_vectors(p.inertia.size(), 4);
  std::vector<Vec3> y(x.size());
  p.assembled().multiply(x, y);
  const Eigen::VectorXd expected =
      dense_hessian({&p.springs, &p.triangles, &p.tets}, p.inertia) * flat(x);
  EXPECT_LT((flat(y) - expected).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(BlockMatrix, has_the_same_bits_for_one_and_two_threads) {
  const Problem p;
  std::array<std::vector<double>, 2> entries;
  for (const int threads : {1, 2}) {
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      const BlockMatrix A = p.assembled();
      entries[static_cast<std::size_t>(threads - 1)].assign(A.entries().begin(), A.entries().end());
    });
  }
  ASSERT_EQ(entries[0].size(), entries[1].size());
  EXPECT_EQ(std::memcmp(entries[0].data(), entries[1].data(), entries[0].size() * sizeof(double)),
            0);
}

TEST(SparsePattern, of_one_spring_by_hand) {
  const std::vector<std::int32_t> ends{0, 2};
  const std::vector<double> map{1, -1};
  const ElementGroup spring{2, 1, ends, map};
  const SparsePattern pattern = make_pattern(3, {&spring, 1});
  EXPECT_EQ(pattern.row_starts, (std::vector<std::int32_t>{0, 2, 3, 5}));
  EXPECT_EQ(pattern.columns, (std::vector<std::int32_t>{0, 2, 1, 0, 2}));
  EXPECT_EQ(pattern.diagonal, (std::vector<std::int32_t>{0, 2, 4}));
  // A = diag(1, 2, held) + 5 (e0 - e2)(e0 - e2)^T
  const std::vector<double> weight{5}, inertia{1, 2, std::numeric_limits<double>::infinity()};
  const std::span<const double> weights = weight;
  std::vector<double> entries(5);
  assemble_scalar(pattern, {&spring, 1}, {&weights, 1}, inertia, entries);
  EXPECT_EQ(entries, (std::vector<double>{6, 0, 2, 0, 1}));
}

}  // namespace
}  // namespace sluice::linalg
