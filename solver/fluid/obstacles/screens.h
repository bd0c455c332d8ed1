// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// Whether there may be a way for fluid through an obstacle from cell to cell: it is so thin that
/// it may cover no face of the grid whole.
template <int D>
[[nodiscard]] bool is_thin(const geometry::Shape& shape, double cell_size);

/// A place, and the time at which something is there.
struct Event {
  Vec3 x;             ///< [m]
  double before = 0;  ///< Parts of the substep before its end: 0 at the end, 1 at the start.
};

/// A triangle of a solid with thin parts.
struct Facet {
  std::array<Vec3, 3> corners;   ///< [m] Counterclockwise from outside of a closed surface.
  Vec3 velocity = Vec3::Zero();  ///< [m/s]
  /// Whether the corners are where its velocity has taken it, at the end of the substep; else the
  /// facet is taken to stay where it is at the start, all the time.
  bool is_at_end = false;
  bool sticks = false;  ///< Whether fluid sticks to it; else it slips.
};

/// Thin solids, which hide the fluids on their two sides from each other: code that interpolates
/// between values of the grid uses only those that it sees.
///
/// Solids move in a substep; whether they hide something is found in their own frames.
template <int D>
class Screens {
 public:
  /// Names of solids near a cell.
  using Near = std::span<const std::uint32_t>;

  /// `depth` [m]: in 2D, where across the plane obstacles are cut. Obstacles are screens that are
  /// thin for cells `cells` times as large as those of the frame.
  Screens(const CellFrame<D>& frame, double depth, double cells = 1)
      : frame_(frame), depth_(depth), cells_(cells) {}

  /// Sets the obstacles as they are at the end of the substep, with their velocities in it.
  /// Obstacles that are not thin are no screens.
  void set_obstacles(std::span<const scene::Obstacle> obstacles);

  /// Sets the facets of all other thin solids.
  void set_facets(std::span<const Facet> facets);

  [[nodiscard]] bool is_empty() const noexcept { return obstacles_.empty() && facets_.empty(); }

  /// Finds which solids are near which cells of `tiles`, in a substep of `h` [s] in which ways that
  /// are looked at go `way` [m] at most. The tiles must live as long.
  void look_around(const Tiles<D>& tiles, float h, double way);

  /// After look_around(): the solids that may hide anything within a cell of the cell with the
  /// index `cell` in arrays; none for a cell that is in no tile.
  [[nodiscard]] Near near(std::size_t cell) const noexcept;
  /// The same for the cell that a place [m] is in.
  [[nodiscard]] Near near(const Vec3& x) const noexcept;
  /// Whether a solid may be near a way from a cell, no longer than look_around() was told.
  [[nodiscard]] bool is_in_way(std::size_t cell) const noexcept { return is_in_way_[cell] != 0; }
  /// Whether a tile has cells with a solid near.
  [[nodiscard]] bool has_near(std::size_t tile) const noexcept {
    return tile < in_tiles_.size() && in_tiles_[tile] != nullptr;
  }

  /// The solids of `near` that may hide anything within a cell of a place along each axis.
  [[nodiscard]] std::vector<std::uint32_t> close_to(Near near, const Event& at) const;
  /// Whether one of `near` is on the straight way between two places.
  [[nodiscard]] bool hides(Near near, const Event& from, const Event& to) const;
  /// [m] How far a straight way leads: to its end, or to right before the first solid on it. Where
  /// that solid moves, the way is looked at in its frame, and so ends as far before it.
  [[nodiscard]] Vec3 end_of_way(const Event& from, const Event& to) const;
  /// [m] A place, or, where it is in an obstacle of `near`, the place right before the nearest
  /// point of the obstacle's surface.
  [[nodiscard]] Vec3 before_surface(Near near, const Event& at) const;
  /// The velocity that the solids of `near` within a cell of a place leave of `velocity` [m/s].
  [[nodiscard]] Vec3 leave(Near near, const Event& at, const Vec3& velocity) const;
  /// The part of the volume that a particle's weight at a place is spread over that facets within a
  /// cell leave, as if they were planes; nothing where there are no such facets.
  [[nodiscard]] std::optional<float> room(Near near, const Vec3& x) const;

  /// Multiplies the room of cells by the part that facets leave of it: room().
  void take_room(const Tiles<D>& tiles, Array<float>& room) const;

  /// [m] A place in a cell, as CellFrame::place() at `depth`.
  [[nodiscard]] Vec3 place(const Cell<D>& cell, const Vec<D>& within) const {
    return frame_.place(cell, within, depth_);
  }
  [[nodiscard]] const CellFrame<D>& frame() const noexcept { return frame_; }

 private:
  // By cell of a tile: where its solids begin in `names`, and one more.
  struct InTile {
    std::array<std::uint32_t, tile_size<D> + 1> first;
    std::vector<std::uint32_t> names;
  };
  struct Placed {
    Facet facet;
    Vec3 normal;        // Its length is 1; 0 for a triangle without area.
    Vec3 lower, upper;  // [m] The box around it.
  };
  // A surface near a place: where it is from there, and how it moves.
  struct Surface {
    double distance;  // [m] Negative inside.
    Vec3 normal;      // Out of the solid.
    const Facet* facet;
  };
  [[nodiscard]] std::unique_ptr<InTile> find_in_tile(std::size_t tile, double way);
  void sort_facets(double way);
  [[nodiscard]] std::array<Cell<D>, 2> cells_around(const Placed& placed, double reach) const;
  [[nodiscard]] bool is_obstacle(std::uint32_t name) const { return name < obstacles_.size(); }
  [[nodiscard]] const Placed& facet(std::uint32_t name) const {
    return facets_[name - obstacles_.size()];
  }
  [[nodiscard]] Vec3 way(std::uint32_t name) const;
  [[nodiscard]] Vec3 in_frame(std::uint32_t name, const Event& event) const;
  [[nodiscard]] std::optional<double> first_part(std::uint32_t name, const Vec3& from,
                                                 const Vec3& to) const;
  [[nodiscard]] std::vector<Surface> surfaces_at(Near near, const Event& at) const;

  CellFrame<D> frame_;
  double depth_;
  double cells_;
  double h_ = 0;                            // [s]
  std::vector<scene::Obstacle> obstacles_;  // Their names come first,
  std::vector<Placed> facets_;              // then those of facets.
  struct InCell {
    std::uint32_t cell, facet;  // Index in arrays; the facet's name.
  };
  std::vector<InCell> facets_in_cells_;                  // By cell.
  const Tiles<D>* tiles_ = nullptr;                      // The tiles of look_around().
  std::vector<std::unique_ptr<const InTile>> in_tiles_;  // Null where nothing is near.
  std::vector<std::uint8_t> is_in_way_;                  // By cell.
};

extern template bool is_thin<2>(const geometry::Shape&, double);
extern template bool is_thin<3>(const geometry::Shape&, double);
extern template class Screens<2>;
extern template class Screens<3>;

}  // namespace sluice::fluid::grid
