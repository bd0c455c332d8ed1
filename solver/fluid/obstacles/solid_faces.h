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

/// The sides of the domain. The lower one along each axis is where cell 0 begins.
template <int D>
struct Sides {
  Cell<D> cells{};                             ///< Number of cells along each axis.
  std::array<std::array<bool, 2>, D> is_wall;  ///< By axis; lower, upper. Other sides are open.
  std::array<bool, D> is_periodic{};           ///< By axis: its sides are one place, and no walls.
  scene::WallCondition wall = scene::WallCondition::slip;
  /// Velocities of walls in the world's axes, by axis of the grid; lower, upper.
  std::array<std::array<scene::SideVelocity, 2>, D> velocity{};

  /// [cells] The period by axis; 0 along one that is not periodic.
  [[nodiscard]] Cell<D> period() const noexcept {
    Cell<D> period{};
    for (std::size_t axis = 0; axis < D; ++axis)
      period[axis] = is_periodic[axis] ? cells[axis] : 0;
    return period;
  }
};

/// [m/s] Along `axis`: the velocity of the wall across `across` that a face is in or behind.
template <int D>
[[nodiscard]] float velocity_of_wall(const Sides<D>& sides, const Cell<D>& face, int axis,
                                     std::size_t across);

/// Whether gas comes in or goes out by a wall.
template <int D>
[[nodiscard]] bool has_flow_through(const Sides<D>& sides, std::size_t across, std::size_t side) {
  const int normal = world_axis<D>(static_cast<int>(across));
  return sides.velocity[across][side].velocity[normal] != 0;
}

/// Whether an obstacle is where it was, as `a` and `b` are the same one at two times.
[[nodiscard]] bool are_at_one_place(const scene::Obstacle& a, const scene::Obstacle& b);

/// The drag on a velocity from one side, as if by a velocity `way` cells away.
struct Drag {
  float weight = 0;    ///< Over that of a velocity of the fluid a cell away: 1 / way; 0 for none.
  float velocity = 0;  ///< [m/s]
};

/// The parts of faces that solids leave open, exactly: the walls of the domain, and analytic
/// obstacles. Results near obstacles are kept from substep to substep until one of them moves.
///
/// An obstacle may be so thin that it covers no face whole, and there is a way around it from cell
/// to cell. Where the straight way between the middles of two cells leads through such an obstacle,
/// or lies in it, the obstacle closes the face between them.
template <int D>
class SolidFaces {
 public:
  /// `depth` [m]: in 2D, where across the plane obstacles are cut.
  SolidFaces(const CellFrame<D>& frame, const Sides<D>& sides, double depth)
      : frame_(frame), sides_(sides), depth_(depth) {}

  /// Sets the obstacles as they are at the end of the substep, with their velocities in it.
  void set_obstacles(std::span<const scene::Obstacle> obstacles);

  /// Returns the indices of the obstacles within a cell of the grid's tile `tile`.
  ///
  /// To be called after find(). All obstacles for a tile that the grid does not have.
  [[nodiscard]] const ObstacleList& obstacles_near(std::size_t tile) const noexcept;
  [[nodiscard]] const ObstacleList& all() const noexcept { return all_; }

  /// Sets `grid`'s open, parted, solid_flow, room and is_clear, for its tiles. Obstacles that
  /// overlap count together, at most as the whole face.
  void find(MacGrid<D>& grid);

  /// The drag on the velocity of an open face in the domain from one side: by a wall across its
  /// axis, or by one along it that fluid sticks to or flows through. None without such a wall.
  [[nodiscard]] Drag drag_of_wall(const Cell<D>& face, int axis, std::size_t side) const;

  /// [cells] The distance of the middle of a face of a tile from the nearest obstacle that fluid
  /// sticks to, negative inside; infinity if none is near the tile. After find(). Sets `velocity`
  /// [m/s] to that obstacle's along the axis.
  [[nodiscard]] float distance_to_sticky(std::size_t tile, const Cell<D>& face, int axis,
                                         float& velocity) const;

  /// After find(): sets `grid`'s grip, for viscous stress. A wall without slip is half a cell from
  /// the velocities next to it, and those on faces behind it are taken to be its own, 0: twice the
  /// weight makes up for the distance. Along solids that let fluid slip there is no shear.
  void find_grip(MacGrid<D>& grid) const;

  /// Gives closed faces, whose velocities are extrapolated from the fluid, those of fluid along the
  /// solid, by its wall condition: velocities near the solid are interpolated from these.
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
  bool has_thin_ = false;              // Whether any obstacle is.
  // By tile, as long as no obstacle moves: null for one that is clear of solids.
  std::map<Cell<D>, std::unique_ptr<Block>> blocks_;
  std::vector<const Block*> block_of_;  // The blocks of the grid's tiles.
};

extern template float velocity_of_wall<2>(const Sides<2>&, const Cell<2>&, int, std::size_t);
extern template float velocity_of_wall<3>(const Sides<3>&, const Cell<3>&, int, std::size_t);
extern template class SolidFaces<2>;
extern template class SolidFaces<3>;

}  // namespace sluice::fluid::grid
