// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/shape.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/result.h"
#include "solver/solid/rigid/pose.h"
#include "solver/types.h"

namespace sluice::solid {

/// The mass and inertia of a body of one density, in the frame that its surface was given in.
struct MassProperties {
  double mass;   ///< [kg]
  Vec3 centre;   ///< [m] Centre of mass.
  Mat3 inertia;  ///< [kg m^2] About the centre, along the frame's axes; symmetric.
};

/// Returns the properties of the solid within a closed surface.
///
/// Exact for the polyhedron, to rounding: 1e-14 relative to the products of extents.
/// Errors: `invalid_mesh` as geometry::check_closed; `invalid_scene` for a density [kg/m^3] that is
///   not positive and finite.
/// Where a surface overlaps itself, space that lies in it twice counts twice.
/// Source: [Mirtich1996] in the form of [Blow2004]: a tetrahedron from the centre to each triangle,
///   with signs.
[[nodiscard]] Result<MassProperties> mass_properties(const geometry::TriangleMesh& surface,
                                                     double density);

/// Returns those of an analytic solid. Errors: `invalid_scene` for a half-space, and a bad density.
[[nodiscard]] Result<MassProperties> mass_properties(const geometry::Shape& shape, double density);

/// The axes in which an inertia tensor is diagonal.
struct PrincipalAxes {
  Vec3 moments;         ///< [kg m^2], ascending, each > 0.
  Quaternion rotation;  ///< frame_from_axes
};

/// `inertia` is symmetric and positive definite.
[[nodiscard]] PrincipalAxes principal_axes(const Mat3& inertia);

}  // namespace sluice::solid
