// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/eight_places.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// Interpolates an array's values linearly along each axis, at `X` in cells from the place of the
/// value of cell 0 on. 0 far from all tiles.
template <int D>
[[nodiscard]] float interpolate(const Tiles<D>& tiles, const float* values, const Vec<D>& X);

/// The values around a place that interpolate() mixes, along x first.
template <int D>
using Corners = std::array<float, std::size_t{1} << D>;
template <int D>
[[nodiscard]] Corners<D> corners_around(const Tiles<D>& tiles, const float* values,
                                        const Vec<D>& X);

/// [m/s] The velocity at a place, trilinear between the faces of each axis; 0 far from all tiles.
template <int D>
[[nodiscard]] Vec<D> velocity_at(const CellFrame<D>& frame, const MacGrid<D>& grid, const Vec3f& x);

/// [m/s] An upper limit of the speed: as if the largest velocities along all axes met.
template <int D>
[[nodiscard]] float highest_speed(const MacGrid<D>& grid);

/// Stands in place of the axis of faces where values are in the middles of cells.
inline constexpr int no_axis = -1;

/// Traces places in or near a tile through a flow that stays as it is. The flow around the tile is
/// kept side by side; beyond that, velocities are looked up in all tiles.
template <int D>
class TileTracer {
 public:
  TileTracer(const CellFrame<D>& frame, const MacGrid<D>& grid,
             scene::PathIntegrator integrator = scene::PathIntegrator::rk3);

  /// Sets the tile that the places to trace are in or near.
  void look_at(std::size_t tile);

  /// Sets to[i] [m] to where from[i] [m] is after `h` seconds, of either sign, for i in `which`.
  void trace(std::span<const std::uint32_t> which, std::span<const Vec3f> from, float h,
             std::span<Vec3f> to) const;
  /// Traces eight cells in a row, from `index` in the tile on: the middles of their faces across
  /// `axis`, or of the cells themselves (no_axis). Returns places in cells from first_cell() on.
  [[nodiscard]] Places<D> trace(std::size_t index, int axis, float h) const;

  /// The number of cells around a tile that are kept with it, on each side, and the first of them.
  static constexpr std::size_t margin = 4;
  [[nodiscard]] const Cell<D>& first_cell() const noexcept { return first_; }

 private:
  [[nodiscard]] Vec<D> velocity_at(const Vec<D>& X) const;
  [[nodiscard]] Places<D> velocity_at(const Places<D>& X) const;
  [[nodiscard]] Places<D> velocity_on(std::size_t corner, int axis) const;
  [[nodiscard]] Places<D> way_from(const Places<D>& X, const Places<D>& velocity, float step) const;

  const CellFrame<D>& frame_;
  const MacGrid<D>& grid_;
  scene::PathIntegrator integrator_;
  Cell<D> first_{};  // The first cell of the padded tile.
  std::array<std::array<float, padded_size<D, margin>>, D> velocity_;
};

extern template float interpolate<2>(const Tiles<2>&, const float*, const Vec<2>&);
extern template float interpolate<3>(const Tiles<3>&, const float*, const Vec<3>&);
extern template Corners<2> corners_around<2>(const Tiles<2>&, const float*, const Vec<2>&);
extern template Corners<3> corners_around<3>(const Tiles<3>&, const float*, const Vec<3>&);
extern template Vec<2> velocity_at<2>(const CellFrame<2>&, const MacGrid<2>&, const Vec3f&);
extern template Vec<3> velocity_at<3>(const CellFrame<3>&, const MacGrid<3>&, const Vec3f&);
extern template float highest_speed<2>(const MacGrid<2>&);
extern template float highest_speed<3>(const MacGrid<3>&);
extern template class TileTracer<2>;
extern template class TileTracer<3>;

}  // namespace sluice::fluid::grid
