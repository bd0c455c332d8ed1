// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/fluid/lattice/mac_grid.h"

namespace sluice::fluid::grid {

/// How much liquid is around each place where a MAC grid has a velocity or a rate of strain: the
/// weights of [Batty2008]. Of 1: a cube of a cell's size around it is full. Solids count as full.
///
/// What has a face of air, whose velocity nobody knows, next to it has none.
template <int D>
struct ViscousVolumes {
  /// In the place of a face's volume: its velocity is given. In that of a cell's or an edge's: so
  /// are all faces around it.
  static constexpr float solid = -1;

  Tiles<D> tiles;
  typename MacGrid<D>::template Faces<float> faces;  ///< 0 of air.
  Array<float> cells;
  typename MacGrid<D>::template Edges<float> edges;
};

/// Needs all of `grid` that solid_faces.h and liquid_surface.h give, `grip` too. Faces are of the
/// liquid if they are open and next to a cell of liquid; these have at least a hundredth.
template <int D>
[[nodiscard]] ViscousVolumes<D> find_volumes(const MacGrid<D>& grid);

/// Those of cells that are each 2 x 2 (x 2) of these, whose faces are on every other plane of
/// these: means of what is interpolated from them, without what is solid. A face that is mostly
/// solid on its plane is so; an edge at solids has the volume of the one there, which knows what
/// slips.
template <int D>
[[nodiscard]] ViscousVolumes<D> coarsened(const ViscousVolumes<D>& fine);

}  // namespace sluice::fluid::grid
