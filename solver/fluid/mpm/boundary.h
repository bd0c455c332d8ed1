// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/grid_frame.h"
#include "solver/fluid/mpm/grid_sides.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/particles.h"
#include "solver/fluid/obstacle_ways.h"
#include "solver/geometry/shape.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

class ObstacleNodes;

/// The walls of the domain and the obstacles, as the fluid meets them.
///
/// A wall is a mirror: the nodes behind it carry the image of the fluid before it, whose velocity
/// is reflected (slip: the component along the normal changes sign; no_slip: all do, so that it is
/// 0 on the wall). Kernels are then never cut off at a wall, and water at rest has the same
/// pressure and density there as anywhere. At a periodic side the nodes around it are those around
/// the side opposite; at an open one nothing is done. An obstacle acts on the nodes inside it, by
/// ObstacleNodes; where it has friction, or sides are periodic, each of them by itself, on velocity
/// relative to its own: slip removes velocity into it and leaves velocity out of it; no_slip
/// removes all. Particles whose target is inside one are put on its surface.
///
/// Friction of an obstacle is Coulomb's law for each node: what stops it across the surface takes
/// at most as much times the coefficient from what it has along it. A wall with friction is an
/// obstacle too, and no mirror: a mirror stops what leaves the wall as well, which must not count.
class Boundary {
 public:
  /// Indices of obstacles.
  using ObstacleList = std::vector<std::uint32_t>;

  Boundary(const scene::Scene& scene, const GridFrame& frame);

  /// Where the obstacles are at the end of the next substep, and their velocities in it; the same
  /// ones in the same order.
  void set_obstacles(std::span<const scene::Obstacle> obstacles);

  /// Those of the scene, then the walls that have friction.
  [[nodiscard]] std::span<const scene::Obstacle> obstacles() const noexcept { return obstacles_; }

  /// Whether an obstacle has friction, by its index.
  [[nodiscard]] bool is_rough(std::uint32_t obstacle) const noexcept {
    return obstacles_[obstacle].wall == scene::WallCondition::friction;
  }

  /// Whether ObstacleNodes have anything to do: they know no periodic sides.
  [[nodiscard]] bool has_smooth_obstacles() const noexcept { return has_smooth_; }

  /// Between the transfers, in a substep of `h` seconds: momenta of `grid` become velocities that
  /// respect walls and obstacles, the latter by `obstacle_nodes`. Walls let go of nodes that are
  /// not `held`.
  void solve_nodes(float h, const HeldNodes& held, ObstacleNodes& obstacle_nodes, Grid& grid) const;

  /// What an obstacle leaves of the velocity of a node in it, with the surface's normal.
  void stop_at(std::uint32_t obstacle, const Vec3f& normal, Float4& node) const noexcept;

  /// The masses of `grid` as solve_nodes makes them, images behind walls with them; its momenta
  /// must be none.
  void image_masses(Grid& grid) const;

  /// [m] The place of grid coordinates, in two dimensions in the plane.
  [[nodiscard]] Vec3 in_world(const Vec3& X) const noexcept;

  /// [m] From `x` to the surface of an obstacle, and its normal; in two dimensions in the plane, to
  /// first order, with no normal where there is no way out in it.
  [[nodiscard]] geometry::SignedDistance surface_at(std::uint32_t obstacle,
                                                    const Vec3& x) const noexcept;

  /// Those closer than `reach` cells to the nodes of a block.
  [[nodiscard]] ObstacleList obstacles_near_nodes(std::uint64_t block_key, double reach) const {
    return near_obstacles(block_key, 0, block_edge - 1, reach);
  }

  /// [m] How far particles are kept outside of obstacles.
  [[nodiscard]] double margin() const noexcept;

  /// Whether a particle may be at `x` [m]: outside of all obstacles.
  [[nodiscard]] bool is_outside(const Vec3& x) const noexcept;

  /// Those that a particle of the block may end inside, if it moves by less than a cell.
  [[nodiscard]] ObstacleList obstacles_near_particles(std::uint64_t block_key) const;

  /// The targets of all particles, which `blocks` was made of, outside of obstacles and before
  /// those that are in their ways of `h` [s], and the velocities that go with them.
  void leave_obstacles(float h, const ParticleBlocks& blocks, Particles& particles) const;

  /// Takes a particle's target to where walls and obstacles let it be, and from its velocity what
  /// leads into them.
  void keep_outside(const Vec3f& position, Vec3f& target, Vec3f& velocity) const noexcept;
  /// The same of a target that is in no obstacle but those `near`.
  void keep_outside(const ObstacleList& near, const Vec3f& position, Vec3f& target,
                    Vec3f& velocity) const noexcept;

  /// Gives particle `i` a velocity [m/s] and the target that it leads to in `h` [s], as far as
  /// walls and obstacles let it.
  void send(float h, const Vec3f& velocity, std::size_t i, Particles& particles) const noexcept;

  /// A particle's target that is outside all obstacles, and the velocity that goes with it. A
  /// target that no push along normals frees (a corner between obstacles) becomes `position`,
  /// which is outside too, unless obstacles close in on it.
  void leave_obstacles(const Vec3f& position, Vec3f& target, Vec3f& velocity) const noexcept;
  /// The same of a target that is in none but those `near`.
  void leave_obstacles(const ObstacleList& near, const Vec3f& position, Vec3f& target,
                       Vec3f& velocity) const noexcept;

 private:
  void keep_within_reach(const ObstacleList& near, const Vec3f& position, Vec3f& target,
                         Vec3f& velocity) const noexcept;
  [[nodiscard]] ObstacleList near_obstacles(std::uint64_t block_key, double first, double last,
                                            double reach) const;
  bool leave_once(const ObstacleList& obstacles, Vec3f& target, Vec3f& velocity) const noexcept;
  void find_velocities(Grid& grid) const;
  [[nodiscard]] bool has_periodic_images(std::uint64_t block_key) const noexcept;
  [[nodiscard]] Vec3 inside_period(Vec3 X) const noexcept;
  void find_copies_velocities(Grid& grid) const;
  [[nodiscard]] Vec3 place_of(std::uint64_t key, std::size_t node) const noexcept;
  [[nodiscard]] ObstacleWays::Limits way_limits(float h) const noexcept;
  void stop_at_obstacles(const ObstacleList& near, const Vec3& X, Float4& node) const noexcept;

  GridFrame frame_;
  Vec3 origin_;       // [m] of node 0
  double cell_size_;  // [m]
  scene::WallCondition wall_;
  std::vector<scene::Obstacle> rough_sides_;
  std::vector<scene::Obstacle> obstacles_;  // Those of the scene, then the rough sides.
  bool has_smooth_ = false;
  ObstacleList all_;
  ObstacleWays ways_;  // Past obstacles_.
};

}  // namespace sluice::fluid
