// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "solver/fluid/grid/frame.h"
#include "solver/fluid/grid/mac_grid.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::grid {

/// The sides of the domain, of which the first is where cell 0 begins.
template <int D>
struct Sides {
  Cell<D> cells{};                             ///< Along each axis.
  std::array<std::array<bool, 2>, D> is_wall;  ///< By axis; lower, upper. Others are open.
  scene::WallCondition wall = scene::WallCondition::slip;
};

/// What solids leave of the faces, exactly: the walls of the domain, and analytic obstacles. What
/// is near an obstacle that stands still is kept from substep to substep.
template <int D>
class SolidFaces {
 public:
  /// `depth` [m]: in 2D, where across the plane obstacles are cut.
  SolidFaces(const Frame<D>& frame, const Sides<D>& sides, double depth)
      : frame_(frame), sides_(sides), depth_(depth) {}

  /// Where the obstacles are at the end of the substep, and their velocities in it.
  void set_obstacles(std::span<const scene::Obstacle> obstacles);

  /// Sets `grid`'s open, solid_velocity, room and is_clear, for its tiles. Obstacles that
  /// overlap count together, at most as the whole face.
  void find(MacGrid<D>& grid);

  /// Makes velocities on closed faces, extrapolated from the fluid, those of fluid along a solid,
  /// as its wall condition says: what the fluid near it is interpolated from.
  void constrain(MacGrid<D>& grid) const;

 private:
  struct Block {
    std::array<std::array<float, tile_size<D>>, D> open;
    std::array<float, tile_size<D>> room;
  };
  [[nodiscard]] bool is_clear_of_walls(const Cell<D>& first) const noexcept;
  [[nodiscard]] bool is_clear(const Cell<D>& first) const;
  [[nodiscard]] std::unique_ptr<Block> make_block(const Cell<D>& first) const;
  [[nodiscard]] float room_at(const Cell<D>& cell) const;
  [[nodiscard]] float open_part(const Cell<D>& cell, int axis) const;
  [[nodiscard]] double covered(const scene::Obstacle& obstacle, const Cell<D>& cell,
                               int axis) const;
  [[nodiscard]] float solid_velocity(const Cell<D>& cell, int axis) const;
  [[nodiscard]] float along_solid(const MacGrid<D>& grid, const Cell<D>& cell, int axis,
                                  float velocity) const;
  [[nodiscard]] Vec3 place(const Cell<D>& cell, const Vec<D>& within) const;
  [[nodiscard]] bool has_moving() const noexcept;

  Frame<D> frame_;
  Sides<D> sides_;
  double depth_;
  std::vector<scene::Obstacle> obstacles_;
  std::map<Cell<D>, std::unique_ptr<Block>> blocks_;  // By tile; those that are not clear.
};

extern template class SolidFaces<2>;
extern template class SolidFaces<3>;

}  // namespace sluice::fluid::grid
