// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/mixed_density.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/extrapolation.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t mixed_density_grain = 8;  // Tiles.

// Faces without particles next to cells that count as liquid, in holes and at solids, are so near
// to some that have.
constexpr int reach_of_mixing = 2;

// Nearer to 1 is 1: the rounding of sums of weights.
constexpr float weight_rounding = 1e-4F;

template <int D>
bool is_pure(const MacGrid<D>& grid, std::size_t tile) {
  const Surroundings<D> around(grid.tiles, tile);
  std::array<float, padded_size<D>> lightness;
  return std::ranges::all_of(grid.lightness, [&](const Array<float>& of_axis) {
    around.load(of_axis.data(), lightness.data());
    return std::ranges::all_of(lightness, [](float l) { return l == 1 || l == 0; });
  });
}

}  // namespace

template <int D>
void find_lightness(float mass, const typename MacGrid<D>::template Faces<float>& weights,
                    MacGrid<D>& grid) {
  Array<std::uint8_t> known(grid.tiles.array_size());
  for (std::size_t axis = 0; axis < D; ++axis) {
    Array<float>& lightness = grid.lightness[axis];
    for (std::size_t face = 0; face < known.size(); ++face) {
      known[face] = weights[axis][face] > 0 ? 1 : 0;
      if (known[face] == 0) continue;
      const float found = lightness[face] * mass / weights[axis][face];
      lightness[face] = std::abs(found - 1) < weight_rounding ? 1 : found;
    }
    extrapolate<D>(grid.tiles, reach_of_mixing, lightness, known);
    for (std::size_t face = 0; face < known.size(); ++face)
      lightness[face] = known[face] != 0 ? lightness[face] : 1;
  }
  grid.is_pure.assign(grid.tiles.count() + 1, 0);
  parallel::parallel_for(0, static_cast<std::int64_t>(grid.tiles.count()), mixed_density_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto tile = static_cast<std::size_t>(begin);
                                tile < static_cast<std::size_t>(end); ++tile)
                             grid.is_pure[tile] = is_pure(grid, tile) ? 1 : 0;
                         });
}

template void find_lightness<2>(float, const MacGrid<2>::Faces<float>&, MacGrid<2>&);
template void find_lightness<3>(float, const MacGrid<3>::Faces<float>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
