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

void put_in_order(std::span<const std::uint32_t> order, Particles& particles) {
  permute(order, particles.positions, particles.targets);
  particles.positions.swap(particles.targets);
  permute(order, particles.velocities, particles.targets);
  particles.velocities.swap(particles.targets);
  permute(order, particles.affine);
  if (!particles.elastic.empty()) permute(order, particles.elastic);
  permute(order, particles.rows);
  permute(order, particles.materials);
}

std::vector<std::uint32_t> reorder(ParticleBlocks& blocks, Particles& particles) {
  put_in_order(blocks.order, particles);
  permute(blocks.order, blocks.cells);
  std::vector<std::uint32_t> places(blocks.order.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    places[blocks.order[i]] = static_cast<std::uint32_t>(i);
  std::iota(blocks.order.begin(), blocks.order.end(), 0U);
  return places;
}

std::vector<std::uint32_t> remove(std::span<const std::uint32_t> gone, Particles& particles) {
  std::vector<std::uint32_t> places(particles.count);
  std::iota(places.begin(), places.end(), 0U);
  for (const std::uint32_t i : gone)
    places[i] = no_row;
  const std::size_t left = particles.count - gone.size();
  // The last particles that stay move into the gaps before them.
  std::size_t from = left;
  for (const std::uint32_t gap : gone) {
    if (gap >= left) break;
    while (places[from] == no_row)
      ++from;
    particles.positions[gap] = particles.positions[from];
    particles.targets[gap] = particles.targets[from];
    particles.velocities[gap] = particles.velocities[from];
    particles.affine[gap] = particles.affine[from];
    if (!particles.elastic.empty()) particles.elastic[gap] = particles.elastic[from];
    particles.rows[gap] = particles.rows[from];
    particles.materials[gap] = particles.materials[from];
    places[from++] = gap;
  }
  particles.resize(left, !particles.elastic.empty());
  return places;
}

}  // namespace sluice::fluid
