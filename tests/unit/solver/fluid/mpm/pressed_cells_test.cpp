// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/pressed_cells.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::pressed_cells_test {
namespace {

TEST(PressedCells, are_the_neighbours_of_what_was_added) {
  const scene::Scene scene =
      test::tank({0.4, 0.4, 0.4}, 0.02, test::box({0, 0, 0}, {0.1, 0.1, 0.1}));
  const GridFrame frame(scene);
  PressedCells pressed;
  const std::array<Int4, 4> added{Int4{0, 0, 0, 0}, Int4{7, 8, 9, 0}, Int4{7, 8, 9, 0},
                                  Int4{8, 8, 9, 0}};
  for (int round = 0; round < 2; ++round) {  // The second time after a clear().
    for (const Int4& node : added)
      pressed.add_around(frame, node);
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 16; ++j) {
        for (int k = 0; k < 16; ++k) {
          bool is_near = false;
          for (const Int4& node : added) {
            is_near |= std::abs(node[0] - i) <= 1 && std::abs(node[1] - j) <= 1 &&
                       std::abs(node[2] - k) <= 1;
          }
          const std::uint64_t cells = pressed.in_block(frame.block_key(Int4{i, j, k, 0}));
          EXPECT_EQ((cells >> ((i % 4 * 4 + j % 4) * 4 + k % 4) & 1) != 0, is_near)
              << i << ' ' << j << ' ' << k;
        }
      }
    }
    pressed.clear();
    EXPECT_EQ(pressed.in_block(frame.block_key(added[1])), 0U);
  }
}

}  // namespace
}  // namespace sluice::fluid::pressed_cells_test
