// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/grid/boundary_map.h"
#include "solver/fluid/grid/immersed.h"
#include "solver/fluid/immersed_solids.h"

namespace sluice::fluid::grid {

/// Solids that deform in a gas in two dimensions, by the map of their boundary [Imamura2008].
///
/// What the map's crossings leave of a face is open, exactly; and each cell that an outline goes
/// through has pieces of it, which with the open parts of its faces enclose what gas it has. Of a
/// piece with the normal n (out of the solid, as long as the piece in cells), pressure p
/// (pressure.h) gives its place the impulse -m p n, m being the mass of a cell full of gas; and its
/// velocity V drives V . n into the cell. So K of immersed.h is a sum over pieces, and the same
/// numbers, transposed, are what keeps momentum and energy. R is what the solids answer to impulses
/// in a substep, their elasticity included: pressure and elastic bodies are solved for at once
/// [RobinsonMosher2008], and whatever the bodies weigh, neither runs ahead of the other.
///
/// Deviation from [Imamura2008] 4.5: there the force on a crossing is (u - V) / (2 dt) a unit of
/// mass of gas, u the gas's velocity at the next place of the grid. It depends on the step, and
/// leaves gas a part of its way through the solid.
class ElasticBoundary final : public Immersed<2> {
 public:
  /// `mass_of_cell` [kg]: m.
  ElasticBoundary(const Frame<2>& frame, double mass_of_cell)
      : frame_(frame), mass_of_cell_(mass_of_cell) {}

  /// Those of the next substep, of which impulses() begin at 0. Copied, but for what answers.
  void set(const ImmersedSolids& solids);
  [[nodiscard]] const BoundaryMap& map() const noexcept { return map_; }

  /// After SolidFaces::find(): takes what solids cover from `grid`'s open and is_clear.
  void cover(MacGrid<2>& grid) const;

  /// What a face's velocity meets of solids that gas sticks to.
  struct Meeting {
    bool is_inside = false;  ///< The middle of the face is in a solid.
    /// [cells] By side of the middle, how far the outline is; infinite where further than a cell.
    std::array<float, side_count<2>> ways{};
    /// What a corner that no side sees holds back as well: weight of Drag. As a corner comes in
    /// sight of a side, that takes over.
    float of_corner = 0;
    float velocity = 0;  ///< [m/s] of what is nearest, along the face's axis
    float covered = 0;   ///< The part of the face that is in solids.
    BoundaryMap::Place place;
  };
  /// Nothing if there is none within a cell of the middle of the face.
  [[nodiscard]] std::optional<Meeting> find_meeting(const Cell<2>& face, int axis) const;

  /// Gives a place an impulse [m/s, times m] along an axis of the grid.
  void drag(const BoundaryMap::Place& place, int axis, double impulse);
  /// Gives the solids the impulses of `part` of a pressure that acts in any case.
  void press(const Array<float>& pressure, float part, const Tiles<2>& tiles);
  /// The impulse of what hydrostatic pressure would be, for `change` [m/s] of free fall in the
  /// substep: 0 at the height of `level` [m].
  void lift(const Vec3& change, const Vec3& level);
  /// The solids' velocities are those with all impulses so far from now on.
  void respond();

  [[nodiscard]] bool is_empty() const noexcept override { return outline_.empty(); }
  void tie(const PoissonSystem<2>& system) override;
  [[nodiscard]] std::vector<std::span<const std::uint32_t>> tied_cells() const override;
  void add_inflow(std::span<double> inflow) const override;
  double apply(std::span<const float> x, std::span<double> image) const override;
  void accelerate(std::span<const double> pressure, MacGrid<2>& grid) override;

  /// Gives closed faces in solids, whose velocities are extrapolated from the gas, those of the
  /// solids.
  void constrain(MacGrid<2>& grid) const;

  /// [N s] By vertex.
  [[nodiscard]] std::span<const Vec3> impulses() const noexcept { return impulses_; }

  /// Where they are.
  void save(ByteWriter& out) const;
  /// Of the same solids; false if the bytes do not fit.
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  // Of K^T: what a velocity of a vertex drives into a cell.
  struct Entry {
    std::uint32_t vertex;
    std::array<double, 2> weight;
  };
  [[nodiscard]] double covered(const Cell<2>& face, int axis) const;
  [[nodiscard]] Vec3 place_of(const BoundaryMap::Place& place) const;  // [m]
  [[nodiscard]] Vec3 velocity_at(const BoundaryMap::Place& place) const;
  void give(const BoundaryMap::Place& place, const Vec3& impulse, std::span<Vec3> impulses) const;
  [[nodiscard]] double flow_of(const Entry& entry, std::span<const Vec3> velocities) const;

  Frame<2> frame_;
  double mass_of_cell_;
  BoundaryMap map_;
  std::vector<EdgeIndices> outline_;
  std::vector<std::uint8_t> sticks_;  // By edge.
  std::vector<Vec3> positions_;       // [m] by vertex
  std::vector<Vec3> velocities_;      // [m/s] by vertex, with impulses so far
  std::vector<Vec3> impulses_;        // [N s] by vertex
  std::vector<Vec3> unanswered_;      // [N s] of impulses_
  ImpulseResponse* response_ = nullptr;
  std::vector<std::uint32_t> cells_;      // Unknowns that press on solids, and of each
  std::vector<std::size_t> first_entry_;  // its entries, and one more.
  std::vector<Entry> entries_;
  mutable std::vector<Vec3> pressed_, answer_;  // By vertex, in apply().
};

}  // namespace sluice::fluid::grid
