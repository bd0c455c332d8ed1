// SPDX-License-Identifier: Apache-2.0
// Oracle: the system itself, in double.
#include "solver/fluid/pressure/fast_poisson.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/fluid/pressure/null_space.h"
#include "solver/parallel/thread_limit.h"

namespace sluice::fluid::grid::fast_poisson_test {
namespace {

constexpr LineEnds walls{false, {false, false}}, open{false, {true, true}},
    upper_open{false, {false, true}}, lower_open{false, {true, false}}, periodic{true, {}};

template <int D>
using Ends = std::array<LineEnds, D>;

// A box from cell 0 on, with tiles around it; `change` may change a cell's weights.
template <int D, typename Change>
PoissonSystem<D> box_with(const Cell<D>& count, const Ends<D>& ends, float weight,
                          const Change& change) {
  Cell<D> begin{}, end{}, period{};
  for (std::size_t axis = 0; axis < D; ++axis) {
    begin[axis] = ends[axis].is_periodic ? 0 : -1;
    end[axis] = count[axis] / tile_edge<D> + (ends[axis].is_periodic ? 0 : 2);
    if (ends[axis].is_periodic) period[axis] = end[axis];
  }
  std::vector<Cell<D>> coordinates;
  for_each_in_box<D>(begin, end, [&](const Cell<D>& tile) { coordinates.push_back(tile); });
  const Tiles<D> tiles(coordinates, period);
  return PoissonSystem<D>(tiles, weight, [&](std::size_t tile, Couplings<D>& couplings) {
    bool is_uniform = true, is_empty = true;
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const Cell<D> at = tiles.cell(tile * tile_size<D> + cell);
      bool is_inside = true;
      for (std::size_t axis = 0; axis < D; ++axis)
        is_inside = is_inside && at[axis] >= 0 && at[axis] < count[axis];
      is_uniform = is_uniform && is_inside;
      if (!is_inside) continue;
      is_empty = false;
      for (std::size_t side = 0; side < side_count<D>; ++side) {
        const LineEnds& of_axis = ends[side / 2];
        const bool is_end =
            !of_axis.is_periodic && at[side / 2] == (side % 2 == 0 ? 0 : count[side / 2] - 1);
        is_uniform = is_uniform && !is_end;
        if (!is_end) couplings.next[side][cell] = weight;
        if (is_end && of_axis.is_open[side % 2]) couplings.fixed[cell] += 2 * weight;
      }
      if (change(at, cell, couplings)) is_uniform = false;
    }
    if (is_uniform) couplings = {};
    return is_empty ? TileKind::empty : is_uniform ? TileKind::uniform : TileKind::general;
  });
}

template <int D>
PoissonSystem<D> make_box(const Cell<D>& count, const Ends<D>& ends, float weight = 1) {
  return box_with<D>(count, ends, weight,
                     [](const Cell<D>&, std::size_t, Couplings<D>&) { return false; });
}

template <int D>
Array<double> random_values(const PoissonSystem<D>& system, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  Array<double> values(system.tiles().array_size(), 0);
  for (std::size_t i = 0; i < system.tiles().count() * tile_size<D>; ++i) {
    if (system.is_unknown(i / tile_size<D>, i % tile_size<D>)) values[i] = value(random);
  }
  return values;
}

double dot(const Array<float>& a, const Array<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

bool are_closed(std::span<const LineEnds> ends) {
  return std::ranges::none_of(
      ends, [](const LineEnds& of_axis) { return of_axis.is_open[0] || of_axis.is_open[1]; });
}

// M^-1 A x is x, but for its mean where A does not see that.
template <int D>
void expect_inverse(const Cell<D>& count, const Ends<D>& ends, float weight) {
  const PoissonSystem<D> system = make_box<D>(count, ends, weight);
  const auto box = find_uniform_box(system);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->first, Cell<D>{});
  EXPECT_EQ(box->count, count);
  FastPoisson<D> fast(system, *box);
  std::vector<Array<float>> r, z;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const Array<double> exact = random_values(system, seed);
    const Array<float> x(exact.begin(), exact.end());
    Array<double> image(x.size(), 0);
    system.apply(x, image);
    r.emplace_back(image.begin(), image.end());
    z.emplace_back(x.size(), 0.0F);
    fast.apply(r.back(), z.back());
    double mean = 0, cells = 0, squared = 0, energy = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      mean += static_cast<double>(z.back()[i] - x[i]);
    for (const std::int32_t along : count)
      cells = cells == 0 ? along : cells * along;
    mean = are_closed(ends) ? mean / cells : 0;
    for (std::size_t i = 0; i < system.tiles().count() * tile_size<D>; ++i) {
      if (!system.is_unknown(i / tile_size<D>, i % tile_size<D>)) {
        EXPECT_EQ(z.back()[i], 0);
        continue;
      }
      const double off = static_cast<double>(z.back()[i] - x[i]) - mean;
      squared += off * off;
      energy += static_cast<double>(x[i] * x[i]);
    }
    // Errors of r's rounding, 3e-8, times at most the condition, 4 (n / pi)^2 by axis; and as much
    // of the transforms', which depends on how they are compiled.
    EXPECT_LT(std::sqrt(squared), 4e-5 * std::sqrt(energy));
    if (are_closed(ends)) {
      double sum = 0;
      for (const float value : z.back())
        sum += static_cast<double>(value);
      EXPECT_LT(std::abs(sum), 1e-5 * cells);  // It is the solution without a mean.
    }
  }
  for (std::size_t i = 0; i < r.size(); ++i) {
    EXPECT_GT(dot(r[i], z[i]), 0);
    for (std::size_t j = 0; j < i; ++j) {
      const double scale = std::sqrt(dot(r[i], z[i]) * dot(r[j], z[j]));
      EXPECT_NEAR(dot(r[i], z[j]), dot(r[j], z[i]), 2e-6 * scale);
    }
  }
}

TEST(FastPoisson, is_the_inverse_of_all_boxes_in_two_dimensions) {
  const LineEnds all[] = {walls, open, upper_open, lower_open, periodic};
  for (const LineEnds& along_x : all) {
    for (const LineEnds& along_z : all) {
      expect_inverse<2>({along_x.is_periodic ? 64 : 37, along_z.is_periodic ? 96 : 52},
                        {along_x, along_z}, 1);
      expect_inverse<2>({along_x.is_periodic ? 32 : 48, along_z.is_periodic ? 32 : 45},
                        {along_x, along_z}, 0.3F);
    }
  }
}

TEST(FastPoisson, is_the_inverse_of_all_boxes_in_three_dimensions) {
  const LineEnds all[] = {walls, open, upper_open, lower_open, periodic};
  for (const LineEnds& along_x : all) {
    for (const LineEnds& along_y : all) {
      for (const LineEnds& along_z : all) {
        expect_inverse<3>({along_x.is_periodic ? 32 : 19, along_y.is_periodic ? 16 : 21,
                           along_z.is_periodic ? 16 : 13},
                          {along_x, along_y, along_z}, 1);
      }
    }
  }
}

TEST(FastPoisson, is_the_inverse_of_boxes_of_a_cell_or_two) {
  expect_inverse<2>({1, 5}, {walls, upper_open}, 1);
  expect_inverse<2>({2, 1}, {lower_open, open}, 1);
  expect_inverse<3>({1, 3, 2}, {lower_open, open, upper_open}, 1);
  expect_inverse<3>({40, 1, 1}, {walls, walls, walls}, 1);
}

// A wave as long as the box: in floats x is 2e4 times as large as A x, and its rounding 2e-3 of it.
TEST(FastPoisson, takes_two_or_three_iterations) {
  for (const std::int32_t n : {128, 512}) {
    const PoissonSystem<2> system = make_box<2>({n, n}, {walls, walls});
    FastPoisson<2> fast(system, find_uniform_box(system).value());
    const NullSpace<2> null_space(system);
    ConjugateGradients<2> solver;
    for (const bool is_smooth : {false, true}) {
      Array<double> b = random_values(system, 1), x(b.size());
      for (std::size_t i = 0; is_smooth && i < system.tiles().count() * tile_size<2>; ++i) {
        if (b[i] != 0) b[i] = std::cos(3.14159265 / n * (system.tiles().cell(i)[0] + 0.5));
      }
      null_space.remove(b);
      const SolveReport report = solver.solve(system, fast, b, 1e-6, 100, x);
      EXPECT_TRUE(report.converged);
      EXPECT_LE(report.iterations, is_smooth ? 3 : 2) << n;
    }
  }
}

TEST(FastPoisson, has_the_same_bits_on_two_threads) {
  const PoissonSystem<3> system = make_box<3>({40, 30, 50}, {walls, upper_open, walls});
  const Array<double> values = random_values(system, 2);
  const Array<float> r(values.begin(), values.end());
  std::vector<Array<float>> results;
  for (const int threads : {1, 2}) {
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      FastPoisson<3> fast(system, find_uniform_box(system).value());
      results.emplace_back(r.size(), 0.0F);
      fast.apply(r, results.back());
    });
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(UniformBox, knows_which_sides_are_open) {
  const Ends<3> ends{open, upper_open, lower_open};
  const auto box = find_uniform_box(make_box<3>({9, 20, 11}, ends));
  ASSERT_TRUE(box);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_EQ(box->ends[axis].is_open, ends[axis].is_open);
}

TEST(UniformBox, is_nothing_else) {
  const Cell<2> count{40, 50};
  const Ends<2> ends{walls, upper_open};
  ASSERT_TRUE(find_uniform_box(make_box<2>(count, ends)));
  const auto is_box_with = [&](const auto& change) {
    return find_uniform_box(box_with<2>(count, ends, 1, change)).has_value();
  };
  // A cell in a solid, inside and in a corner.
  for (const Cell<2>& solid : {Cell<2>{20, 20}, Cell<2>{39, 49}}) {
    EXPECT_FALSE(is_box_with([&](const Cell<2>& at, std::size_t cell, Couplings<2>& couplings) {
      bool is_next = false;
      for (std::size_t side = 0; side < 4; ++side) {
        Cell<2> other = at;
        other[side / 2] += side % 2 == 0 ? -1 : 1;
        if (other != solid && at != solid) continue;
        couplings.next[side][cell] = 0;
        is_next = true;
      }
      if (at == solid) couplings.fixed[cell] = 0;
      return is_next;
    }));
  }
  // Half of an open side closed; and a cell that is tied to 0.
  EXPECT_FALSE(is_box_with([&](const Cell<2>& at, std::size_t cell, Couplings<2>& couplings) {
    if (at[0] < 20) couplings.fixed[cell] = 0;
    return at[1] == 49;
  }));
  EXPECT_FALSE(is_box_with([&](const Cell<2>& at, std::size_t cell, Couplings<2>& couplings) {
    if (at == Cell<2>{20, 20}) couplings.fixed[cell] = 1;
    return at == Cell<2>{20, 20};
  }));
  EXPECT_FALSE(find_uniform_box(PoissonSystem<2>()));
}

}  // namespace
}  // namespace sluice::fluid::grid::fast_poisson_test
