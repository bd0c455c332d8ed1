// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "solver/types.h"

namespace sluice::geometry {

/// Cells along the world's axes, side by side.
struct CellBlock {
  Vec3 origin;                         ///< [m] The corner of least coordinates of the first cell.
  Vec3 cell_size;                      ///< [m] Each > 0.
  std::array<std::int32_t, 3> counts;  ///< Along each axis, in [1, 4096].
};

/// The part of a cell that is inside a solid.
struct CellPart {
  float volume = 0;              ///< Over the cell's, in [0, 1].
  Vec3f moment = Vec3f::Zero();  ///< Integral of the place, from the cell's middle; in cells.
};

/// Writes the part of each cell that is inside a closed triangle mesh: that of cell (i, j, k) to
/// parts[(k counts[1] + j) counts[0] + i].
///
/// Each triangle is cut along the sides of the cells. By the divergence theorem, a piece adds the
/// prism between it and the start of its row of cells, with the sign of its normal along the row:
/// no outline is assembled, and no point classified.
///
/// Domain: a closed mesh whose triangles are counterclockwise from outside (check_closed), of any
///   topology, inside or outside of the block. Cavities are outside; where shells overlap, the cell
///  counts as inside. For an open mesh the parts mean nothing.
/// Accuracy: 1e-12 of a cell, written as float. A volume within 1e-7 of 0 or 1 becomes 0 or 1.
/// Same bits for any number of threads.
void find_cell_parts(std::span<const Vec3> vertices, std::span<const TriangleIndices> triangles,
                     const CellBlock& block, std::span<CellPart> parts);

}  // namespace sluice::geometry
