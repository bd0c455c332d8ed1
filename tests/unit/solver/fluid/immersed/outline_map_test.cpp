// SPDX-License-Identifier: Apache-2.0
// Oracles: crossings, parity and distances by brute force; the divergence theorem in each cell.
#include "solver/fluid/immersed/outline_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "tests/unit/solver/fluid/immersed/outlines.h"

namespace sluice::fluid::grid::outline_map_test {
namespace {

using Point = std::array<double, 2>;

const CellFrame<2> frame{0.5F, Vec3f(-1, 0, 2)};

OutlineMap map_of(const Outline& outline) {
  OutlineMap map;
  map.set(frame, outline.positions, outline.rim);
  return map;
}

// By how often the outline turns around a place.
bool is_within(const Outline& outline, const Point& at) {
  double turns = 0;
  for (const auto& [a, b] : outline.rim) {
    const Point p = outline.in_cells(frame, a), q = outline.in_cells(frame, b);
    const double x = p[0] - at[0], y = p[1] - at[1], u = q[0] - at[0], v = q[1] - at[1];
    turns += std::atan2(x * v - y * u, x * u + y * v) / (2 * std::numbers::pi);
  }
  return std::lround(turns) != 0;
}

double distance_to(const Outline& outline, const Point& at) {
  double least = 1e9;
  for (const auto& [a, b] : outline.rim) {
    const Point p = outline.in_cells(frame, a), q = outline.in_cells(frame, b);
    const double x = q[0] - p[0], y = q[1] - p[1];
    const double part =
        std::clamp(((at[0] - p[0]) * x + (at[1] - p[1]) * y) / (x * x + y * y), 0.0, 1.0);
    least = std::min(least, std::hypot(at[0] - p[0] - part * x, at[1] - p[1] - part * y));
  }
  return least;
}

class BoundaryMaps : public testing::TestWithParam<unsigned> {
 protected:
  // Two that are not convex, side by side.
  Outline outline = two_stars(GetParam(), frame);
  OutlineMap map = map_of(outline);
};

TEST_P(BoundaryMaps, know_inside_from_outside) {
  std::mt19937 random(GetParam());
  std::uniform_real_distribution<double> along(map.first()[0] - 2, map.end()[0] + 2);
  int inside = 0;
  for (int n = 0; n < 3000; ++n) {
    const auto line = static_cast<std::int32_t>(std::lround(2 * along(random)));
    const double at = along(random);
    for (int axis = 0; axis < 2; ++axis) {
      Point place;
      place[static_cast<std::size_t>(axis)] = at;
      place[static_cast<std::size_t>(1 - axis)] = 0.5 * line;
      if (distance_to(outline, place) < 1e-6) continue;
      const bool expected = is_within(outline, place);
      inside += expected ? 1 : 0;
      ASSERT_EQ(map.is_inside(axis, line, at), expected) << axis << ' ' << line << ' ' << at;
    }
  }
  EXPECT_GT(inside, 300);
}

TEST_P(BoundaryMaps, see_the_next_crossing_and_what_is_nearest) {
  std::mt19937 random(GetParam() + 1);
  std::uniform_real_distribution<double> along(map.first()[0] - 1, map.end()[0] + 1);
  const std::vector<std::uint8_t> all(outline.rim.size(), 1);
  int near = 0;
  for (int n = 0; n < 1000; ++n) {
    const auto line = static_cast<std::int32_t>(std::lround(2 * along(random)));
    const double at = along(random);
    const OutlineMap::Sight sight = map.look(0, line, at, 1);
    if (std::isfinite(sight.way)) {
      EXPECT_GE(sight.way, 0);
      EXPECT_LT(distance_to(outline, {at + sight.way, 0.5 * line}), 1e-9);
      const bool is_in = map.is_inside(0, line, at);
      EXPECT_EQ(is_within(outline, {at + 0.5 * sight.way, 0.5 * line}), is_in);
    }
    const OutlineMap::Nearest nearest = map.nearest({at, 0.5 * line}, all);
    const double expected = distance_to(outline, {at, 0.5 * line});
    near += expected < 1 ? 1 : 0;
    if (expected < 1) {
      EXPECT_NEAR(nearest.distance, expected, 1e-9);
    } else {
      EXPECT_GE(nearest.distance, 1);
    }
  }
  EXPECT_GT(near, 100);
}

// The open parts of a cell's faces, and the pieces in it, go all around the gas that it has: their
// normals add up to nothing. So pressure that is everywhere the same does nothing.
TEST_P(BoundaryMaps, close_what_is_open_of_each_cell) {
  for (std::int32_t j = map.first()[1] - 1; j < map.end()[1] + 1; ++j) {
    for (std::int32_t i = map.first()[0] - 1; i < map.end()[0] + 1; ++i) {
      Point sum{map.covered(1, 2 * i, j, j + 1) - map.covered(1, 2 * (i + 1), j, j + 1),
                map.covered(0, 2 * j, i, i + 1) - map.covered(0, 2 * (j + 1), i, i + 1)};
      for (const OutlineMap::Piece& piece : map.pieces()) {
        if (piece.cell != Cell<2>{i, j}) continue;
        for (std::size_t axis = 0; axis < 2; ++axis)
          sum[axis] -= piece.normal[axis];
      }
      ASSERT_NEAR(sum[0], 0, 1e-9) << i << ' ' << j;
      ASSERT_NEAR(sum[1], 0, 1e-9) << i << ' ' << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stars, BoundaryMaps, testing::Range(0U, 12U));

// Edges along lines of the grid, and corners on its corners.
TEST(OutlineMap, takes_what_lies_on_lines) {
  const OutlineMap map = map_of(rectangle(frame, {3, 4}, {7, 6}));
  double area = 0;
  for (std::int32_t line = 0; line < 20; ++line)
    area += 0.5 * map.covered(0, line, 0, 10);
  EXPECT_NEAR(area, 8, 1e-5);
  EXPECT_TRUE(map.is_inside(0, 9, 3.5));
  EXPECT_FALSE(map.is_inside(0, 9, 2.5));
  EXPECT_FALSE(map.is_inside(0, 13, 3.5));
  const std::vector<std::uint8_t> all(4, 1);
  EXPECT_NEAR(map.nearest({7.6, 6.8}, all).distance, 1, 1e-5);
  EXPECT_NEAR(map.nearest({7.3, 6.4}, all).sharpness, 1, 1e-6) << "of a right angle";
  EXPECT_EQ(map.nearest({7.3, 5.4}, all).sharpness, 0) << "of a side";
}

TEST(OutlineMap, knows_corners_that_stick_out) {
  Outline outline;  // An L, whose corner inside is at (5, 5).
  outline.add(frame, {{3, 3}, {7, 3}, {7, 5}, {5, 5}, {5, 7}, {3, 7}});
  const OutlineMap map = map_of(outline);
  const std::vector<std::uint8_t> all(outline.rim.size(), 1);
  for (const Point& out : {Point{2.7, 2.8}, {7.2, 2.7}, {7.4, 5.2}, {5.1, 7.2}, {2.7, 7.3}})
    EXPECT_NEAR(map.nearest(out, all).sharpness, 1, 1e-6) << out[0] << ' ' << out[1];
  EXPECT_EQ(map.nearest({4.8, 4.7}, all).sharpness, 0) << "from within, that inside";
}

TEST(OutlineMap, is_empty_without_outlines) {
  const OutlineMap map = map_of({});
  EXPECT_FALSE(map.is_inside(0, 0, 0));
  EXPECT_TRUE(map.pieces().empty());
  EXPECT_EQ(map.covered(1, 3, -5, 5), 0);
  EXPECT_GT(map.nearest({0, 0}, {}).distance, 1e9);
}

}  // namespace
}  // namespace sluice::fluid::grid::outline_map_test
