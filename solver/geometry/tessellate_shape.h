// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/geometry/shape.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/result.h"

namespace sluice::geometry {

/// The closed surface of an analytic solid as triangles, counterclockwise from outside, whose edges
/// along the shape's own axes and circles are at most `edge_length` [m], > 0 (diagonals are up to
/// twice that). World frame. A half-space is a caller's bug (asserted).
///
/// Vertices are on the surface: a box is exact, round shapes lose volume by the square of the edge
/// over the radius. A circle has 6 edges or more.
/// Errors: `invalid_mesh` for more than `most_triangles`.
[[nodiscard]] Result<TriangleMesh> tessellate_shape(const Shape& shape, double edge_length,
                                                    std::int64_t most_triangles);

}  // namespace sluice::geometry
