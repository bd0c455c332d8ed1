// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/particle_order.h"

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace sluice::fluid {

void put_in_order(std::span<const std::uint32_t> order, Particles& particles) {
  put_in_order(order, particles.positions, particles.targets);
  particles.positions.swap(particles.targets);
  put_in_order(order, particles.velocities, particles.targets);
  particles.velocities.swap(particles.targets);
  put_in_order(order, particles.affine);
  if (!particles.elastic.empty()) put_in_order(order, particles.elastic);
  put_in_order(order, particles.rows);
  put_in_order(order, particles.materials);
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
