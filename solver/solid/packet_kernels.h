// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "solver/solid/isotropic/packets.h"

/// The inner loops of PacketTets, over plain arrays of whole packets of four tets. Compiled with
/// fused multiply-add, so no function that another source compiles too may be called there, unless
/// it is always inlined.
namespace sluice::solid {

inline constexpr std::size_t packet_lanes = 4;
inline constexpr std::size_t most_packets = 16;  ///< Packets in one call: 64 bits, one a tet.

/// Number of doubles in the maps of a packet.
inline constexpr std::size_t packed_map = 9 * packet_lanes;

/// Arrays that start at the first tet of a packet, stencils and volumes as Potential has them; x
/// and slots as 3 doubles a point.
struct TetArrays {
  const std::int32_t* stencils;
  /// Columns 1 to 3 of G, row by row, each entry for all four tets; column 0 is minus their sum.
  const double* maps;
  const double* volumes;  ///< [m^3]
};

/// Writes D of each tet, 9 doubles. Serves all tets.
std::uint64_t map_tets(const TetArrays& tets, std::size_t packet_count, const double* x,
                       double* D) noexcept;
/// Writes G^T S of each tet by its vertices, 12 doubles, from 9. Serves all tets.
std::uint64_t map_tets_back(const TetArrays& tets, std::size_t packet_count, const double* S,
                            double* slots) noexcept;

/// The loops of one energy. Each function serves most tets, and says by a bit for each which ones;
/// the others need the functions for one element (derivatives.h, proximal.h).
template <typename Energy>
struct TetKernels {
  struct Sum {
    double energy;  ///< [J] Sum over the tets that are done.
    std::uint64_t done;
  };
  Sum (*energy)(const Energy& energy, const TetArrays& tets, std::size_t packet_count,
                const double* x) noexcept;

  /// Writes the gradient of each tet by its vertices, 12 doubles a tet.
  std::uint64_t (*gradients)(const Energy& energy, const TetArrays& tets, std::size_t packet_count,
                             const double* x, double* slots) noexcept;

  /// Writes the Hessian by the entries of F, with its negative eigenvalues set to 0, times the
  /// volume: 81 doubles a tet.
  std::uint64_t (*hessians)(const Energy& energy, const TetArrays& tets, std::size_t packet_count,
                            const double* x, double* out) noexcept;

  /// Writes z = argmin Psi(z) + w/2 |z - p|^2, 9 doubles a tet.
  std::uint64_t (*proximal)(const Energy& energy, double w, std::size_t packet_count,
                            const double* p, double* z) noexcept;
};

namespace detail {
template <typename List>
struct KernelsOf;
template <typename... Energies>
struct KernelsOf<std::tuple<Energies...>> {
  using type = std::tuple<TetKernels<Energies>...>;
};
}  // namespace detail

/// The kernels of each energy that has a packet.
extern const detail::KernelsOf<PacketEnergies>::type all_tet_kernels;

template <typename Energy>
[[nodiscard]] const TetKernels<Energy>& tet_kernels() noexcept {
  return std::get<TetKernels<Energy>>(all_tet_kernels);
}

}  // namespace sluice::solid
