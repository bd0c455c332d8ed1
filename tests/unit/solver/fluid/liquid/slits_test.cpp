// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/slits.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice::fluid::grid::slits_test {
namespace {

constexpr float full = 8;  // [kg] on a face between cells full of liquid

// Shuts and opens x-faces that are `open` and `filled` by these parts. All have 10 m/s at first; a
// face that is shut gets 1 m/s.
struct Passed {
  std::vector<float> velocity;
  std::vector<bool> was_shut;
};
Passed pass(const std::vector<float>& open, const std::vector<float>& filled,
            const std::vector<float>& lightness = {}) {
  MacGrid<3> grid;
  const std::vector<Cell<3>> places{{0, 0, 0}};
  grid.tiles = Tiles<3>(places);
  const std::size_t size = grid.tiles.array_size();
  Slits<3>::Faces<float> weights;
  Slits<3>::Faces<std::uint8_t> known;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.velocity[axis].assign(size, 10);
    grid.open[axis].assign(size, 1);
    weights[axis].assign(size, full);
    known[axis].assign(size, 1);
    if (!lightness.empty()) grid.lightness[axis].assign(size, 1);
  }
  grid.is_clear.assign(grid.tiles.count() + 1, 0);
  for (std::size_t face = 0; face < open.size(); ++face) {
    grid.open[0][face] = open[face];
    weights[0][face] = filled[face] * full;
    if (!lightness.empty()) {
      grid.lightness[0][face] = lightness[face];
      weights[0][face] /= lightness[face];
    }
  }
  Slits<3> slits;
  slits.shut(weights, full, grid, known);
  Passed passed;
  for (std::size_t face = 0; face < open.size(); ++face) {
    passed.was_shut.push_back(grid.open[0][face] == 0 && known[0][face] == 0);
    if (passed.was_shut.back()) grid.velocity[0][face] = 1;
  }
  slits.open(grid);
  for (std::size_t face = 0; face < open.size(); ++face) {
    EXPECT_EQ(grid.open[0][face], open[face]);
    passed.velocity.push_back(grid.velocity[0][face]);
  }
  return passed;
}

// In the midst of liquid, particles get eight times as large a part of a face's velocity as is open
// of the face: here 0.08 and 0.8.
TEST(Slits, give_particles_what_weighs_as_much_as_they_do) {
  const Passed passed = pass({0.01F, 0.1F}, {1, 1});
  EXPECT_TRUE(passed.was_shut[0]);
  EXPECT_FLOAT_EQ(passed.velocity[0], 1 + 0.08F * 9);
  EXPECT_FLOAT_EQ(passed.velocity[1], 1 + 0.8F * 9);
}

// A face that is open, or next to a wall but filled no more than it is open, stays as it is; and
// liquid that is too dense does not make a slit of a face that is half open.
TEST(Slits, are_no_faces_that_are_as_open_as_filled) {
  const Passed passed = pass({1, 0.1F, 0.001F, 0.5F}, {1, 0.18F, 0, 3});
  for (std::size_t face = 0; face < 4; ++face) {
    EXPECT_FALSE(passed.was_shut[face]) << face;
    EXPECT_EQ(passed.velocity[face], 10) << face;
  }
}

// By volume: a slit in a liquid a thousand times as dense is no narrower.
TEST(Slits, do_not_ask_how_dense_the_liquid_is) {
  const Passed passed = pass({0.01F, 0.3F}, {1, 0.3F}, {0.001F, 0.001F});
  EXPECT_NEAR(passed.velocity[0], 1 + 0.08F * 9, 1e-5);
  EXPECT_EQ(passed.velocity[1], 10);
}

// A face that closes: no step at the end.
TEST(Slits, become_closed_faces) {
  const Passed passed = pass({1e-5F}, {1});
  EXPECT_NEAR(passed.velocity[0], 1, 1e-3);
}

}  // namespace
}  // namespace sluice::fluid::grid::slits_test
