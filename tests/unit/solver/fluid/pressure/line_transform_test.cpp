// SPDX-License-Identifier: Apache-2.0
// Oracles: the matrix of second differences, and sums over its eigenvectors as they stand.
#include "solver/fluid/pressure/line_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace sluice::fluid::grid::line_transform_test {
namespace {

constexpr LineEnds all_ends[] = {{false, {false, false}},
                                 {false, {true, true}},
                                 {false, {false, true}},
                                 {false, {true, false}},
                                 {true, {}}};

// The value at cell j of the eigenvector of a mode.
double eigenvector(std::size_t count, const LineEnds& ends, std::size_t mode, std::size_t j) {
  const auto n = static_cast<double>(count), k = static_cast<double>(mode);
  const double pi = std::numbers::pi, x = static_cast<double>(j) + 0.5;
  if (ends.is_periodic) {
    const double angle = 2 * pi * static_cast<double>(j) / n;
    return 2 * mode <= count ? std::cos(k * angle) : std::sin((n - k) * angle);
  }
  const double shift = ends.is_open[0] != ends.is_open[1] ? 0.5 : 0;
  if (ends.is_open[0]) return std::sin(pi / n * (n - k - shift) * x);
  return std::cos(pi / n * (k + shift) * x);
}

double lane(const Sixteen& place, int line) {
  return static_cast<double>(line < 8 ? place.low[line] : place.high[line - 8]);
}

TEST(LineTransform, has_eigenvectors_of_second_differences) {
  for (const LineEnds& ends : all_ends) {
    for (const std::size_t n : {1U, 2U, 3U, 4U, 7U, 12U}) {
      const LineTransform transform(n, ends);
      for (std::size_t mode = 0; mode < n; ++mode) {
        const auto value = [&](std::size_t j) { return eigenvector(n, ends, mode, j); };
        for (std::size_t j = 0; j < n; ++j) {
          const auto beyond = [&](int side) {
            if (ends.is_periodic) return value(side == 0 ? n - 1 : 0);
            return ends.is_open[static_cast<std::size_t>(side)] ? -value(j) : value(j);
          };
          const double before = j == 0 ? beyond(0) : value(j - 1);
          const double after = j == n - 1 ? beyond(1) : value(j + 1);
          EXPECT_NEAR(2 * value(j) - before - after, transform.eigenvalue(mode) * value(j), 1e-13)
              << n << " " << mode;
        }
      }
    }
  }
}

// All radices by themselves and together, primes, and squares of primes.
TEST(LineTransform, is_a_sum_over_eigenvectors_there_and_back) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  for (const std::size_t n : {1U,  2U,  3U,  4U,  5U,  6U,  7U,  8U,  9U,   10U,  11U,  16U, 20U,
                              21U, 25U, 27U, 32U, 36U, 49U, 60U, 97U, 128U, 143U, 180U, 210U}) {
    for (const LineEnds& ends : all_ends) {
      const LineTransform transform(n, ends);
      std::vector<Sixteen> one(n), two(n);
      for (Sixteen& place : one) {
        for (int i = 0; i < 8; ++i) {
          place.low[i] = value(random);
          place.high[i] = value(random);
        }
      }
      const std::vector<Sixteen> cells = one;
      Sixteen* const modes = transform.forward(one.data(), two.data());
      // Sums of n numbers of about 1 / sqrt(3), with errors that hardly grow.
      const double most = 1e-6 * std::sqrt(static_cast<double>(n));
      for (std::size_t mode = 0; mode < n; ++mode) {
        std::vector<double> vector(n);
        for (std::size_t j = 0; j < n; ++j)
          vector[j] = eigenvector(n, ends, mode, j);
        for (int line = 0; line < 16; ++line) {
          double sum = 0;
          for (std::size_t j = 0; j < n; ++j)
            sum += vector[j] * lane(cells[j], line);
          ASSERT_NEAR(lane(modes[mode], line), sum, most) << n << " " << mode << " " << line;
        }
      }
      Sixteen* const other = modes == one.data() ? two.data() : one.data();
      const Sixteen* const back = transform.inverse(modes, other);
      for (std::size_t j = 0; j < n; ++j) {
        for (int line = 0; line < 16; ++line)
          ASSERT_NEAR(lane(back[j], line), lane(cells[j], line), 1e-6) << n << " " << j;
      }
    }
  }
}

TEST(LineTransform, knows_the_largest_factor_of_a_count) {
  EXPECT_EQ(largest_factor(1), 1U);
  EXPECT_EQ(largest_factor(2), 2U);
  EXPECT_EQ(largest_factor(512), 2U);
  EXPECT_EQ(largest_factor(1000), 5U);
  EXPECT_EQ(largest_factor(509), 509U);
  EXPECT_EQ(largest_factor(2 * 509), 509U);
  EXPECT_EQ(largest_factor(49), 7U);
}

}  // namespace
}  // namespace sluice::fluid::grid::line_transform_test
