// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/lattice/tiles.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace sluice::fluid::grid {
namespace {

// Tiles at random places of a box around the origin, each once.
template <int D>
std::vector<Cell<D>> random_tiles(std::size_t count, std::int32_t reach, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> place(-reach, reach);
  std::set<Cell<D>> tiles;
  while (tiles.size() < count) {
    Cell<D> tile;
    for (std::int32_t& c : tile)
      c = place(random);
    tiles.insert(tile);
  }
  return {tiles.begin(), tiles.end()};
}

template <int D>
void expect_all_found(const std::vector<Cell<D>>& coordinates) {
  const Tiles<D> tiles(coordinates);
  ASSERT_EQ(tiles.count(), coordinates.size());
  std::map<Cell<D>, std::size_t> places;
  for (std::size_t tile = 0; tile < tiles.count(); ++tile)
    places[tiles.coordinates(tile)] = tile;
  ASSERT_EQ(places.size(), coordinates.size());
  for (const Cell<D>& tile : coordinates) {
    ASSERT_EQ(tiles.find(tile), places.at(tile));
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      Cell<D> next = tile;
      next[side / 2] += side % 2 == 0 ? -1 : 1;
      const auto found = places.find(next);
      const std::size_t expected = found == places.end() ? tiles.count() : found->second;
      EXPECT_EQ(tiles.find(next), expected);
      EXPECT_EQ(tiles.neighbours(places.at(tile))[side], expected);
    }
  }
}

TEST(Tiles, finds_each_and_what_is_next_to_it) {
  expect_all_found<2>(random_tiles<2>(100, 8, 1));
  expect_all_found<3>(random_tiles<3>(300, 5, 2));
}

// Two drops a billion cells apart must not cost the memory of all that is between them.
TEST(Tiles, are_found_where_they_are_far_apart) {
  expect_all_found<3>(random_tiles<3>(200, 100'000'000, 3));
  expect_all_found<2>({{-60'000'000, 3}, {60'000'000, 3}, {60'000'001, 3}});
}

TEST(Tiles, have_the_cells_that_are_in_them) {
  const Tiles<3> tiles({{-1, 0, 2}, {0, 0, 2}});
  const std::size_t left = tiles.find({-1, 0, 2});
  EXPECT_EQ(tiles.first_cell(left), (Cell<3>{-8, 0, 16}));
  EXPECT_EQ(tiles.find_cell({-1, 2, 17}), left * tile_size<3> + 7 + 8 * 2 + 64 * 1);
  EXPECT_GE(tiles.find_cell({8, 2, 17}), tiles.count() * tile_size<3>);
  EXPECT_LT(tiles.find_cell({8, 2, 17}), tiles.array_size());
}

TEST(Tiles, may_be_none) {
  const Tiles<3> none;
  EXPECT_EQ(none.count(), 0U);
  EXPECT_EQ(none.find({0, 0, 0}), 0U);
  EXPECT_EQ(none.array_size(), tile_size<3>);
}

TEST(Tiles, with_a_period_have_no_end) {
  std::vector<Cell<2>> coordinates;
  for (std::int32_t x = 0; x < 4; ++x) {
    for (std::int32_t y = -1; y < 2; ++y)
      coordinates.push_back({x, y});
  }
  const Tiles<2> tiles(coordinates, {4, 0});
  for (std::int32_t x = -9; x < 9; ++x) {
    EXPECT_EQ(tiles.find({x, 1}), tiles.find({(x + 12) % 4, 1})) << x;
    EXPECT_EQ(tiles.find({x, 2}), tiles.count());
  }
  EXPECT_EQ(tiles.neighbours(tiles.find({0, 0}))[0], tiles.find({3, 0}));
  EXPECT_EQ(tiles.neighbours(tiles.find({3, 0}))[1], tiles.find({0, 0}));
  EXPECT_EQ(tiles.find_cell({-1, 5}), tiles.find_cell({4 * tile_edge<2> - 1, 5}));
  EXPECT_FALSE(tiles == Tiles<2>(coordinates));
}

}  // namespace
}  // namespace sluice::fluid::grid
