// SPDX-License-Identifier: Apache-2.0
#include "proto/wire/codec/hilbert_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>

namespace sluice::codec {
namespace {

bool is_permutation_of_rows(std::vector<std::int32_t> order, std::size_t rows) {
  std::ranges::sort(order);
  std::vector<std::int32_t> all(rows);
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

// Oracle: on a grid of 2^k points an axis the curve goes from each point to one of its neighbours.
TEST(HilbertOrder, goes_from_neighbour_to_neighbour) {
  for (const int size : {2, 4, 16}) {
    std::vector<float> positions;
    for (int i = 0; i < size * size * size; ++i) {
      for (const int axis : {i % size, i / size % size, i / size / size}) {
        positions.push_back(static_cast<float>(axis));
      }
    }
    const auto order = hilbert_order(positions);
    ASSERT_TRUE(is_permutation_of_rows(order, positions.size() / 3));
    for (std::size_t i = 1; i < order.size(); ++i) {
      float distance = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        distance += std::abs(positions[3 * static_cast<std::size_t>(order[i]) + axis] -
                             positions[3 * static_cast<std::size_t>(order[i - 1]) + axis]);
      }
      ASSERT_EQ(distance, 1.0F) << "at " << i << " of " << size;
    }
  }
}

TEST(HilbertOrder, is_a_permutation_of_anything) {
  std::mt19937 random(3);
  std::vector<float> positions(std::size_t{3} * 1000);
  std::ranges::generate(positions, [&] {
    return std::bit_cast<float>(static_cast<std::uint32_t>(random()));  // NaN and infinity too.
  });
  EXPECT_TRUE(is_permutation_of_rows(hilbert_order(positions), 1000));
  EXPECT_TRUE(hilbert_order({}).empty());
  EXPECT_EQ(hilbert_order(std::vector<float>{1, 2, 3}), std::vector<std::int32_t>{0});
  const std::vector<float> same(std::size_t{3} * 50, 2.5F);
  const auto order = hilbert_order(same);
  EXPECT_TRUE(std::ranges::is_sorted(order)) << "ties in rising order";
}

}  // namespace
}  // namespace sluice::codec
