// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/types.h"

namespace sluice::fluid {

/// The state of a particle besides its place and velocity.
struct Affine {
  float c[9];    ///< [1/s] APIC's C by columns: c[3 a + r] = dv_r/dx_a.
  float strain;  ///< J - 1. Kept instead of J: near 0 a float resolves it far beyond what J itself
                 ///< could.
};
static_assert(sizeof(Affine) == 40);

/// Further state of a particle whose material has shear stress at rest: Bingham's, jelly, sand,
/// snow. The elastic left Cauchy-Green tensor is all that their isotropic energies depend on.
struct alignas(64) Elastic {
  float left_cauchy_green[6];  ///< F_e F_e^T - I: xx, yy, zz, xy, xz, yz.
  float plastic;               ///< Sand: ln of the volume ratio when pulled apart. Snow: J_p - 1.
  float wave_speed_squared;    ///< [m^2/s^2] of jelly, sand and snow
  float stress[6];             ///< [Pa] Kirchhoff stress for that tensor, in the same order
  float unused[2];             ///< Fills up a cache line for each particle.
};
static_assert(sizeof(Elastic) == 64);

/// What a liquid has where it has no particles, of sums over all of it.
struct SumsWithoutParticles {
  double kinetic_energy = 0;        ///< [J]
  Vec3 momentum = Vec3::Zero();     ///< [kg m/s]
  Vec3 mass_moment = Vec3::Zero();  ///< [kg m] sum of mass times position
};

/// All particles in internal order, an array a quantity. The Vec3f arrays have one element more
/// than particles, so that four floats can be read at the last one. 81 bytes a particle, 145 where
/// there is a material that needs `elastic`.
struct Particles {
  void resize(std::size_t particle_count, bool has_elastic = false) {
    count = particle_count;
    positions.resize(count + 1, Vec3f::Zero());
    targets.resize(count + 1, Vec3f::Zero());
    velocities.resize(count + 1, Vec3f::Zero());
    affine.resize(count, Affine{});
    if (has_elastic) elastic.resize(count, Elastic{});
    rows.resize(count);
    materials.resize(count);
  }

  std::size_t count = 0;
  std::vector<Vec3f> positions;   ///< [m]
  std::vector<Vec3f> targets;     ///< [m] where the velocities lead; positions at the next commit
  std::vector<Vec3f> velocities;  ///< [m/s]
  std::vector<Affine> affine;
  std::vector<Elastic> elastic;     ///< Empty where no material needs it.
  std::vector<std::uint32_t> rows;  ///< Each particle's row for callers: rows.h.
  std::vector<std::uint8_t> materials;
};

}  // namespace sluice::fluid
