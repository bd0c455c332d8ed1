// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/crowding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/key_index.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

constexpr int box_cells = 2;  // Along each axis.

/// Tells the boxes of the particles apart; one a particle.
std::vector<std::uint64_t> box_keys(const GridFrame& frame, const Particles& particles) {
  std::vector<std::uint64_t> keys(particles.count);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(particles.count), 16384,
      [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
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
          keys[i] = key;
        }
      });
  return keys;
}

}  // namespace

double crowded_part(const GridFrame& frame, const Particles& particles,
                    std::span<const double> volumes, double uneven) {
  const std::vector<std::uint64_t> keys = box_keys(frame, particles);
  KeyIndex index;
  std::vector<double> filled;  // By box.
  double total = 0;
  std::uint32_t n = 0;  // The box of the particle before: as a rule it is that of the next one.
  for (std::size_t i = 0; i < particles.count; ++i) {
    const double volume = volumes[particles.materials[i]];
    total += volume;
    if (i == 0 || keys[i] != keys[i - 1])
      n = index.find_or_insert(keys[i], static_cast<std::uint32_t>(filled.size()));
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
