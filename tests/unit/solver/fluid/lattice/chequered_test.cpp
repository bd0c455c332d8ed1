// SPDX-License-Identifier: Apache-2.0
// Tiles by colour, against looking cell by cell.
#include "solver/fluid/lattice/chequered.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace sluice::fluid::grid {
namespace {

Array<float> random_array(std::size_t size, std::size_t used, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  Array<float> values(size, 0);
  std::generate_n(values.begin(), used, [&] { return value(random); });
  return values;
}

// All but one of three tiles along each axis.
template <int D>
Tiles<D> some_tiles(std::int32_t first) {
  std::vector<Cell<D>> tiles;
  for (std::int32_t n = 1; n < (D == 3 ? 27 : 9); ++n) {
    Cell<D> tile;
    std::int32_t rest = n;
    for (std::int32_t& c : tile) {
      c = first + rest % 3;
      rest /= 3;
    }
    tiles.push_back(tile);
  }
  return Tiles<D>(tiles);
}

// Compares next() with `values`, of all tiles.
template <int D>
void expect_next(const ChequeredTile<D>& chequered, const Tiles<D>& tiles, std::size_t tile,
                 const Array<float>& values) {
  ChequeredTile<D>::for_each_eight([&](std::size_t eight, std::size_t place, Int8 first_row) {
    for (std::size_t colour = 0; colour < 2; ++colour) {
      const Int8 in_first_row = colour == 0 ? first_row : ~first_row;
      const auto next =
          ChequeredTile<D>::next(chequered.of_colour(1 - colour), place, in_first_row);
      const Float8 here = load8(chequered.of_colour(colour) + place);
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::size_t cell = first_cell_of<D>(eight) + lane +
                                 (in_first_row[lane] != 0 ? 0 : std::size_t{tile_edge<D>});
        ASSERT_EQ(colour_of<D>(cell), colour);
        ASSERT_EQ(eight_of<D>(cell), eight);
        const std::size_t index = tile * tile_size<D> + cell;
        ASSERT_EQ(here[lane], values[index]);
        for (std::size_t side = 0; side < side_count<D>; ++side) {
          Cell<D> other = tiles.cell(index);
          other[side / 2] += side % 2 == 0 ? -1 : 1;
          ASSERT_EQ(next[chequered_side<D>(side, cell)][lane], values[tiles.find_cell(other)])
              << "cell " << cell << ", side " << side;
        }
      }
    }
  });
}

template <int D>
void expect_cells_and_sides() {
  const Tiles<D> tiles = some_tiles<D>(-1);
  const Array<float> values = random_array(tiles.array_size(), tiles.count() * tile_size<D>, 1);
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    ChequeredTile<D> chequered;
    chequered.load(values.data() + tile * tile_size<D>);
    chequered.load_sides(tiles_around(tiles, values.data(), tile));
    expect_next(chequered, tiles, tile, values);
    std::vector<float> stored(tile_size<D>);
    chequered.store(stored.data());
    EXPECT_TRUE(std::equal(stored.begin(), stored.end(), values.data() + tile * tile_size<D>));
  }
}

TEST(ChequeredTile, has_its_cells_and_those_on_all_sides) {
  expect_cells_and_sides<2>();
  expect_cells_and_sides<3>();
}

// Each gets what the cell twice as large has that it is a part of.
template <int D>
void expect_corrections() {
  const Tiles<D> tiles = some_tiles<D>(0);
  const Tiles<D> coarse = some_tiles<D>(-1);  // Has those from 0 on.
  const Array<float> values = random_array(tiles.array_size(), tiles.count() * tile_size<D>, 1);
  const Array<float> corrections =
      random_array(coarse.array_size(), coarse.count() * tile_size<D>, 2);
  const auto half = [](Cell<D> cell) {
    for (std::int32_t& c : cell)
      c >>= 1;
    return cell;
  };
  Array<float> sums = values;
  for (std::size_t i = 0; i < tiles.count() * tile_size<D>; ++i)
    sums[i] += corrections[coarse.find_cell(half(tiles.cell(i)))];
  const auto of_tile = [&](std::size_t tile) {
    return corrections.data() + (tile == tiles.count()
                                     ? coarse.count() * tile_size<D>
                                     : coarse.find_cell(half(tiles.first_cell(tile))));
  };
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    std::array<const float*, side_count<D>> around;
    for (std::size_t side = 0; side < side_count<D>; ++side)
      around[side] = of_tile(tiles.neighbours(tile)[side]);
    ChequeredTile<D> chequered;
    chequered.template load<true>(values.data() + tile * tile_size<D>, of_tile(tile));
    chequered.template load_sides<true>(tiles_around(tiles, values.data(), tile), around);
    expect_next(chequered, tiles, tile, sums);
  }
}

TEST(ChequeredTile, adds_corrections_to_its_cells_and_those_on_all_sides) {
  expect_corrections<2>();
  expect_corrections<3>();
}

}  // namespace
}  // namespace sluice::fluid::grid
