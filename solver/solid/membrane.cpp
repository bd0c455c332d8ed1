// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/continuum.h"
#include "solver/solid/continuum_potential.h"

namespace sluice::solid {

std::unique_ptr<Potential> make_membrane(std::span<const Vec3> rest_positions,
                                         std::span<const TriangleIndices> triangles,
                                         const IsotropicMaterial& material, double thickness) {
  const auto edges_of = [&](std::size_t e) {
    const auto at = [&](std::size_t i) {
      return rest_positions[static_cast<std::size_t>(triangles[e][i])];
    };
    const Vec3 first = at(1) - at(0), second = at(2) - at(0);
    const double length = first.norm();
    RestEdges<2> edges;  // In the triangle's own plane, the first edge along its first axis.
    edges << length, first.dot(second) / length, 0, first.cross(second).norm() / length;
    return edges;
  };
  const auto volume_of = [&](std::size_t e) { return thickness * edges_of(e).determinant() / 2; };
  const IsotropicMaterial sheet{material.model, plane_stress(material.lame)};
  return with_nonlinear_energy(sheet, [&](const auto& energy) -> std::unique_ptr<Potential> {
    using Energy = std::decay_t<decltype(energy)>;
    return std::make_unique<ContinuumPotential<Energy, 3, 2>>(energy, triangles, edges_of,
                                                              volume_of);
  });
}

}  // namespace sluice::solid
