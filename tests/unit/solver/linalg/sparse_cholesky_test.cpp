// SPDX-License-Identifier: Apache-2.0
// Oracles: the residual of the system, with the matrix written out; a dense solve; counts by hand.
#include "solver/linalg/sparse_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <numeric>

#include "solver/linalg/block_matrix.h"
#include "solver/linalg/ordering.h"
#include "solver/linalg/partition.h"
#include "solver/linalg/vectors.h"
#include "tests/unit/solver/linalg/random_elements.h"

namespace sluice::linalg {
namespace {

/// A grid of side x side vertices joined to their 8 neighbours by springs of weight 1000, inertia
/// 0.2, one corner held: as stiff as the cloth of the benchmark.
struct Grid {
  std::vector<std::int32_t> ends;
  std::vector<double> maps, weight, inertia, entries;
  SparsePattern pattern;

  explicit Grid(int side) : inertia(static_cast<std::size_t>(side * side), 0.2) {
    for (int j = 0; j < side; ++j) {
      for (int i = 0; i < side; ++i) {
        const int a = j * side + i;
        if (i + 1 < side) ends.insert(ends.end(), {a, a + 1});
        if (j + 1 < side) ends.insert(ends.end(), {a, a + side});
        if (i + 1 < side && j + 1 < side) {
          ends.insert(ends.end(), {a, a + side + 1, a + 1, a + side});
        }
      }
    }
    for (std::size_t e = 0; e < ends.size() / 2; ++e)
      maps.insert(maps.end(), {1, -1});
    weight.assign(ends.size() / 2, 1000);
    inertia[0] = std::numeric_limits<double>::infinity();
    const ElementGroup group{2, 1, ends, maps};
    pattern = make_pattern(inertia.size(), {&group, 1});
    entries.resize(pattern.entry_count());
    const std::span<const double> weights = weight;
    assemble_scalar(pattern, {&group, 1}, {&weights, 1}, inertia, entries);
  }

  std::vector<Vec3> residual(const std::vector<Vec3>& b, const std::vector<Vec3>& x) const {
    std::vector<Vec3> r = b;
    for (std::size_t i = 0; i < r.size(); ++i) {
      for (auto n = static_cast<std::size_t>(pattern.row_starts[i]);
           n < static_cast<std::size_t>(pattern.row_starts[i + 1]); ++n)
        r[i] -= entries[n] * x[static_cast<std::size_t>(pattern.columns[n])];
    }
    return r;
  }
};

class SparseCholeskySide : public testing::TestWithParam<int> {};

TEST_P(SparseCholeskySide, solves_to_rounding_in_double) {
  const Grid grid(GetParam());
  SparseCholesky<double> cholesky(grid.pattern, EntryKind::scalar);
  ASSERT_TRUE(cholesky.factor(grid.entries));
  const auto b = random_vectors(grid.inertia.size(), 1);
  std::vector<Vec3> x(b.size());
  cholesky.solve(b, x);
  // Backward stable: |r| is rounding in |A| |x|, |A| <= 16,000.
  EXPECT_LT(norm(grid.residual(b, x)), 1e-15 * 16'000 * norm(x));
}

TEST_P(SparseCholeskySide, each_refinement_gains_two_digits_or_more_in_float) {
  const Grid grid(GetParam());
  SparseCholesky<float> cholesky(grid.pattern, EntryKind::scalar);
  ASSERT_TRUE(cholesky.factor(grid.entries));
  const auto b = random_vectors(grid.inertia.size(), 1);
  std::vector<Vec3> x(b.size(), Vec3::Zero()), correction(b.size());
  std::vector<Vec3> r = b;
  for (double before = norm(b); before > 1e-9 * norm(b);) {
    cholesky.solve(r, correction);
    add_scaled(1, correction, x);
    r = grid.residual(b, x);
    // The condition number is some 1e5 and float's unit 6e-8.
    ASSERT_LT(norm(r), 0.01 * before);
    before = norm(r);
  }
}

TEST_P(SparseCholeskySide, solves_for_a_vector_a_coordinate_as_for_one_a_vertex) {
  // Oracle: the other form, to the bit where b is float's to begin with.
  const Grid grid(GetParam());
  SparseCholesky<float> cholesky(grid.pattern, EntryKind::scalar);
  ASSERT_TRUE(cholesky.factor(grid.entries));
  auto b = random_vectors(grid.inertia.size(), 1);
  std::array<std::vector<float>, 3> by_coordinate;
  for (Vec3& b_i : b) {
    for (std::size_t c = 0; c < 3; ++c) {
      double& number = b_i[static_cast<Eigen::Index>(c)];
      by_coordinate[c].push_back(static_cast<float>(number));
      number = static_cast<double>(by_coordinate[c].back());
    }
  }
  auto& [bx, by, bz] = by_coordinate;
  std::vector<Vec3> x(b.size());
  cholesky.solve(b, x);
  cholesky.solve({bx.data(), by.data(), bz.data()}, {bx.data(), by.data(), bz.data()});
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(Vec3(bx[i], by[i], bz[i]), x[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(sides, SparseCholeskySide, testing::Values(1, 2, 3, 10, 50));

TEST(SparseCholesky, of_blocks_solves_like_a_dense_factorisation) {
  const RandomElements tets(4, 3, 300, 900, 5), springs(2, 1, 300, 300, 6);
  std::vector<double> inertia(300, 0.1);
  inertia[7] = inertia[8] = std::numeric_limits<double>::infinity();
  const std::vector<ElementGroup> groups{tets.group(), springs.group()};
  BlockMatrix A(300, groups);
  SparseCholesky<double> cholesky(A.pattern(), EntryKind::block);
  const auto b = random_vectors(300, 6);
  std::vector<Vec3> x = b;
  for (const double scale : {1.0, 3.0}) {  // The second factorisation takes the place of the first.
    for (double& m : inertia)
      m *= scale;
    A.begin(inertia);
    A.add(0, tets.source());
    A.add(1, springs.source());
    ASSERT_TRUE(cholesky.factor(A.entries()));
    cholesky.solve(b, x);
    const Eigen::VectorXd expected = dense_hessian({&tets, &springs}, inertia).llt().solve(flat(b));
    EXPECT_LT((flat(x) - expected).norm(), 1e-10 * expected.norm());
  }
  std::vector<Vec3> in_place = b;
  cholesky.solve(in_place, in_place);
  EXPECT_EQ(in_place, x);
}

TEST(SparseCholesky, refuses_what_is_not_positive_definite) {
  Grid grid(5);
  grid.entries[static_cast<std::size_t>(grid.pattern.diagonal[12])] = -1;
  SparseCholesky<double> cholesky(grid.pattern, EntryKind::scalar);
  EXPECT_FALSE(cholesky.factor(grid.entries));
  const Grid good(5);
  EXPECT_TRUE(cholesky.factor(good.entries));
}

TEST(Supernodes, of_a_dense_matrix_is_one_panel) {
  const RandomElements tet(4, 3, 4, 1, 1);
  const ElementGroup group = tet.group();
  const SparsePattern pattern = make_pattern(4, {&group, 1});
  const Supernodes shape = find_supernodes(pattern, nested_dissection(pattern));
  ASSERT_EQ(shape.supernodes.size(), 1U);
  EXPECT_EQ(shape.supernodes[0].column_count, 4);
  EXPECT_EQ(shape.supernodes[0].row_count, 0);
}

TEST(Supernodes, have_rows_for_all_that_elimination_fills_in) {
  const Grid grid(12);
  const Supernodes shape = find_supernodes(grid.pattern, nested_dissection(grid.pattern));
  // Oracle: elimination on a dense table of what is not zero.
  const std::size_t n = grid.inertia.size();
  std::vector<std::vector<bool>> filled(n, std::vector<bool>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (auto e = static_cast<std::size_t>(grid.pattern.row_starts[i]);
         e < static_cast<std::size_t>(grid.pattern.row_starts[i + 1]); ++e) {
      filled[static_cast<std::size_t>(shape.place[i])][static_cast<std::size_t>(
          shape.place[static_cast<std::size_t>(grid.pattern.columns[e])])] = true;
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t a = j + 1; a < n; ++a) {
      for (std::size_t b = j + 1; filled[a][j] && b < n; ++b)
        if (filled[b][j]) filled[a][b] = true;
    }
  }
  std::size_t columns = 0;
  for (const Supernode& s : shape.supernodes) {
    const auto first = static_cast<std::size_t>(s.first_column),
               end = first + static_cast<std::size_t>(s.column_count);
    EXPECT_EQ(first, columns);
    columns = end;
    std::vector<bool> has(n);
    for (std::int32_t i = 0; i < s.row_count; ++i)
      has[static_cast<std::size_t>(
          shape.rows[static_cast<std::size_t>(s.first_row) + static_cast<std::size_t>(i)])] = true;
    for (std::size_t j = first; j < end; ++j) {
      for (std::size_t i = end; i < n; ++i)
        EXPECT_TRUE(has[i] || !filled[i][j]) << "row " << i << ", column " << j;
    }
  }
  EXPECT_EQ(columns, n);
}

TEST(Ordering, is_a_permutation_and_the_same_each_time) {
  const Grid grid(40);
  const auto order = nested_dissection(grid.pattern);
  EXPECT_EQ(order, nested_dissection(grid.pattern));
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int32_t> expected(sorted.size());
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(sorted, expected);
}

TEST(Ordering, keeps_the_factor_of_a_grid_sparse) {
  // Nested dissection needs O(n log n) entries (George 1973: at best 31/4 n log2 n on a 9-point
  // grid, here 50 n at n = 2,500 with everything counted); the natural order has 50 n as its band,
  // and a random one some hundreds.
  const Grid grid(50);
  const SparseCholesky<double> cholesky(grid.pattern, EntryKind::scalar);
  EXPECT_LT(cholesky.stored_count(), 50 * grid.inertia.size());
}

TEST(Partition, cuts_into_parts_of_nearly_one_size_the_same_each_time) {
  const Grid grid(40);
  const auto parts = partition(grid.pattern, 16);
  EXPECT_EQ(parts, partition(grid.pattern, 16));
  std::vector<int> sizes(16, 0);
  for (const std::int32_t part : parts)
    ++sizes.at(static_cast<std::size_t>(part));
  for (const int size : sizes)
    EXPECT_NEAR(size, 100, 10);  // METIS allows 3 % above the mean.
  EXPECT_EQ(partition(grid.pattern, 1), std::vector<std::int32_t>(1600, 0));
}

}  // namespace
}  // namespace sluice::linalg
