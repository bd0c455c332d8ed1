// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "solver/geometry/triangle_mesh.h"
#include "solver/result.h"

namespace sluice::geometry {

/// Volume [m^3] that a closed surface encloses, by the divergence theorem; negative if its
/// triangles face inward.
[[nodiscard]] double signed_volume(const TriangleMesh& surface);

/// Why a surface encloses no volume, in words: an index out of range, a coordinate that is not
/// finite, an edge that is open or that triangles run along in the same direction, or triangles
/// that face inward. Nothing if it is closed. It may still intersect itself (mesh_intersection.h).
///
/// Closed means that each edge is run along as often in one direction as in the other, so edges at
/// which two parts of a body touch are fine.
[[nodiscard]] std::optional<Error> check_closed(const TriangleMesh& surface);

}  // namespace sluice::geometry
