// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/geometry/covered_fraction.h"
#include "solver/geometry/shape.h"

namespace sluice::fluid::grid {

/// The part of the face across `axis` on the lower side of a cell that is in `shape`, in [0, 1].
/// `depth` [m]: in 2D, where across the plane the shape is cut.
template <int D>
[[nodiscard]] double covered_part(const geometry::Shape& shape, const CellFrame<D>& frame,
                                  double depth, const Cell<D>& cell, int axis) {
  const Vec3 corner = frame.place(cell, Vec<D>::Zero(), depth);
  const double edge = frame.cell_size;
  if constexpr (D == 3) {
    return geometry::covered_fraction(shape, geometry::AxisFace{axis, corner, {edge, edge}});
  } else {
    return geometry::covered_fraction(shape,
                                      geometry::AxisSegment{world_axis<D>(1 - axis), corner, edge});
  }
}

}  // namespace sluice::fluid::grid
