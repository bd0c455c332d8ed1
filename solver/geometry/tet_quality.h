// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/tet_mesh.h"

namespace sluice::geometry {

/// How far a tetrahedron is from flat. Small angles spoil the condition of a stiffness matrix,
/// large ones the accuracy of gradients [Shewchuk2002].
struct TetQuality {
  double smallest_dihedral;  ///< [rad] regular: acos(1/3), 70.5 degrees; 0 or less if not positive.
  double largest_dihedral;   ///< [rad] pi if flat.
  double radius_ratio;  ///< 3 inradius / circumradius: 1 if regular, 0 if flat, < 0 if inverted.
};

/// Finds these measures. Domain: every finite input; without volume the radius ratio is 0.
[[nodiscard]] TetQuality quality(const Tetrahedron& tet) noexcept;

/// The worst of each measure over a mesh with at least one tetrahedron.
[[nodiscard]] TetQuality worst_quality(const TetMesh& mesh);

}  // namespace sluice::geometry
