// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/continuum.h"
#include "solver/solid/continuum_potential.h"
#include "solver/solid/packet_tets.h"

namespace sluice::solid {

std::unique_ptr<Potential> make_tets(std::span<const Vec3> rest_positions,
                                     std::span<const std::array<std::int32_t, 4>> tets,
                                     const IsotropicMaterial& material) {
  return with_energy(material, [&](const auto& energy) -> std::unique_ptr<Potential> {
    using Energy = std::decay_t<decltype(energy)>;
    if constexpr (has_packet<Energy>) {
      if (may_have_packets(energy))
        return std::make_unique<PacketTets<Energy>>(energy, tet_shapes(rest_positions, tets));
    }
    return std::make_unique<ContinuumPotential<Energy, 3, 3>>(energy,
                                                              tet_shapes(rest_positions, tets));
  });
}

}  // namespace sluice::solid
