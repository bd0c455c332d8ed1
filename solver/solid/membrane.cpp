// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/continuum.h"
#include "solver/solid/continuum_potential.h"

namespace sluice::solid {

std::unique_ptr<Potential> make_membrane(std::span<const Vec3> rest_positions,
                                         std::span<const TriangleIndices> triangles,
                                         const IsotropicMaterial& material, double thickness,
                                         SheetState state) {
  const IsotropicMaterial sheet{material.model, state == SheetState::plane_stress
                                                    ? plane_stress(material.lame)
                                                    : material.lame};
  return with_stretch_energy(sheet, [&](const auto& energy) -> std::unique_ptr<Potential> {
    using Energy = std::decay_t<decltype(energy)>;
    return std::make_unique<ContinuumPotential<Energy, 3, 2>>(
        energy, membrane_shapes(rest_positions, triangles, thickness));
  });
}

}  // namespace sluice::solid
