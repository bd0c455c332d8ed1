// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/immersed/elastic_bodies.h"
#include "solver/fluid/immersed/outline_map.h"

namespace sluice::fluid::grid {

/// Solids that deform in a gas in two dimensions, by the map of their boundary [Imamura2008].
///
/// The part of a face that the map's crossings leave is open, exactly; and each cell that an
/// outline goes through has pieces of it, which with the open parts of its faces enclose the gas it
/// has. A piece with the normal n (out of the solid, as long as the piece in cells) that moves at V
/// drives V . n into the cell: K is a sum over pieces.
///
/// Deviation from [Imamura2008] 4.5: there the force on a crossing is (u - V) / (2 dt) a unit of
/// mass of gas, u the gas's velocity at the next place of the grid. It depends on the step, and
/// leaves gas a part of its way through the solid.
class OutlinesInGas final : public ElasticBodies<2> {
 public:
  using Place = OutlineMap::Place;

  /// `mass_of_cell` [kg]: m.
  OutlinesInGas(const CellFrame<2>& frame, double mass_of_cell)
      : ElasticBodies(frame, mass_of_cell) {}

  /// Sets a substep's solids, clears impulses(). Copies all but the response, which must live on.
  void set(const ImmersedSolids& solids);
  [[nodiscard]] bool is_empty() const noexcept override { return outline_.empty(); }

  /// After SolidFaces::find(): takes what solids cover from `grid`'s open and is_clear.
  void cover(MacGrid<2>& grid) const;

  /// The solids that gas sticks to, as a face's velocity meets them.
  struct Meeting {
    bool is_inside = false;  ///< The middle of the face is in a solid.
    /// [cells] By side of the middle, the way to the outline; infinite where more than a cell.
    std::array<float, side_count<2>> ways{};
    /// Drag::weight of a corner that no side sees, which holds back as well. When the corner comes
    /// in sight of a side, that side takes over.
    float of_corner = 0;
    float velocity = 0;  ///< [m/s] of the nearest place, along the face's axis
    Place place;
  };
  /// The faces across an axis that may meet something, among others.
  [[nodiscard]] std::vector<Cell<2>> faces_near(int axis) const;
  /// Finds what a face meets; nothing if no such solid is within a cell of its middle.
  [[nodiscard]] std::optional<Meeting> find_meeting(const Cell<2>& face, int axis) const;

  /// Gives a place an impulse [m/s, times m] along an axis of the grid.
  void drag(const Place& place, int axis, double impulse);
  /// Adds the impulses of the hydrostatic pressure that there would be for `change` [m/s] of free
  /// fall in the substep: 0 at the height of `level` [m].
  void lift(const Vec3& change, const Vec3& level);

  /// Gives closed faces in solids, whose velocities are extrapolated from the gas, the velocities
  /// of the solids.
  void constrain(MacGrid<2>& grid) const;

  /// Saves the solids' positions.
  void save(ByteWriter& out) const;
  /// Restores them for the same solids; returns false if the bytes do not fit.
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  [[nodiscard]] std::vector<InCell> entries(const Tiles<2>& tiles) const override;
  [[nodiscard]] double covered(const Cell<2>& face, int axis) const;
  [[nodiscard]] Vec3 place_of(const Place& place) const;  // [m]
  [[nodiscard]] Vec3 velocity_at(const Place& place) const;
  void give(const Place& place, const Vec3& impulse);

  OutlineMap map_;
  std::vector<EdgeIndices> outline_;
  std::vector<std::uint8_t> sticks_;  // By edge.
};

}  // namespace sluice::fluid::grid
