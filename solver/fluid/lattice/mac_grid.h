// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"

namespace sluice::fluid::grid {

/// Limits of MacGrid::room: a cell with less than room_at_face has its middle in a solid; one with
/// less than least_room has a density that says nothing.
inline constexpr float room_at_face = 0.5F, least_room = 0.1F;

/// Another limit of MacGrid::room: with less, a solid cuts the volume that a cell's density is
/// summed over; with more, 1 - room is rounding.
inline constexpr float whole_room = 0.999F;

/// The number of planes of two axes; in 3D each plane has the number of the axis across it.
template <int D>
inline constexpr std::size_t plane_count = D == 3 ? 3 : 1;
template <int D>
[[nodiscard]] constexpr std::size_t plane_of(std::size_t a, std::size_t b) noexcept {
  return D == 3 ? 3 - a - b : 0;
}

/// The grid of a substep [Harlow1965]. An array of faces of axis a has at cell i the face between
/// the cells i - e_a and i, on its lower side. An array of edges of a plane has there the edge
/// across that plane (in 2D the corner) on the cell's lower sides.
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
  /// Whether a face is closed as something thin of a solid parts the cells at it: the fluids on its
  /// two sides have nothing to do with each other. Empty where nothing thin is.
  Faces<std::uint8_t> parted;
  /// The part outside of all solids of the volume that a weight at a cell's middle is spread over.
  Array<float> room;
  /// By cell of a liquid: whether only walls and obstacles take some of its room. Empty where there
  /// are no obstacles.
  Array<std::uint8_t> is_bodiless;
  /// By tile: whether all faces around its cells are open. False for a tile that is not there.
  std::vector<std::uint8_t> is_clear;
  /// Only for viscous liquids, and in tiles that are not clear: weight of the shear at an edge,
  /// over that between two faces of liquid. 0 where liquid slips along a solid.
  Edges<float> grip;

  Array<float> density;  ///< Liquid's density at cells' middles, over that at rest, as scattered.

  // Only for liquids of several densities: mixed_density.h. Empty where there is one.
  Faces<float> lightness;             ///< By face: LiquidSettings::density over the density there.
  std::vector<std::uint8_t> is_pure;  ///< By tile, like is_clear: lightness is 1 on all its faces.

  // Liquid: liquid_surface.h.
  Array<float> distance;  ///< [cells] from a cell's middle to the surface; negative in liquid.
  std::vector<std::uint8_t> is_full;  ///< By tile, like is_clear: whether all cells are liquid.

  // Only for liquids with an interior of larger cells: liquid/interior.h. Empty where there is
  // none.
  Array<std::uint8_t> is_interior;         ///< By cell: whether a larger one has its liquid.
  std::vector<std::uint8_t> has_interior;  ///< By tile, like is_clear: whether it has such cells.

  Array<float> pressure;  ///< [m/s] Scaled as in pressure.h; 0 outside of the liquid.
};

/// Whether an obstacle, and nothing that moves with the liquid, cuts a cell; after fold_at_walls().
template <int D>
[[nodiscard]] bool is_cut(const MacGrid<D>& grid, std::size_t cell) noexcept {
  return !grid.is_bodiless.empty() && grid.is_bodiless[cell] != 0 && grid.room[cell] > 0 &&
         grid.room[cell] < whole_room;
}

}  // namespace sluice::fluid::grid
