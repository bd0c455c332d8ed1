// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/continuum.h"
#include "solver/solid/continuum_potential.h"
#include "solver/solid/neo_hookean_tets.h"

namespace sluice::solid {

std::unique_ptr<Potential> make_tets(std::span<const Vec3> rest_positions,
                                     std::span<const std::array<std::int32_t, 4>> tets,
                                     const IsotropicMaterial& material) {
  if (material.model == IsotropicModel::neo_hookean && material.lame.lambda >= 0) {
    return std::make_unique<NeoHookeanTets>(NeoHookean{material.lame},
                                            tet_shapes(rest_positions, tets));
  }
  return with_energy(material, [&](const auto& energy) -> std::unique_ptr<Potential> {
    using Energy = std::decay_t<decltype(energy)>;
    return std::make_unique<ContinuumPotential<Energy, 3, 3>>(energy,
                                                              tet_shapes(rest_positions, tets));
  });
}

}  // namespace sluice::solid
