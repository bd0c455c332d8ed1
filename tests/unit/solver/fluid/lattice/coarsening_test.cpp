// SPDX-License-Identifier: Apache-2.0
// Values of a tile from those of cells twice as large. Oracle: polynomials, which are kept.
#include "solver/fluid/lattice/coarsening.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace sluice::fluid::grid {
namespace {

template <int D>
double polynomial(const std::array<double, D>& x, int degree) {
  double value = 1;
  for (std::size_t a = 0; a < D; ++a) {
    double power = 1, sum = 0.5;
    for (int n = 1; n <= degree; ++n) {
      power *= x[a] / 8 - 0.3;
      sum += (n + static_cast<double>(a)) * power;
    }
    value *= sum;
  }
  return value;
}

// In edges of fine cells, from the fine tile's first corner on: where a value of a coarse or fine
// cell is, on faces across `own` or in the middle.
template <int D>
std::array<double, D> place(const Cell<D>& cell, std::size_t own, double edge) {
  std::array<double, D> x;
  for (std::size_t a = 0; a < D; ++a)
    x[a] = edge * (cell[a] + (a == own ? 0.0 : 0.5));
  return x;
}

template <int D, std::size_t margin, typename Interpolate>
void expect_kept(int degree, const Interpolate& interpolate) {
  constexpr auto edge = static_cast<std::int32_t>(padded_edge<D, margin>);
  for (std::size_t own = 0; own <= D; ++own) {
    for (std::size_t child = 0; child < std::size_t{1} << D; ++child) {
      const Cell<D> first = place_of_child<D>(child);
      std::vector<float> coarse(padded_size<D, margin>);
      for (std::size_t i = 0; i < coarse.size(); ++i) {
        Cell<D> cell;
        std::size_t rest = i;
        for (std::size_t a = 0; a < D; ++a) {
          cell[a] =
              static_cast<std::int32_t>(rest) % edge - static_cast<std::int32_t>(margin) - first[a];
          rest /= static_cast<std::size_t>(edge);
        }
        coarse[i] = static_cast<float>(polynomial<D>(place<D>(cell, own, 2), degree));
      }
      std::array<float, tile_size<D>> fine;
      interpolate(coarse.data(), first, own, fine);
      for (std::size_t i = 0; i < fine.size(); ++i) {
        const double expected = polynomial<D>(place<D>(local_cell<D>(i), own, 1), degree);
        ASSERT_NEAR(fine[i], expected, 2e-4) << "axis " << own << ", child " << child;
      }
    }
  }
}

template <int D>
void expect_both_kept() {
  expect_kept<D, 1>(1, [](const float* coarse, const Cell<D>& first, std::size_t own, auto& fine) {
    interpolate<D>(coarse, first, own, fine);
  });
  expect_kept<D, 2>(3, [](const float* coarse, const Cell<D>& first, std::size_t own, auto& fine) {
    interpolate_cubic<D>(coarse, first, own, fine);
  });
}

TEST(Coarsening, interpolates_linear_values_exactly_and_cubic_ones_by_cubics) {
  expect_both_kept<2>();
  expect_both_kept<3>();
}

}  // namespace
}  // namespace sluice::fluid::grid
