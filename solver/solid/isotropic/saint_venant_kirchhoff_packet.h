// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/energy_packet.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/saint_venant_kirchhoff.h"
#include "solver/solid/isotropic/stretch_proximal.h"

/// The packet of SaintVenantKirchhoff: see energy_packet.h.
namespace sluice::solid {

using namespace simd;

[[nodiscard]] inline Checked4<Double4> energy4(const SaintVenantKirchhoff& energy,
                                               const Matrix4& F) noexcept {
  return {hooke_energy(energy.lame, green_strain(F)), every_lane};
}

[[nodiscard]] inline Checked4<Matrix4> stress4(const SaintVenantKirchhoff& energy,
                                               const Matrix4& F) noexcept {
  return {times(F, hooke_stress(energy.lame, green_strain(F))), every_lane};
}

[[nodiscard]] inline StretchProximal<SaintVenantKirchhoff> packet_proximal(
    const SaintVenantKirchhoff& energy, double w) noexcept {
  return {energy, w};
}

}  // namespace sluice::solid
