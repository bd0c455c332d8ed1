// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>

#include "solver/fluid/octree/tree_multigrid.h"
#include "solver/fluid/octree/tree_poisson.h"

namespace sluice::fluid::octree {

/// Calls visit(level, place in arrays of the tree, cell) for all leaves.
template <int D, typename Visit>
void for_each_leaf(const Tree<D>& tree, const Visit& visit) {
  for (std::size_t k = 0; k < tree.level_count(); ++k) {
    const auto& level = tree.level(k);
    for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
      level.leaves(tile).for_each([&](std::size_t i) {
        const std::size_t index = tile * grid::tile_size<D> + i;
        visit(k, level.first + index, level.tiles.cell(index));
      });
    }
  }
}

/// All faces within the domain are open, and nothing is fixed.
template <int D>
TreeWeights<D> open_weights(const Tree<D>& tree) {
  TreeWeights<D> weights;
  weights.fixed.assign(tree.array_size(), 0);
  for (std::size_t axis = 0; axis < D; ++axis) {
    auto& open = weights.open[axis];
    open.assign(tree.array_size(), 0);
    for (std::size_t k = 0; k < tree.level_count(); ++k) {
      const auto& level = tree.level(k);
      for (std::size_t i = 0; i < level.tiles.count() * grid::tile_size<D>; ++i) {
        const Cell<D> cell = level.tiles.cell(i);
        bool is_within = cell[axis] > 0;
        for (std::size_t a = 0; a < D; ++a)
          is_within = is_within && cell[a] >= 0 && cell[a] << k < tree.size()[a];
        open[level.first + i] = is_within ? 1.0F : 0.0F;
      }
    }
  }
  return weights;
}

/// Faces are open in part, and one in four is closed; some leaves are tied to a value that is
/// given.
template <int D>
TreeWeights<D> random_weights(const Tree<D>& tree, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> part(0, 1);
  TreeWeights<D> weights = open_weights(tree);
  for (auto& open : weights.open) {
    for (float& of_face : open)
      of_face *= random() % 4 == 0 ? 0 : part(random);
  }
  for_each_leaf(tree, [&](std::size_t, std::size_t place, const Cell<D>&) {
    weights.fixed[place] = random() % 8 == 0 ? part(random) : 0;
  });
  return weights;
}

/// Errors of a solution: their mean over the domain and the largest, as those of published tables.
struct SolutionErrors {
  int iterations;
  double mean, largest;
};

template <int D>
using Function = std::function<double(const std::array<double, D>&)>;

/// -laplace u = f in a box that is 1 long along x, with closed ends: u up to a constant.
template <int D>
SolutionErrors solve_closed(const Tree<D>& tree, Gradient gradient, const Function<D>& u,
                            const Function<D>& f) {
  const double h = 1.0 / tree.size()[0];
  const auto volume = [](std::size_t k) { return std::pow(2.0, D * static_cast<double>(k)); };
  Array<double> b(tree.array_size()), x(tree.array_size()), exact(tree.array_size());
  double sum = 0, whole = 0;
  for_each_leaf(tree, [&](std::size_t k, std::size_t place, const Cell<D>& cell) {
    std::array<double, D> middle;
    for (std::size_t axis = 0; axis < D; ++axis)
      middle[axis] = (cell[axis] + 0.5) * std::pow(2.0, static_cast<double>(k)) * h;
    exact[place] = u(middle);
    b[place] = f(middle) * volume(k) * h * h;
    sum += b[place];
    whole += volume(k);
  });
  const TreeWeights<D> weights = open_weights(tree);
  const TreePoisson<D> system(tree, uneven_faces<D>(tree), weights, gradient);
  TreeMultigrid<D> multigrid(tree, uneven_faces<D>(tree), weights);
  for_each_leaf(tree, [&](std::size_t k, std::size_t place, const Cell<D>&) {
    b[place] -= sum * volume(k) / whole;  // Else there is no solution.
  });
  grid::ConjugateGradients<D, TreePoisson<D>> solver;
  const grid::SolveReport report = solver.solve(system, multigrid, b, 1e-8, 100, x);
  SolutionErrors errors{report.converged ? report.iterations : 1000, 0, 0};
  double shift = 0;
  for_each_leaf(tree, [&](std::size_t k, std::size_t place, const Cell<D>&) {
    shift += (x[place] - exact[place]) * volume(k) / whole;
  });
  for_each_leaf(tree, [&](std::size_t k, std::size_t place, const Cell<D>&) {
    const double error = std::abs(x[place] - exact[place] - shift);
    errors.mean += error * volume(k) / whole;
    errors.largest = std::max(errors.largest, error);
  });
  return errors;
}

}  // namespace sluice::fluid::octree
