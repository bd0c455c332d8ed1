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
#include "solver/fluid/grid/elastic_bodies.h"
#include "solver/fluid/grid/surface_map.h"

namespace sluice::fluid::grid {

/// Cloths and soft bodies in a fluid in three dimensions, by the map of their surfaces: what
/// ElasticBoundary is in two.
///
/// Of what is solid through more than a few cells, faces are open as far as the cubes around them
/// are (Filling), and a piece of surface in such a cube drives its velocity along the cube's axis
/// into the two cells there, by how near it is to the middle of each. So a cell's flow is closed
/// exactly, and pressure that grows along an axis lifts by exactly the volume.
///
/// What is thin, a sheet or a part of a body, closes each face between two cells' middles that it
/// parts: nothing gets through it, however thin, and each side has a pressure of its own. Where the
/// fluid slips, the face's velocity is what that of the crossing across the surface, n n . v, has
/// along its axis, and pressure there acts along n alone: steps of closed faces hold nothing that
/// flows along the surface. Liquid that was open there, between the middles and the surface, goes
/// along in this: without its weight, still water would lift a sheet by a layer of cells.
class ElasticSurface final : public ElasticBodies<3> {
 public:
  using Place = SurfaceMap::Place;

  /// `mass_of_cell` [kg]: m.
  ElasticSurface(const Frame<3>& frame, double mass_of_cell) : ElasticBodies(frame, mass_of_cell) {}

  /// Those of the next substep, of which impulses() begin at 0. Copied, but for what answers.
  void set(const ImmersedSolids& solids);
  [[nodiscard]] bool is_empty() const noexcept override { return triangles_.empty(); }

  /// After SolidFaces::find(): takes what solids fill from `grid`'s open, room and is_clear.
  void cover(MacGrid<3>& grid);
  /// After cover().
  void close_parted(MacGrid<3>& grid) override;

  /// For liquids, after `grid` knows where they are.
  void attach(const MacGrid<3>& grid) override;

  /// What a face's velocity meets of solids that gas sticks to.
  struct Meeting {
    bool is_inside = false;  ///< The middle of the face is in a solid.
    /// [cells] By side of the middle, how far the surface is; infinite where further than a cell.
    std::array<float, side_count<3>> ways{};
    float of_corner = 0;  ///< As ElasticBoundary's; corners are not looked for here.
    float velocity = 0;   ///< [m/s] of what is nearest, along the face's axis
    Place place;
  };
  /// The faces across an axis that may meet something.
  [[nodiscard]] std::vector<Cell<3>> faces_near(int axis) const;
  /// Nothing if there is none in the cube around the face, and none within a cell of its middle
  /// along the axes.
  [[nodiscard]] std::optional<Meeting> find_meeting(const Cell<3>& face, int axis) const;

  /// Gives a place an impulse [m/s, times m] along an axis of the grid.
  void drag(const Place& place, int axis, double impulse);
  /// The impulse of what hydrostatic pressure would be, for `change` [m/s] of free fall in the
  /// substep: 0 at the height of `level` [m].
  void lift(const Vec3& change, const Vec3& level);

  /// Gives closed faces at surfaces, whose velocities are extrapolated from the fluid, those of
  /// fluid that goes along them, or sticks to them.
  void constrain(MacGrid<3>& grid) const;

  /// Where they are.
  void save(ByteWriter& out) const;
  /// Of the same solids; false if the bytes do not fit.
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  // Of a surface, what drives fluid into the two cells at a face.
  struct Piece {
    Cell<3> face;
    int axis;
    Vec3 direction{};                 // Of its velocity, the part along this is the face's,
    std::array<double, 2> weights{};  // times this into the lower cell, into the upper one.
    Place place{};
    std::array<double, 2> attached{};  // [cells] Of fluid on both sides that goes with it.
  };
  // What closes a face.
  struct Parting {
    std::int32_t at;  // Of the face, along the line.
    const SurfaceMap::Crossing* crossing;
    double below, above;  // [cells] Of fluid up to it from the middles of the cells there.
  };
  struct Sight {
    float way;  // [cells]
    Place place;
  };
  [[nodiscard]] std::vector<InCell> entries(const Tiles<3>& tiles) const override;
  void add_pieces(std::uint32_t triangle, int axis, std::vector<Piece>& pieces) const;
  void fill(std::span<const TriangleIndices> triangles, MacGrid<3>& grid) const;
  [[nodiscard]] std::vector<Parting> find_partings(int axis, const SurfaceMap::OnLine& line) const;
  void part(int axis, const SurfaceMap::OnLine& line, MacGrid<3>& grid);
  [[nodiscard]] Vec3 normal(std::uint32_t triangle) const;
  [[nodiscard]] Vec3 driven(std::uint32_t triangle, int axis) const;
  static bool comes_before(const Piece& a, const Piece& b);  // By axis, then face.
  [[nodiscard]] const Piece* find_piece(const Cell<3>& face, int axis) const;
  [[nodiscard]] bool is_inside(const Cell<3>& face, int axis) const;
  [[nodiscard]] std::array<std::optional<Sight>, side_count<3>> look_around(const Cell<3>& face,
                                                                            int axis) const;
  [[nodiscard]] Vec3 at(const Place& place, std::span<const Vec3> of_vertices) const;
  void give(const Place& place, const Vec3& impulse);

  SurfaceMap map_;
  std::vector<TriangleIndices> triangles_;
  std::vector<std::uint8_t> is_closed_, sticks_;                  // By triangle.
  std::vector<std::pair<std::size_t, std::size_t>> closed_ones_;  // First triangle, and how many.
  std::vector<Piece> pieces_;                                     // By axis, then face.
  std::vector<Piece> of_sheets_;                                  // The same: what may part.
};

}  // namespace sluice::fluid::grid
