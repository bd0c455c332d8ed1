// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/continuum.h"
#include "solver/solid/continuum_potential.h"

namespace sluice::solid {

namespace {

std::unique_ptr<Potential> make_triangles(RestShapes<2> shapes, const IsotropicMaterial& material) {
  return with_energy(material, [&](const auto& energy) -> std::unique_ptr<Potential> {
    using Energy = std::decay_t<decltype(energy)>;
    return std::make_unique<ContinuumPotential<Energy, 2, 2>>(energy, std::move(shapes));
  });
}

}  // namespace

std::unique_ptr<Potential> make_plane_triangles(std::span<const Vec3> rest_positions,
                                                std::span<const TriangleIndices> triangles,
                                                const IsotropicMaterial& material) {
  return make_triangles(plane_shapes(rest_positions, triangles), material);
}

std::unique_ptr<Potential> make_slice(std::span<const Vec3> rest_positions,
                                      std::span<const TriangleIndices> triangles,
                                      const IsotropicMaterial& material, double thickness) {
  return make_triangles(plane_shapes(rest_positions, triangles, 2, thickness), material);
}

}  // namespace sluice::solid
