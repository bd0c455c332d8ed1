// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>

#include "solver/solid/isotropic/fixed_corotated_packet.h"
#include "solver/solid/isotropic/linear_packet.h"
#include "solver/solid/isotropic/neo_hookean_packet.h"
#include "solver/solid/isotropic/saint_venant_kirchhoff_packet.h"
#include "solver/solid/isotropic/stable_neo_hookean_packet.h"

namespace sluice::solid {

/// The energies that have a packet (energy_packet.h).
using PacketEnergies = std::tuple<StableNeoHookean, NeoHookean, SaintVenantKirchhoff,
                                  FixedCorotated, LinearElasticity>;

namespace detail {
template <typename Energy, typename List>
inline constexpr bool is_listed = false;
template <typename Energy, typename... Listed>
inline constexpr bool is_listed<Energy, std::tuple<Listed...>> =
    (std::is_same_v<Energy, Listed> || ...);
}  // namespace detail

template <typename Energy>
inline constexpr bool has_packet = detail::is_listed<Energy, PacketEnergies>;

}  // namespace sluice::solid
