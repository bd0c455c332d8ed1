// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/export/vtk.h"

namespace sluice::cli {

/// A binary little-endian PLY file: `x y z`, when there are velocities `vx vy vz`, and extra fields
/// by their names (`pressure`; with several components `name_0` and so on) of each vertex as float,
/// where particles have ids `id` as int;
/// for surfaces, faces as `list uchar int vertex_indices`. Source: Turk, "The PLY Polygon File
/// Format", 1994.
[[nodiscard]] std::string make_ply(const BodyGeometry& body);

}  // namespace sluice::cli
