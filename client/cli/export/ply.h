// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/export/vtk.h"

namespace sluice::cli {

/// A binary little-endian PLY file: `x y z` and, when there are velocities, `vx vy vz` of each
/// vertex as float; for surfaces, faces as `list uchar int vertex_indices`.
/// Source: Turk, "The PLY Polygon File Format", 1994.
[[nodiscard]] std::string make_ply(const BodyGeometry& body);

}  // namespace sluice::cli
