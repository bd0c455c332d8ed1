// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solver/geometry/bcc_lattice.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/types.h"

namespace sluice::geometry {

/// Finds which points of a lattice a closed surface encloses (1) or not (0), by index; nothing if
/// its winding number is neither 0 nor 1 at some point: shells face inward or lie in each other.
///
/// `triangles` holds the boxes of the surface's triangles. Exact (predicates.h): triangles that a
/// ray along x crosses are counted, those that face along the ray +1, others -1; rays that meet an
/// edge or a corner are pushed aside infinitesimally, in y and by a smaller order in z
/// [Edelsbrunner1990]. A point on the surface counts as either.
/// Cost: a query a column of points and, a triangle it crosses, log n exact tests; in parallel.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> enclosed_points(const TriangleMesh& surface,
                                                                       const SparseGrid& triangles,
                                                                       const BccLattice& lattice);

/// Returns how often a closed surface goes around a point: 1 inside, 0 outside, others where shells
/// face inward or lie in each other. It is as exact as enclosed_points(); a query a call.
[[nodiscard]] std::int32_t winding_number(const TriangleMesh& surface, const SparseGrid& triangles,
                                          const Vec3& point);

/// The boxes of a surface's triangles, for the above.
[[nodiscard]] SparseGrid triangle_boxes(const TriangleMesh& surface);

}  // namespace sluice::geometry
