// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"

namespace sluice::fluid::grid {

/// Of MacGrid::room: where there is less, a cell's middle is in a solid; and where there is less,
/// its density says nothing.
inline constexpr float room_at_face = 0.5F, least_room = 0.1F;

/// The same: where there is less, a solid cuts what a cell's density is summed over. More is
/// rounding.
inline constexpr float whole_room = 0.999F;

/// Planes of two axes; in 3D each has the number of the axis across it.
template <int D>
inline constexpr std::size_t plane_count = D == 3 ? 3 : 1;
template <int D>
[[nodiscard]] constexpr std::size_t plane_of(std::size_t a, std::size_t b) noexcept {
  return D == 3 ? 3 - a - b : 0;
}

/// The grid of a substep [Harlow1965]. An array of faces has at cell i, of axis a, the face between
/// the cells i - e_a and i, on its lower side. One of edges has there, of a plane, the edge across
/// it (in 2D the corner) on the cell's lower sides.
template <int D>
struct MacGrid {
  template <typename T>
  using Faces = std::array<Array<T>, D>;  ///< By axis.
  template <typename T>
  using Edges = std::array<Array<T>, plane_count<D>>;  ///< By plane.

  Tiles<D> tiles;
  Faces<float> velocity;  ///< [m/s] along the axis

  // Solids: solid_faces.h.
  Faces<float> open;  ///< The part of a face that is outside of all solids, in [0, 1].
  /// [m/s] The parts of a face that solids cover, times their velocities; empty where none moves.
  Faces<float> solid_flow;
  /// Closed, as something thin of an obstacle or a rigid body parts the cells at the face: what is
  /// on its two sides has nothing to do with each other. Empty where nothing thin is.
  Faces<std::uint8_t> parted;
  /// Of what a particle's weight at a cell's middle is spread over, the part outside of all solids.
  Array<float> room;
  /// By cell of a liquid: nothing but walls and obstacles takes of its room. Empty where there are
  /// no obstacles.
  Array<std::uint8_t> is_bodiless;
  /// By tile: all faces around its cells are open. Of what is no tile, false.
  std::vector<std::uint8_t> is_clear;
  /// Only for what is viscous, and in tiles that are not clear: how many times as much as that
  /// between two faces of liquid the shear at an edge counts. 0 where liquid slips along a solid.
  Edges<float> grip;

  Array<float> density;  ///< Of liquid at cells' middles, over that at rest, as scattered.

  // Only of liquids of several densities: mixed_density.h. Empty where there is one.
  Faces<float> lightness;             ///< Of a face: LiquidSettings::density over that there.
  std::vector<std::uint8_t> is_pure;  ///< By tile: all faces around its cells have 1. As is_clear.

  // Liquid: liquid_surface.h.
  Array<float> distance;  ///< [cells] from a cell's middle to the surface; negative in liquid.
  std::vector<std::uint8_t> is_full;  ///< By tile: all of its cells are liquid. As is_clear.

  Array<float> pressure;  ///< As pressure.h leaves it; 0 outside of the liquid.
};

/// Whether an obstacle, and nothing that moves with the liquid, cuts a cell. After fold_at_walls().
template <int D>
[[nodiscard]] bool is_cut(const MacGrid<D>& grid, std::size_t cell) noexcept {
  return !grid.is_bodiless.empty() && grid.is_bodiless[cell] != 0 && grid.room[cell] > 0 &&
         grid.room[cell] < whole_room;
}

}  // namespace sluice::fluid::grid
