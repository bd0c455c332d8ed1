// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/tiles.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// A face between two cells that something thin parts.
template <int D>
struct ThinPart {
  int axis;
  Cell<D> face;
  /// Whether it is so thin that places a cell apart along each axis may be on its two sides.
  bool is_screen;
};

/// Finds the faces that a closed surface parts where it is thin, by axis, then face, each once:
/// those that lines through the middles of cells go through in it where its two sides are so near
/// to each other that it might fill none of the cubes around faces between them
/// (SurfacePieces::find_partings says how near that is).
///
/// `vertices` [m], `triangles` counterclockwise from outside; `depth` [m]: in 2D, where across the
/// plane the surface is cut. Only lines through the box around all tiles are looked at.
template <int D>
[[nodiscard]] std::vector<ThinPart<D>> find_thin_parts(const CellFrame<D>& frame, double depth,
                                                       const Tiles<D>& tiles,
                                                       std::span<const Vec3> vertices,
                                                       std::span<const TriangleIndices> triangles);

extern template std::vector<ThinPart<2>> find_thin_parts<2>(const CellFrame<2>&, double,
                                                            const Tiles<2>&, std::span<const Vec3>,
                                                            std::span<const TriangleIndices>);
extern template std::vector<ThinPart<3>> find_thin_parts<3>(const CellFrame<3>&, double,
                                                            const Tiles<3>&, std::span<const Vec3>,
                                                            std::span<const TriangleIndices>);

}  // namespace sluice::fluid::grid
