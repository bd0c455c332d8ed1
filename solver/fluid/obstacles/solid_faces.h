// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/obstacle_ways.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::grid {

/// The sides of the domain, of which the first is where cell 0 begins.
template <int D>
struct Sides {
  Cell<D> cells{};                             ///< Along each axis.
  std::array<std::array<bool, 2>, D> is_wall;  ///< By axis; lower, upper. Others are open.
  std::array<bool, D> is_periodic{};           ///< By axis: its sides, no walls, are one place.
  scene::WallCondition wall = scene::WallCondition::slip;
  /// By axis of the grid; of walls, in the world's axes.
  std::array<std::array<scene::SideVelocity, 2>, D> velocity{};

  /// [cells] By axis; 0 for one that is not periodic.
  [[nodiscard]] Cell<D> period() const noexcept {
    Cell<D> period{};
    for (std::size_t axis = 0; axis < D; ++axis)
      period[axis] = is_periodic[axis] ? cells[axis] : 0;
    return period;
  }
};

/// [m/s] along `axis`, of the wall that a face is in or behind, across another axis or the same.
template <int D>
[[nodiscard]] float velocity_of_wall(const Sides<D>& sides, const Cell<D>& face, int axis,
                                     std::size_t across);

/// Whether gas comes in or goes out by a wall.
template <int D>
[[nodiscard]] bool has_flow_through(const Sides<D>& sides, std::size_t across, std::size_t side) {
  const int normal = world_axis<D>(static_cast<int>(across));
  return sides.velocity[across][side].velocity[normal] != 0;
}

/// What holds a velocity back from one side, as a velocity `way` cells away.
struct Drag {
  float weight = 0;    ///< Over that of the next velocity of the fluid: 1 / way; 0 for none.
  float velocity = 0;  ///< [m/s]
};

/// What solids leave of the faces, exactly: the walls of the domain, and analytic obstacles. What
/// is near an obstacle that stands still is kept from substep to substep.
///
/// An obstacle may be so thin that it covers no face whole, and there is a way around it from cell
/// to cell. Where the straight way between the middles of two cells leads through such a one, or in
/// it, it closes the face between them.
template <int D>
class SolidFaces {
 public:
  /// `depth` [m]: in 2D, where across the plane obstacles are cut.
  SolidFaces(const CellFrame<D>& frame, const Sides<D>& sides, double depth)
      : frame_(frame), sides_(sides), depth_(depth) {}

  /// Where the obstacles are at the end of the substep, and their velocities in it.
  void set_obstacles(std::span<const scene::Obstacle> obstacles);

  /// Indices of obstacles.

  /// After find(): those within a cell of one of the grid's tiles; all of them for none of these.
  [[nodiscard]] const ObstacleList& obstacles_near(std::size_t tile) const noexcept;
  [[nodiscard]] const ObstacleList& all() const noexcept { return all_; }

  /// Sets `grid`'s open, parted, solid_flow, room and is_clear, for its tiles. Obstacles that
  /// overlap count together, at most as the whole face.
  void find(MacGrid<D>& grid);

  /// What a wall that the fluid sticks to, or an inlet, does to the velocity of an open face in the
  /// domain from one side; nothing where there is none.
  [[nodiscard]] Drag drag_of_wall(const Cell<D>& face, int axis, std::size_t side) const;

  /// [cells] How far the middle of a face of a tile is from what it sticks to of the obstacles,
  /// negative inside; infinity for none near the tile. After find(). Sets that obstacle's velocity
  /// [m/s] along the axis.
  [[nodiscard]] float distance_to_sticky(std::size_t tile, const Cell<D>& face, int axis,
                                         float& velocity) const;

  /// After find(): sets `grid`'s grip, for viscous stress. A wall without slip is half a cell from
  /// the velocities next to it, and those on faces behind it are taken to be its own, 0: twice the
  /// weight makes up for the distance. Along what slips there is no shear.
  void find_grip(MacGrid<D>& grid) const;

  /// Makes velocities on closed faces, extrapolated from the fluid, those of fluid along a solid,
  /// as its wall condition says: what the fluid near it is interpolated from.
  void constrain(MacGrid<D>& grid) const;

 private:
  // A tile with solids in or near it.
  struct Block {
    ObstacleList near;
    std::array<std::array<float, tile_size<D>>, D> open;
    std::array<std::array<std::uint8_t, tile_size<D>>, D> parted;
    std::array<float, tile_size<D>> room;
  };
  void find_blocks(const Tiles<D>& tiles);
  [[nodiscard]] std::unique_ptr<Block> make_block(const Cell<D>& first) const;
  [[nodiscard]] bool is_clear_of_walls(const Cell<D>& first) const noexcept;
  [[nodiscard]] bool is_behind_wall(const Cell<D>& cell, int axis, std::size_t across) const;
  [[nodiscard]] bool sticks_to_wall(const Cell<D>& face, std::size_t across) const;
  [[nodiscard]] bool is_on_wall(const Cell<D>& cell, std::size_t across) const;
  [[nodiscard]] scene::WallCondition condition_at(const ObstacleList& near, const Cell<D>& edge,
                                                  std::size_t a, std::size_t b) const;
  [[nodiscard]] float room_at(const ObstacleList& near, const Cell<D>& cell) const;
  [[nodiscard]] float open_part(const ObstacleList& near, const Cell<D>& cell, int axis) const;
  [[nodiscard]] double covered(std::uint32_t obstacle, const Cell<D>& cell, int axis) const;
  [[nodiscard]] bool parts(std::uint32_t obstacle, const Cell<D>& face, int axis) const;
  [[nodiscard]] float solid_velocity(const ObstacleList& near, const Cell<D>& cell, int axis) const;
  [[nodiscard]] float along_solid(const MacGrid<D>& grid, const ObstacleList& near,
                                  const Cell<D>& cell, int axis, float velocity) const;
  [[nodiscard]] float across_wall(const MacGrid<D>& grid, const Cell<D>& face, int axis,
                                  float velocity) const;
  [[nodiscard]] Vec3 place(const Cell<D>& cell, const Vec<D>& within) const;
  [[nodiscard]] bool has_moving() const noexcept;

  CellFrame<D> frame_;
  Sides<D> sides_;
  double depth_;
  std::vector<scene::Obstacle> obstacles_;
  ObstacleList all_, none_;
  std::vector<std::uint8_t> is_thin_;  // By obstacle.
  bool has_thin_ = false;              // Any.
  // By tile, as long as no obstacle moves: null for one that is clear of solids.
  std::map<Cell<D>, std::unique_ptr<Block>> blocks_;
  std::vector<const Block*> block_of_;  // The same of the grid's tiles.
};

extern template float velocity_of_wall<2>(const Sides<2>&, const Cell<2>&, int, std::size_t);
extern template float velocity_of_wall<3>(const Sides<3>&, const Cell<3>&, int, std::size_t);
extern template class SolidFaces<2>;
extern template class SolidFaces<3>;

}  // namespace sluice::fluid::grid
