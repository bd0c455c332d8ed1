// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "solver/solid/isotropic/energies.h"
#include "solver/solid/potential.h"
#include "solver/types.h"

/// Elastic elements with linear shape functions: constant strain. In all of them `rest_positions`
/// are in metres, indices are into them, and each element has a volume or area (asserted; which way
/// round it is does not matter).
namespace sluice::solid {

/// Tetrahedra. U = V Psi(F).
[[nodiscard]] std::unique_ptr<Potential> make_tets(
    std::span<const Vec3> rest_positions, std::span<const std::array<std::int32_t, 4>> tets,
    const IsotropicMaterial& material);

/// Triangles in the x-y plane, in plane strain, 1 m thick. U = A (1 m) Psi(F) of the 2x2 F; z is
/// neither read nor pulled on: whoever steps them holds it.
[[nodiscard]] std::unique_ptr<Potential> make_plane_triangles(
    std::span<const Vec3> rest_positions, std::span<const TriangleIndices> triangles,
    const IsotropicMaterial& material);

/// The same triangles in the x-z plane, `thickness` [m] thick; y is neither read nor pulled on. A
/// slice of a long body: a load in its plane does not fold it out of that, as it would a sheet.
[[nodiscard]] std::unique_ptr<Potential> make_slice(std::span<const Vec3> rest_positions,
                                                    std::span<const TriangleIndices> triangles,
                                                    const IsotropicMaterial& material,
                                                    double thickness);

/// The state of a sheet across its plane: free of stress (`plane_stress`), or of one thickness.
enum class SheetState { plane_stress, plane_strain };

/// Triangles in space that resist stretching in their own plane, `thickness` [m] thick. U = A t
/// Psi(F) of the 3x2 F. Not for the linear model (asserted), which knows no rotations. Folding is
/// resisted by BendingPotential.
[[nodiscard]] std::unique_ptr<Potential> make_membrane(std::span<const Vec3> rest_positions,
                                                       std::span<const TriangleIndices> triangles,
                                                       const IsotropicMaterial& material,
                                                       double thickness,
                                                       SheetState state = SheetState::plane_stress);

}  // namespace sluice::solid
