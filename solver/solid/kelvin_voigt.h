// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "solver/solid/isotropic/lame.h"
#include "solver/solid/potential.h"
#include "solver/types.h"

/// Strain-rate damping, the dashpot beside the spring of a Kelvin-Voigt solid: add it to the
/// elastic potential of the same elements.
///
/// The rate of the Green strain dissipates W(E') = phi/2 tr(E')^2 + psi |E'|^2 [W/m^3, half the
/// power]: [OBrien1999] (9)-(11). Rigid motions have none. A step of length h from F^n adds the
/// energy h W((E(F) - E(F^n)) / h) a volume, whose gradient is the damping force at the end of the
/// step, so that implicit integrators stay minimisers.
///
/// `begin_step` must come before any other call of a step; it sets F^n, h, and with h the weights,
/// which are proportional to 1/h: whoever keeps a matrix of them makes it anew when h changes.
/// HessianForm::positive_semidefinite drops the negative eigenvalues of the stress in F S alone,
/// which leaves a Hessian at least as stiff as the projected one.
namespace sluice::solid {

/// [Pa s] both; psi > 0 and phi > -2/3 psi.
struct Viscosity {
  double phi, psi;
};

/// Rayleigh damping proportional to stiffness: for small strains the damping matrix is `time` [s]
/// times the stiffness matrix, and a mode of angular frequency w has the damping ratio time w / 2;
/// for large ones it stays free of force in rigid motion.
[[nodiscard]] Viscosity rayleigh_viscosity(const Lame& lame, double time) noexcept;

[[nodiscard]] std::unique_ptr<Potential> make_tet_damping(
    std::span<const Vec3> rest_positions, std::span<const std::array<std::int32_t, 4>> tets,
    const Viscosity& viscosity);

/// Damping in the x-y plane, in plane strain, 1 m thick: see make_plane_triangles.
[[nodiscard]] std::unique_ptr<Potential> make_plane_damping(
    std::span<const Vec3> rest_positions, std::span<const TriangleIndices> triangles,
    const Viscosity& viscosity);

/// Damping in the x-z plane: see make_slice.
[[nodiscard]] std::unique_ptr<Potential> make_slice_damping(
    std::span<const Vec3> rest_positions, std::span<const TriangleIndices> triangles,
    const Viscosity& viscosity, double thickness);

/// Damping of a sheet, `thickness` [m]: see make_membrane. The viscosity is that of its plane.
[[nodiscard]] std::unique_ptr<Potential> make_membrane_damping(
    std::span<const Vec3> rest_positions, std::span<const TriangleIndices> triangles,
    const Viscosity& viscosity, double thickness);

}  // namespace sluice::solid
