// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/continuum.h"
#include "solver/solid/continuum_potential.h"

namespace sluice::solid {

std::unique_ptr<Potential> make_plane_triangles(std::span<const Vec3> rest_positions,
                                                std::span<const TriangleIndices> triangles,
                                                const IsotropicMaterial& material) {
  return with_energy(material, [&](const auto& energy) -> std::unique_ptr<Potential> {
    using Energy = std::decay_t<decltype(energy)>;
    return std::make_unique<ContinuumPotential<Energy, 2, 2>>(
        energy, plane_shapes(rest_positions, triangles));
  });
}

std::unique_ptr<Potential> make_slice(std::span<const Vec3> rest_positions,
                                      std::span<const TriangleIndices> triangles,
                                      const IsotropicMaterial& material, double thickness) {
  return with_energy(material, [&](const auto& energy) -> std::unique_ptr<Potential> {
    using Energy = std::decay_t<decltype(energy)>;
    return std::make_unique<ContinuumPotential<Energy, 2, 2, 2>>(
        energy, plane_shapes(rest_positions, triangles, 2, thickness));
  });
}

}  // namespace sluice::solid
