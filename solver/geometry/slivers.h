// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/geometry/triangle_mesh.h"

namespace sluice::geometry {

/// Height over longest edge of a triangle up to which it counts as without an area: springs and
/// contact normals lose all their digits there.
inline constexpr double sliver_height_ratio = 1e-6;

/// Whether the triangle's corners are on a line, but for that ratio.
[[nodiscard]] bool is_sliver(const TriangleMesh& mesh, const TriangleIndices& triangle);

/// Takes out triangles whose corners are on a line, as exporters of solids write them where a
/// corner stands on a neighbour's edge: the neighbour across the longest edge is cut at that corner
/// in their place. Where nothing is across, they are left out. The surface keeps its corners, its
/// edges but for that one, and its shape but for the slivers' heights; a closed one stays closed.
///
/// Slivers that cannot be cut so stay: needles with two corners in one place, those at an edge of
/// three triangles, and those where the cut is an edge already. Order: a neighbour's two parts take
/// the places of it and the sliver. Returns how many were taken out. Cost: nothing more than a look
/// at each triangle unless there are some, else n log n. Domain: indices in range, finite vertices.
std::int64_t take_out_slivers(TriangleMesh& mesh);

}  // namespace sluice::geometry
