// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/solid/isotropic/lame.h"
#include "solver/solid/length_potential.h"
#include "solver/types.h"

namespace sluice::solid {

/// [N m] Bending stiffness of a plate, E t^3 / (12 (1 - nu^2)), for a thickness t [m].
[[nodiscard]] double bending_stiffness(const Elasticity& elasticity, double thickness) noexcept;

/// Isometric bending over the interior edges of a triangle mesh. [Bergou2006]
///
/// D = c . x with the cotangent weights c of an edge and the two vertices across from it: its
/// integrated mean curvature normal, 2 |edge| sin(angle / 2) long for a mesh that bends without
/// stretching. U = k/2 (|D| - d0)^2, where d0 is |D| at rest, so that curved sheets are at rest
/// too; which way a curved rest shape curves is not known to it.
///
/// k = B / (A_1 + A_2), B the stiffness of the plate and A the triangles' areas: a sheet of mesh
/// triangles, right-angled in rows or equilateral, on a cylinder of radius R has then the energy of
/// the plate, B / (2 R^2) an area. The factor 3 of [Bergou2006] (3) is for the same reason not
/// here: an edge's curvature is that of a third of its triangles' area, and at once the sum over
/// three directions of edges. Free to curve the other way too, it is as any hinge not quite a
/// plate: on equilateral triangles that of Poisson ratio -1/3, so that a strip with free sides has
/// 8/9 of B; on right-angled ones with all diagonals alike, 4/5.
class BendingPotential final : public LengthPotential {
 public:
  /// `stiffness` B [N m] > 0. Edges of one triangle are free. At an edge of three or more
  /// triangles, each two successive ones bend. No triangle at rest may be without area (asserted).
  BendingPotential(std::span<const Vec3> rest_positions, std::span<const TriangleIndices> triangles,
                   double stiffness);

 private:
  struct Stencils;
  explicit BendingPotential(Stencils stencils);
};

}  // namespace sluice::solid
