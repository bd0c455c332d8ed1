// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/continuum.h"
#include "solver/solid/continuum_potential.h"

namespace sluice::solid {

std::unique_ptr<Potential> make_plane_triangles(std::span<const Vec3> rest_positions,
                                                std::span<const TriangleIndices> triangles,
                                                const IsotropicMaterial& material) {
  const auto edges_of = [&](std::size_t e) {
    const auto at = [&](std::size_t i) {
      return rest_positions[static_cast<std::size_t>(triangles[e][i])].head<2>();
    };
    RestEdges<2> edges;
    edges << at(1) - at(0), at(2) - at(0);
    return edges;
  };
  constexpr double thickness = 1;
  const auto volume_of = [&](std::size_t e) {
    return thickness * std::abs(edges_of(e).determinant()) / 2;
  };
  return with_energy(material, [&](const auto& energy) -> std::unique_ptr<Potential> {
    using Energy = std::decay_t<decltype(energy)>;
    return std::make_unique<ContinuumPotential<Energy, 2, 2>>(energy, triangles, edges_of,
                                                              volume_of);
  });
}

}  // namespace sluice::solid
