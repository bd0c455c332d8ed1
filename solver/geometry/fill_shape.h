// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/geometry/shape.h"
#include "solver/geometry/tet_mesh.h"
#include "solver/result.h"

namespace sluice::geometry {

/// Fills an analytic solid with tetrahedra whose edges are about `element_size` [m]: a box by
/// `box_tets`, exactly; others by isosurface stuffing of their signed distance, with vertices on
/// the surface to 1e-9 of its size. World frame. A half-space is a caller's bug (asserted).
///
/// Errors: `invalid_mesh` for elements so large that none fits, and for more than `most_tets`.
/// Determinism: the same bits for any number of threads.
[[nodiscard]] Result<TetMesh> fill_shape(const Shape& shape, double element_size,
                                         std::int64_t most_tets);

/// Returns the longest side [m] of the shape's bounding box in its own frame.
[[nodiscard]] double longest_side(const Shape& shape);

}  // namespace sluice::geometry
