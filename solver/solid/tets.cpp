// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/continuum.h"
#include "solver/solid/continuum_potential.h"

namespace sluice::solid {

std::unique_ptr<Potential> make_tets(std::span<const Vec3> rest_positions,
                                     std::span<const std::array<std::int32_t, 4>> tets,
                                     const IsotropicMaterial& material) {
  const auto edges_of = [&](std::size_t e) {
    const auto at = [&](std::size_t i) {
      return rest_positions[static_cast<std::size_t>(tets[e][i])];
    };
    RestEdges<3> edges;
    edges << at(1) - at(0), at(2) - at(0), at(3) - at(0);
    return edges;
  };
  const auto volume_of = [&](std::size_t e) { return std::abs(edges_of(e).determinant()) / 6; };
  return with_energy(material, [&](const auto& energy) -> std::unique_ptr<Potential> {
    using Energy = std::decay_t<decltype(energy)>;
    return std::make_unique<ContinuumPotential<Energy, 3, 3>>(energy, tets, edges_of, volume_of);
  });
}

}  // namespace sluice::solid
