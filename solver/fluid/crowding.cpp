// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/crowding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/mpm/key_index.h"

namespace sluice::fluid {

namespace {

constexpr int box_cells = 2;  // Along each axis.

}  // namespace

double crowded_part(const GridFrame& frame, const Particles& particles,
                    std::span<const double> volumes, double uneven) {
  KeyIndex index;
  std::vector<double> filled;  // By box.
  double total = 0;
  for (std::size_t i = 0; i < particles.count; ++i) {
    std::uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const float cells =
          frame.is_across(axis)
              ? 0
              : (particles.positions[i][axis] - frame.lower[axis]) / frame.cell_size;
      const float box = std::floor(cells / box_cells);
      // Beyond the first and the last one there is nothing but what flows out.
      const auto within = static_cast<std::uint64_t>(std::clamp(box + 1, 0.0F, 1e6F));
      key = key << 21 | within;
    }
    const double volume = volumes[particles.materials[i]];
    total += volume;
    const std::uint32_t n = index.find_or_insert(key, static_cast<std::uint32_t>(filled.size()));
    if (n == filled.size()) filled.push_back(0);
    filled[n] += volume;
  }
  const int dimensions = frame.is_flat ? 2 : 3;
  const double room = static_cast<double>(frame.node_volume()) * std::pow(box_cells, dimensions);
  double crowded = 0;
  for (const double volume : filled) {
    if (volume > (1 + uneven) * room) crowded += volume - room;
  }
  return total > 0 ? crowded / total : 0;
}

}  // namespace sluice::fluid
