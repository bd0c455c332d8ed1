// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/lattice/extrapolation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/collector.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t extrapolation_grain = 8;  // Tiles.

struct Reached {
  std::size_t place;
  float value;
};

template <int D>
bool is_all_known(const Array<std::uint8_t>& known, std::size_t tile) {
  const std::uint8_t* const first = known.data() + tile * tile_size<D>;
  return std::find(first, first + tile_size<D>, 0) == first + tile_size<D>;
}

}  // namespace

template <int D>
void extrapolate(const Tiles<D>& tiles, int layers, Array<float>& values,
                 Array<std::uint8_t>& known) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t tile = 0; tile < tiles.count(); ++tile) {
    if (!is_all_known<D>(known, tile)) open.push_back(tile);
  }
  extrapolate<D>(tiles, open, layers, values, known);
}

template <int D>
void extrapolate(const Tiles<D>& tiles, std::span<const std::uint32_t> open, int layers,
                 Array<float>& values, Array<std::uint8_t>& known) {
  parallel::Collector<Reached> collector;
  std::vector<Reached> reached;
  for (int layer = 0; layer < layers; ++layer) {
    collector.collect(
        static_cast<std::int64_t>(open.size()), extrapolation_grain,
        [&](std::int64_t begin, std::int64_t end, std::vector<Reached>& found) {
          std::array<float, padded_size<D>> value;
          std::array<std::uint8_t, padded_size<D>> is_known;
          for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
            const Surroundings<D> around(tiles, open[t]);
            around.load(known.data(), is_known.data());
            if (std::find(is_known.begin(), is_known.end(), 1) == is_known.end()) continue;
            around.load(values.data(), value.data());
            for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
              const std::size_t here = padded_index<D>(local_cell<D>(cell));
              if (is_known[here] != 0) continue;
              float sum = 0;
              int count = 0;
              for (int axis = 0; axis < D; ++axis) {
                for (const std::size_t next :
                     {here - padded_stride<D>(axis), here + padded_stride<D>(axis)}) {
                  if (is_known[next] == 0) continue;
                  sum += value[next];
                  ++count;
                }
              }
              if (count == 0) continue;
              found.push_back({open[t] * tile_size<D> + cell, sum / static_cast<float>(count)});
            }
          }
        },
        reached);
    if (reached.empty()) break;
    for (const Reached& place : reached) {
      values[place.place] = place.value;
      known[place.place] = 1;
    }
  }
}

template void extrapolate<2>(const Tiles<2>&, int, Array<float>&, Array<std::uint8_t>&);
template void extrapolate<3>(const Tiles<3>&, int, Array<float>&, Array<std::uint8_t>&);
template void extrapolate<2>(const Tiles<2>&, std::span<const std::uint32_t>, int, Array<float>&,
                             Array<std::uint8_t>&);
template void extrapolate<3>(const Tiles<3>&, std::span<const std::uint32_t>, int, Array<float>&,
                             Array<std::uint8_t>&);

}  // namespace sluice::fluid::grid
