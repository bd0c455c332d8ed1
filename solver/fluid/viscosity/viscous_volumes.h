// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/fluid/lattice/mac_grid.h"

namespace sluice::fluid::grid {

/// The volume of liquid around each place where a MAC grid has a velocity or a rate of strain, as
/// [Batty2008] weighs it: 1 where a cell-sized cube around the place is full. Solids count as full.
///
/// A cell or edge with a face in air next to it, whose velocity is unknown, has volume 0.
template <int D>
struct ViscousVolumes {
  /// Stands for the volume of a face whose velocity a solid gives, and of a cell or an edge that
  /// has only such faces around it.
  static constexpr float solid = -1;

  Tiles<D> tiles;
  typename MacGrid<D>::template Faces<float> faces;  ///< 0 for a face in air.
  Array<float> cells;
  typename MacGrid<D>::template Edges<float> edges;
};

/// Finds the volumes of `grid`, which solid_faces.h and liquid_surface.h have set, `grip` too. A
/// face is the liquid's if it is open and next to a liquid cell; its volume is then at least 0.01.
template <int D>
[[nodiscard]] ViscousVolumes<D> find_volumes(const MacGrid<D>& grid);

/// Returns the volumes of cells made of 2 x 2 (x 2) fine cells each, whose faces lie on every other
/// plane of the fine ones. Each is the mean of the fine volumes interpolated from it, without solid
/// ones. A face is solid if at least half of it, on its plane, is; an edge at solids has the volume
/// of the fine edge there, which includes whether the liquid slips.
template <int D>
[[nodiscard]] ViscousVolumes<D> coarsened(const ViscousVolumes<D>& fine);

}  // namespace sluice::fluid::grid
