// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solver/fluid/immersed/outline_map.h"
#include "solver/fluid/immersed/surface_pieces.h"

namespace sluice::fluid::grid {

/// Slices of elastic bodies in a liquid in two dimensions, by the pieces of their outlines
/// (surface_pieces.h): a plank floats as deep as Archimedes says, wherever it is between the cells.
/// In a gas, which gravity moves by differences of density alone, faces are open as far as they
/// themselves are (OutlinesInGas), and what is thinner leaves no way.
///
/// Faces that something thin closes move as it does along their axis, and pressure acts along that:
/// liquid that is parted off between steps of closed faces then presses to all sides alike, and
/// thin slices do not slide along themselves. (With the part across the surface alone, as of
/// SurfacesInFluid, a plank 0.8 cells thick and as dense as the liquid did, at 0.15 g.) So liquid
/// in those faces, up to a cell's layer, goes with them also along them.
class OutlinesInLiquid final : public SurfacePieces<2> {
 public:
  /// `mass_of_cell` [kg]: m.
  OutlinesInLiquid(const CellFrame<2>& frame, double mass_of_cell)
      : SurfacePieces(frame, mass_of_cell) {}

  /// Sets a substep's solids, clears impulses(). Copies all but the response, which must live on.
  void set(const ImmersedSolids& solids);

  /// After SolidFaces::find(): takes what solids fill from `grid`'s open, room and is_clear.
  void cover(MacGrid<2>& grid);
  /// To be called after cover().
  void close_parted(MacGrid<2>& grid) override;

  /// Gives closed faces at outlines, whose velocities are extrapolated from the liquid, the
  /// velocities of liquid that goes along them.
  void constrain(MacGrid<2>& grid) const;

 private:
  void add_pieces(std::uint32_t edge, int axis);
  void fill(MacGrid<2>& grid) const;
  [[nodiscard]] Vec3 normal(std::uint32_t edge) const override;
  [[nodiscard]] bool encloses(std::uint32_t /*edge*/) const override { return true; }
  [[nodiscard]] Vec3 driven(std::uint32_t edge, int axis) const override;
  [[nodiscard]] bool is_at_outline(const Cell<2>& face, int axis) const;
  [[nodiscard]] Vec3 velocity_at(const OutlineMap::Place& place) const;

  OutlineMap map_;
};

}  // namespace sluice::fluid::grid
