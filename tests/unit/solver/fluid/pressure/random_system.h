// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <set>
#include <vector>

#include "solver/fluid/pressure/poisson.h"

namespace sluice::fluid::grid {

/// How the weights of a random system are.
struct RandomWeights {
  double coupled = 0.8;  ///< Part of the sides between cells that are tied.
  double fixed = 0.1;    ///< Part of the cells that are tied to 0.
  double uniform = 0.4;  ///< Part of the tiles that are uniform, where all around them are too.
};

/// A system on `count` tiles around the origin, with weights in [0.01, 1].
template <int D>
PoissonSystem<D> random_system(std::size_t count, const RandomWeights& kind, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(0, 1);
  std::uniform_int_distribution<std::int32_t> place(-2, 1);
  std::set<Cell<D>> coordinates;
  while (coordinates.size() < count) {
    Cell<D> tile;
    for (std::int32_t& c : tile)
      c = place(random);
    coordinates.insert(tile);
  }
  const Tiles<D> tiles({coordinates.begin(), coordinates.end()});
  std::vector<std::uint8_t> is_full(tiles.count() + 1, 0);
  for (std::size_t tile = 0; tile < tiles.count(); ++tile)
    is_full[tile] = part(random) < kind.uniform ? 1 : 0;
  // By axis and cell, the weight to the cell on the lower side.
  std::vector<std::vector<float>> lower(D, std::vector<float>(tiles.array_size(), 0));
  std::vector<float> fixed(tiles.array_size(), 0);
  const auto cell_of = [&](std::size_t i) {
    Cell<D> cell = tiles.cell(i);
    return cell;
  };
  for (std::size_t i = 0; i < tiles.count() * tile_size<D>; ++i) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      Cell<D> before = cell_of(i);
      --before[axis];
      const std::size_t other = tiles.find_cell(before);
      if (other >= tiles.count() * tile_size<D>) continue;
      const bool is_one = is_full[i / tile_size<D>] != 0 || is_full[other / tile_size<D>] != 0;
      const bool is_coupled = part(random) < kind.coupled;
      const auto weight = static_cast<float>(0.01 + 0.99 * part(random));
      lower[axis][i] = is_one ? 1.0F : is_coupled ? weight : 0.0F;
    }
    if (is_full[i / tile_size<D>] == 0 && part(random) < kind.fixed)
      fixed[i] = static_cast<float>(0.01 + part(random));
  }
  return PoissonSystem<D>(tiles, 1, [&](std::size_t tile, Couplings<D>& couplings) {
    bool is_uniform = is_full[tile] != 0;
    for (const std::uint32_t next : tiles.neighbours(tile))
      is_uniform = is_uniform && next != tiles.count();
    if (is_uniform) return TileKind::uniform;
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const std::size_t i = tile * tile_size<D> + cell;
      couplings.fixed[cell] = fixed[i];
      for (std::size_t axis = 0; axis < D; ++axis) {
        Cell<D> after = cell_of(i);
        ++after[axis];
        const std::size_t other = tiles.find_cell(after);
        couplings.next[2 * axis][cell] = lower[axis][i];
        couplings.next[2 * axis + 1][cell] = lower[axis][other];
      }
    }
    return TileKind::general;
  });
}

}  // namespace sluice::fluid::grid
