// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/types.h"

namespace sluice::fluid {

/// What a particle carries besides its place and velocity.
struct Affine {
  float c[9];    ///< [1/s] APIC's C by columns: c[3 a + r] = dv_r/dx_a.
  float strain;  ///< J - 1. Kept instead of J: near 0 a float resolves it far beyond what J itself
                 ///< could.
};
static_assert(sizeof(Affine) == 40);

/// All particles in internal order, an array a quantity. The Vec3f arrays have one element more
/// than particles, so that four floats can be read at the last one. 85 bytes a particle.
struct Particles {
  void resize(std::size_t particle_count) {
    count = particle_count;
    positions.resize(count + 1, Vec3f::Zero());
    targets.resize(count + 1, Vec3f::Zero());
    velocities.resize(count + 1, Vec3f::Zero());
    affine.resize(count, Affine{});
    ids.resize(count);
    materials.resize(count);
  }

  std::size_t count = 0;
  std::vector<Vec3f> positions;   ///< [m]
  std::vector<Vec3f> targets;     ///< [m] where the velocities lead; positions at the next commit
  std::vector<Vec3f> velocities;  ///< [m/s]
  std::vector<Affine> affine;
  std::vector<std::uint32_t> ids;
  std::vector<std::uint8_t> materials;
};

}  // namespace sluice::fluid
