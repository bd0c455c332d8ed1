// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/tree_multigrid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/octree/random_tree.h"
#include "tests/unit/solver/fluid/octree/tree_systems.h"

namespace sluice::fluid::octree {
namespace {

// A random right hand side that the system can have: its sum is 0.
template <int D>
Array<double> random_source(const Tree<D>& tree, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  Array<double> out(tree.array_size());
  double sum = 0;
  for_each_leaf(tree, [&](std::size_t, std::size_t place, const Cell<D>&) {
    out[place] = value(random);
    sum += out[place];
  });
  for_each_leaf(tree, [&](std::size_t, std::size_t place, const Cell<D>&) {
    out[place] -= sum / static_cast<double>(tree.leaf_count());
  });
  return out;
}

template <int D>
grid::SolveReport solve(const Tree<D>& tree, const TreeWeights<D>& weights, Gradient gradient,
                        Array<double> b, Array<double>& x) {
  const TreePoisson<D> system(tree, uneven_faces<D>(tree), weights, gradient);
  TreeMultigrid<D> multigrid(tree, uneven_faces<D>(tree), weights);
  grid::ConjugateGradients<D, TreePoisson<D>> solver;
  x.resize(b.size());
  return solver.solve(system, multigrid, b, 1e-6, 100, x);
}

TEST(TreeMultigrid, is_symmetric_and_positive) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Tree<2> tree = random_tree<2>({43, 64}, 6, 8, seed);
    TreeMultigrid<2> multigrid(tree, uneven_faces<2>(tree),
                               seed % 2 == 0 ? open_weights(tree) : random_weights(tree, seed));
    std::array<Array<float>, 2> r, z;
    for (std::size_t i = 0; i < 2; ++i) {
      const Array<double> source = random_source(tree, 2 * seed + static_cast<unsigned>(i));
      r[i].assign(source.begin(), source.end());
      z[i].resize(r[i].size());
      multigrid.apply(r[i], z[i]);
    }
    double r0z1 = 0, r1z0 = 0, r0z0 = 0;
    for (std::size_t i = 0; i < r[0].size(); ++i) {
      r0z1 += static_cast<double>(r[0][i]) * static_cast<double>(z[1][i]);
      r1z0 += static_cast<double>(r[1][i]) * static_cast<double>(z[0][i]);
      r0z0 += static_cast<double>(r[0][i]) * static_cast<double>(z[0][i]);
    }
    ASSERT_GT(r0z0, 0);
    ASSERT_NEAR(r0z1, r1z0, 1e-5 * r0z0) << seed;
  }
}

TEST(TreeMultigrid, takes_as_many_iterations_for_any_depth_and_any_jumps) {
  for (const Gradient gradient : {Gradient::own, Gradient::shared}) {
    for (std::size_t levels = 5; levels <= 10; ++levels) {
      for (unsigned seed = 0; seed < 5; ++seed) {
        const std::int32_t size = 2 << levels;
        Array<double> x;
        const Tree<3> tree = random_tree<3>({size, size, size}, levels, 20, seed);
        const grid::SolveReport report =
            solve(tree, open_weights(tree), gradient, random_source(tree, seed), x);
        EXPECT_TRUE(report.converged);
        EXPECT_LE(report.iterations, 15) << levels << ' ' << seed;
      }
    }
  }
}

// Faces open in part, some closed, and fixed values: what obstacles and a surface make of a system.
TEST(TreeMultigrid, solves_what_is_open_in_part) {
  for (const Gradient gradient : {Gradient::own, Gradient::shared}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      const Tree<3> tree = random_tree<3>({64, 64, 64}, 6, 20, seed);
      TreeWeights<3> weights = random_weights(tree, seed);
      for_each_leaf(tree, [&](std::size_t, std::size_t place, const Cell<3>&) {
        weights.fixed[place] += 1e-3F;  // No piece is on its own.
      });
      Array<double> x;
      const grid::SolveReport report = solve(tree, weights, gradient, random_source(tree, seed), x);
      EXPECT_TRUE(report.converged) << seed;
      // The cycle knows own gradients alone: random parts of faces are hard on it with shared ones.
      EXPECT_LE(report.iterations, gradient == Gradient::own ? 15 : 50) << seed;
    }
  }
}

TEST(TreeMultigrid, has_the_same_bits_on_two_threads) {
  const Tree<3> tree = refined(random_tree<3>({64, 64, 64}, 6, 10, 1), 2);
  std::vector<Array<double>> results;
  for (const int threads : {1, 2}) {
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      Array<double> x;
      EXPECT_TRUE(
          solve(tree, open_weights(tree), Gradient::shared, random_source(tree, 1), x).converged);
      results.push_back(x);
    });
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace sluice::fluid::octree
