// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/immersed/surface_map.h"
#include "solver/fluid/immersed/surface_pieces.h"

namespace sluice::fluid::grid {

/// Cloths and soft bodies in a fluid in three dimensions, by the pieces of their surfaces
/// (surface_pieces.h), which the map of their surfaces finds: OutlinesInGas does this in two.
///
/// Thin solids are sheets, and thin parts of bodies. Where the fluid slips, a face that they close
/// has as its velocity the component along its axis of n n . v, v being that of the crossing, and
/// pressure there acts along n alone: steps of closed faces hold nothing that flows along the
/// surface.
class SurfacesInFluid final : public SurfacePieces<3> {
 public:
  using Place = SurfaceMap::Place;

  /// `mass_of_cell` [kg]: m.
  SurfacesInFluid(const CellFrame<3>& frame, double mass_of_cell)
      : SurfacePieces(frame, mass_of_cell) {}

  /// Sets a substep's solids, clears impulses(). Copies all but the response, which must live on.
  void set(const ImmersedSolids& solids);

  /// After SolidFaces::find(): takes what solids fill from `grid`'s open, room and is_clear.
  void cover(MacGrid<3>& grid);
  /// To be called after cover().
  void close_parted(MacGrid<3>& grid) override;

  /// The solids that gas sticks to, as a face's velocity meets them.
  struct Meeting {
    bool is_inside = false;  ///< The middle of the face is in a solid.
    /// [cells] By side of the middle, the way to the surface; infinite where more than a cell.
    std::array<float, side_count<3>> ways{};
    float of_corner = 0;  ///< Always 0: only OutlinesInGas looks for corners.
    float velocity = 0;   ///< [m/s] of the nearest place, along the face's axis
    Place place;
  };
  /// The faces across an axis that may meet something.
  [[nodiscard]] std::vector<Cell<3>> faces_near(int axis) const;
  /// Finds what a face meets; nothing if no such solid is in the cube around it, and none within a
  /// cell of its middle along the axes.
  [[nodiscard]] std::optional<Meeting> find_meeting(const Cell<3>& face, int axis) const;

  /// Gives a place an impulse [m/s, times m] along an axis of the grid.
  void drag(const Place& place, int axis, double impulse);
  /// Adds the impulses of the hydrostatic pressure that there would be for `change` [m/s] of free
  /// fall in the substep: 0 at the height of `level` [m].
  void lift(const Vec3& change, const Vec3& level);

  /// Gives closed faces at surfaces, whose velocities are extrapolated from the fluid, the
  /// velocities of fluid that goes along them, or sticks to them.
  void constrain(MacGrid<3>& grid) const;

  /// Saves the solids' positions.
  void save(ByteWriter& out) const;
  /// Restores them for the same solids; returns false if the bytes do not fit.
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  struct Sight {
    float way;  // [cells]
    Place place;
  };
  void add_pieces(std::uint32_t triangle, int axis, std::vector<Piece>& pieces) const;
  void fill(std::span<const TriangleIndices> triangles, MacGrid<3>& grid) const;
  [[nodiscard]] Vec3 normal(std::uint32_t triangle) const override;
  [[nodiscard]] bool encloses(std::uint32_t triangle) const override {
    return is_closed_[triangle] != 0;
  }
  [[nodiscard]] Vec3 driven(std::uint32_t triangle, int axis) const override;
  [[nodiscard]] std::vector<Mover> movers(const Cell<3>& face, int axis, const Parting& first,
                                          const Parting& last) const override;
  [[nodiscard]] bool is_inside(const Cell<3>& face, int axis) const;
  [[nodiscard]] std::array<std::optional<Sight>, side_count<3>> look_around(const Cell<3>& face,
                                                                            int axis) const;
  [[nodiscard]] Vec3 at(const Place& place, std::span<const Vec3> of_vertices) const;
  void give(const Place& place, const Vec3& impulse);

  SurfaceMap map_;
  std::vector<std::uint8_t> is_closed_, sticks_;                  // By triangle.
  std::vector<std::pair<std::size_t, std::size_t>> closed_ones_;  // First triangle, and how many.
  std::vector<Piece> of_sheets_;                                  // Pieces of sheets, as pieces_.
};

}  // namespace sluice::fluid::grid
