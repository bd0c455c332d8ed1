// SPDX-License-Identifier: Apache-2.0
// Systems, their preconditioners and conjugate gradients, against dense matrices.
#include "solver/fluid/pressure/poisson.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/fluid/pressure/incomplete_cholesky.h"
#include "solver/fluid/pressure/jacobi.h"
#include "solver/fluid/pressure/multigrid.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/pressure/random_system.h"

namespace sluice::fluid::grid::poisson_test {
namespace {

// Where the unknowns are in arrays.
template <int D>
std::vector<std::size_t> unknowns_of(const PoissonSystem<D>& system) {
  std::vector<std::size_t> unknowns;
  for (std::size_t i = 0; i < system.tiles().count() * tile_size<D>; ++i) {
    if (system.is_unknown(i / tile_size<D>, i % tile_size<D>)) unknowns.push_back(i);
  }
  return unknowns;
}

// Column by column, from the definition in poisson.h.
template <int D>
Eigen::MatrixXd dense(const PoissonSystem<D>& system, const std::vector<std::size_t>& unknowns) {
  const auto n = static_cast<Eigen::Index>(unknowns.size());
  std::vector<Eigen::Index> row(system.tiles().array_size(), -1);
  for (Eigen::Index i = 0; i < n; ++i)
    row[unknowns[static_cast<std::size_t>(i)]] = i;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t index = unknowns[static_cast<std::size_t>(i)];
    const std::size_t tile = index / tile_size<D>, cell = index % tile_size<D>;
    const auto* const general = system.general(tile);
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      Cell<D> other = system.tiles().cell(index);
      other[side / 2] += side % 2 == 0 ? -1 : 1;
      const double weight = general == nullptr ? system.uniform() : general->next(side, cell);
      if (weight == 0) continue;
      A(i, i) += weight;
      A(i, row[system.tiles().find_cell(other)]) -= weight;
    }
    if (general != nullptr) A(i, i) += general->fixed(cell);
  }
  return A;
}

// Half of P^T A P, P giving each cell the value of the one twice as large that it is a part of.
template <int D>
void expect_half_of_sums(const PoissonSystem<D>& system) {
  const PoissonSystem<D> coarse = system.coarsened();
  const std::vector<std::size_t> fine_unknowns = unknowns_of(system);
  const std::vector<std::size_t> unknowns = unknowns_of(coarse);
  std::vector<Eigen::Index> row(coarse.tiles().array_size(), -1);
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    row[unknowns[i]] = static_cast<Eigen::Index>(i);
  Eigen::MatrixXd P = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(fine_unknowns.size()),
                                            static_cast<Eigen::Index>(unknowns.size()));
  for (std::size_t i = 0; i < fine_unknowns.size(); ++i) {
    Cell<D> half = system.tiles().cell(fine_unknowns[i]);
    for (std::int32_t& c : half)
      c >>= 1;
    const Eigen::Index at = row[coarse.tiles().find_cell(half)];
    if (at >= 0) P(static_cast<Eigen::Index>(i), at) = 1;
  }
  const Eigen::MatrixXd exact = 0.5 * P.transpose() * dense(system, fine_unknowns) * P;
  EXPECT_LT((dense(coarse, unknowns) - exact).cwiseAbs().maxCoeff(), 2e-6);
}

TEST(PoissonSystem, is_coarsened_to_half_of_the_sums_of_its_equations) {
  expect_half_of_sums(random_system<2>(6, {}, 1));
  expect_half_of_sums(random_system<3>(3, {}, 2));
}

template <int D>
std::unique_ptr<Preconditioner> make(int kind, const PoissonSystem<D>& system) {
  if (kind == 0) return std::make_unique<Jacobi<D>>(system);
  if (kind == 1) return std::make_unique<IncompleteCholesky<D>>(system);
  return std::make_unique<Multigrid<D>>(system);
}

template <int D>
Array<double> random_values(const PoissonSystem<D>& system, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  Array<double> values(system.tiles().array_size(), 0);
  for (const std::size_t i : unknowns_of(system))
    values[i] = value(random);
  return values;
}

template <int D>
void expect_dense_solution(const PoissonSystem<D>& system) {
  const std::vector<std::size_t> unknowns = unknowns_of(system);
  const Eigen::MatrixXd A = dense(system, unknowns);
  ASSERT_LT((A - A.transpose()).cwiseAbs().maxCoeff(), 1e-12);
  // Pieces that are tied to nothing have no one solution: only A x can be compared.
  const Array<double> values = random_values(system, 7);
  Eigen::VectorXd exact(A.rows());
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    exact[i] = values[unknowns[static_cast<std::size_t>(i)]];
  const Eigen::VectorXd rhs = A * exact;
  Array<double> b(values.size(), 0);
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    b[unknowns[static_cast<std::size_t>(i)]] = rhs[i];
  ConjugateGradients<D> solver;
  for (int kind = 0; kind < 3; ++kind) {
    const auto preconditioner = make(kind, system);
    Array<double> x(b.size()), rest = b;
    const SolveReport report = solver.solve(system, *preconditioner, rest, 1e-10, 5000, x);
    EXPECT_TRUE(report.converged) << kind << ": " << report.residual;
    Eigen::VectorXd found(A.rows());
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      found[i] = x[unknowns[static_cast<std::size_t>(i)]];
    EXPECT_LT((A * found - rhs).norm(), 2e-10 * rhs.norm()) << kind;
  }
}

TEST(PoissonSystem, is_solved_as_its_dense_matrix) {
  expect_dense_solution(random_system<2>(6, {}, 1));
  expect_dense_solution(random_system<3>(3, {}, 2));
  expect_dense_solution(random_system<2>(12, {0.3, 0.02, 0}, 3));  // Falls apart into pieces.
}

// Conjugate gradients are wrong with one that is not.
template <int D>
void expect_symmetric(const PoissonSystem<D>& system) {
  for (int kind = 0; kind < 3; ++kind) {
    const auto preconditioner = make(kind, system);
    std::vector<Array<float>> r, z;
    for (unsigned n = 0; n < 4; ++n) {
      const Array<double> values = random_values(system, n);
      r.emplace_back(values.begin(), values.end());
      z.emplace_back(r.back().size(), 0.0F);
      preconditioner->apply(r.back(), z.back());
    }
    const auto dot = [](const Array<float>& a, const Array<float>& b) {
      double sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
      return sum;
    };
    for (std::size_t i = 0; i < r.size(); ++i) {
      EXPECT_GT(dot(r[i], z[i]), 0) << kind;
      for (std::size_t j = 0; j < i; ++j) {
        const double scale = std::sqrt(dot(r[i], z[i]) * dot(r[j], z[j]));
        EXPECT_NEAR(dot(r[i], z[j]), dot(r[j], z[i]), 1e-5 * scale) << kind;
      }
    }
  }
}

TEST(Preconditioners, are_symmetric_and_positive) {
  expect_symmetric(random_system<2>(9, {}, 4));
  expect_symmetric(random_system<3>(20, {}, 5));
}

// A box half full with a ball in it, as issues measure.
PoissonSystem<3> half_full_box(std::int32_t n) {
  const auto is_ball = [n](const Cell<3>& c) {
    const double x = c[0] + 0.5 - 0.5 * n, y = c[1] + 0.5 - 0.5 * n, z = c[2] + 0.5 - 0.3 * n;
    return x * x + y * y + z * z < 0.04 * n * n;
  };
  const auto is_in_box = [n](const Cell<3>& c) {
    return c[0] >= 0 && c[0] < n && c[1] >= 0 && c[1] < n && c[2] >= 0;
  };
  std::vector<Cell<3>> tiles;
  for (std::int32_t z = 0; z < n / 16; ++z) {
    for (std::int32_t y = 0; y < n / 8; ++y) {
      for (std::int32_t x = 0; x < n / 8; ++x)
        tiles.push_back({x, y, z});
    }
  }
  const Tiles<3> lattice(tiles);
  return PoissonSystem<3>(lattice, 1, [&](std::size_t tile, Couplings<3>& couplings) {
    for (std::size_t cell = 0; cell < tile_size<3>; ++cell) {
      const Cell<3> at = lattice.cell(tile * tile_size<3> + cell);
      if (is_ball(at)) continue;
      for (std::size_t side = 0; side < 6; ++side) {
        Cell<3> other = at;
        other[side / 2] += side % 2 == 0 ? -1 : 1;
        if (!is_in_box(other) || is_ball(other)) continue;
        if (other[2] >= n / 2) {
          couplings.fixed[cell] = 2;
        } else {
          couplings.next[side][cell] = 1;
        }
      }
    }
    return TileKind::general;
  });
}

// The bound, from 32^3 to 256^3 (256: tests/bench/pressure_bench).
TEST(Multigrid, takes_as_many_iterations_for_any_number_of_cells) {
  for (const std::int32_t n : {32, 64, 128}) {
    const PoissonSystem<3> system = half_full_box(n);
    Multigrid<3> multigrid(system);
    ConjugateGradients<3> solver;
    Array<double> b = random_values(system, 3), x(b.size());
    const SolveReport report = solver.solve(system, multigrid, b, 1e-6, 100, x);
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.iterations, 12) << n;
  }
}

TEST(ConjugateGradients, have_the_same_bits_on_two_threads) {
  const PoissonSystem<3> system = half_full_box(64);
  const Array<double> b = random_values(system, 3);
  std::vector<Array<double>> results;
  for (const int threads : {1, 2}) {
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      Multigrid<3> multigrid(system);
      ConjugateGradients<3> solver;
      Array<double> x(b.size()), rest = b;
      solver.solve(system, multigrid, rest, 1e-6, 100, x);
      results.push_back(x);
    });
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(ConjugateGradients, say_so_where_they_do_not_get_there) {
  const PoissonSystem<2> system = random_system<2>(6, {}, 1);
  Jacobi<2> jacobi(system);
  ConjugateGradients<2> solver;
  Array<double> b = random_values(system, 1), x(b.size());
  const double norm = std::sqrt(
      std::accumulate(b.begin(), b.end(), 0.0, [](double sum, double v) { return sum + v * v; }));
  SolveReport report = solver.solve(system, jacobi, b, 1e-8, 2, x);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_GT(report.residual, 1e-8);
  double squared = 0;  // b has become the residual.
  for (const double rest : b)
    squared += rest * rest;
  EXPECT_NEAR(std::sqrt(squared) / norm, report.residual, 1e-12);
  b[unknowns_of(system).front()] = std::nan("");
  report = solver.solve(system, jacobi, b, 1e-8, 100, x);
  EXPECT_FALSE(report.converged);
  EXPECT_TRUE(std::isnan(report.residual));
  std::fill(b.begin(), b.end(), 0.0);
  report = solver.solve(system, jacobi, b, 1e-8, 100, x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
}

}  // namespace
}  // namespace sluice::fluid::grid::poisson_test
