// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/particle_order.h"

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t grain = 16384;

template <typename T>
void permute(std::span<const std::uint32_t> order, const std::vector<T>& from, std::vector<T>& to) {
  parallel::parallel_for(0, static_cast<std::int64_t>(order.size()), grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto i = static_cast<std::size_t>(first);
                                i < static_cast<std::size_t>(last); ++i) {
                             to[i] = from[order[i]];
                           }
                         });
}

template <typename T>
void permute(std::span<const std::uint32_t> order, std::vector<T>& values) {
  std::vector<T> permuted(values.size());
  permute(order, values, permuted);
  values.swap(permuted);
}

}  // namespace

void reorder(ParticleBlocks& blocks, Particles& particles) {
  permute(blocks.order, particles.positions, particles.targets);
  particles.positions.swap(particles.targets);
  permute(blocks.order, particles.velocities, particles.targets);
  particles.velocities.swap(particles.targets);
  permute(blocks.order, particles.affine);
  if (!particles.elastic.empty()) permute(blocks.order, particles.elastic);
  permute(blocks.order, particles.ids);
  permute(blocks.order, particles.materials);
  std::iota(blocks.order.begin(), blocks.order.end(), 0U);
}

}  // namespace sluice::fluid
