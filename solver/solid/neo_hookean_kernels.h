// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "solver/solid/isotropic/neo_hookean.h"

/// The inner loops of NeoHookeanTets, over plain arrays of whole packets of four tets. Compiled
/// with fused multiply-add, so nothing that is shared with other sources may be included here.
namespace sluice::solid {

inline constexpr std::size_t packet_lanes = 4;

/// Arrays that start at the first of some tets, as Potential has them; x and slots as 3 doubles a
/// point.
struct TetArrays {
  const std::int32_t* stencils;
  const double* maps;
  const double* volumes;  ///< [m^3]
};

[[nodiscard]] double neo_hookean_energy(const NeoHookean& energy, const TetArrays& tets,
                                        std::size_t packet_count, const double* x) noexcept;

/// Writes the gradient of each tet by its vertices, 12 doubles a tet.
void neo_hookean_gradients(const NeoHookean& energy, const TetArrays& tets,
                           std::size_t packet_count, const double* x, double* slots) noexcept;

/// Of p and z, 9 doubles a tet: z = argmin Psi(z) + w/2 |z - p|^2. At most 64 tets. Returns a bit
/// for each tet whose z is good; the others need `proximal`.
[[nodiscard]] std::uint64_t neo_hookean_proximal(const NeoHookean& energy, double w,
                                                 std::size_t packet_count, const double* p,
                                                 double* z) noexcept;

}  // namespace sluice::solid
