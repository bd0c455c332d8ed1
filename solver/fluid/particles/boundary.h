// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/obstacles/obstacle_ways.h"
#include "solver/fluid/particles/particles.h"
#include "solver/geometry/shape.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// The walls of the domain and the obstacles, as particles meet them: a particle's way ends where
/// it meets one, and a target that is inside an obstacle is put on its surface. The solvers say
/// what they do to the nodes of a grid (mpm/node_boundary.h, obstacles/solid_faces.h).
///
/// A wall with friction is an obstacle too (MPM's walls are mirrors, which stop particles that
/// leave them as well; that must not count for friction).
class Boundary {
 public:
  Boundary(const scene::Scene& scene, const GridFrame& frame);

  /// Sets the obstacles as they are at the end of the next substep, with their velocities in it;
  /// the same ones in the same order.
  void set_obstacles(std::span<const scene::Obstacle> obstacles);

  /// The obstacles of the scene, then the walls that have friction.
  [[nodiscard]] std::span<const scene::Obstacle> obstacles() const noexcept { return obstacles_; }

  /// Whether an obstacle has friction, by its index.
  [[nodiscard]] bool is_rough(std::uint32_t obstacle) const noexcept {
    return obstacles_[obstacle].wall == scene::WallCondition::friction;
  }

  /// Whether there are obstacles without friction. Not where sides are periodic.
  [[nodiscard]] bool has_smooth_obstacles() const noexcept { return has_smooth_; }
  /// Whether there is an obstacle to which nodes of the grid are linked (mpm/obstacle_links.h): one
  /// without friction, or so thin that kernels reach through it. Not where sides are periodic.
  [[nodiscard]] bool has_linked_obstacles() const noexcept { return has_smooth_ || has_thin_; }

  /// All indices of obstacles().
  [[nodiscard]] const ObstacleList& all() const noexcept { return all_; }

  /// The frame that the scene's particles and nodes are in.
  [[nodiscard]] const GridFrame& frame() const noexcept { return frame_; }

  /// The velocity that an obstacle leaves of `velocity` [m/s] inside it, where its surface's normal
  /// is `normal`; the obstacle's own where there is no normal (0).
  [[nodiscard]] Vec3f stopped_by(std::uint32_t obstacle, const Vec3f& normal,
                                 const Vec3f& velocity) const noexcept;

  /// [m] The place at grid coordinates `X`; in two dimensions in the plane.
  [[nodiscard]] Vec3 in_world(const Vec3& X) const noexcept;

  /// [m] The distance of `x` from the surface of an obstacle, and its normal; in two dimensions in
  /// the plane, to first order, with a normal of 0 where there is no way out in it.
  [[nodiscard]] geometry::SignedDistance surface_at(std::uint32_t obstacle,
                                                    const Vec3& x) const noexcept;

  /// The obstacles closer than `reach` cells to the nodes of a block.
  [[nodiscard]] ObstacleList obstacles_near_nodes(std::uint64_t block_key, double reach) const {
    return near_obstacles(block_key, 0, block_edge - 1, reach);
  }

  /// [m] How far particles are kept outside of obstacles.
  [[nodiscard]] double margin() const noexcept;

  /// Whether a particle may be at `x` [m]: outside of all obstacles.
  [[nodiscard]] bool is_outside(const Vec3& x) const noexcept;

  /// The obstacles that a particle of the block may end inside, if it moves by less than a cell.
  [[nodiscard]] ObstacleList obstacles_near_particles(std::uint64_t block_key) const;

  /// Moves particle `i`'s target out of obstacles, and before those on its way of `h` [s], and sets
  /// the velocity that goes with it. `near`: the obstacles that it may meet.
  void leave_on_way(float h, const ObstacleList& near, std::size_t i, Particles& particles) const;

  /// Takes a particle's target to where walls and obstacles let it be, and from its velocity the
  /// part that leads into them.
  void keep_outside(const Vec3f& position, Vec3f& target, Vec3f& velocity) const noexcept;
  /// The same for a target that is in no obstacle except those of `near`.
  void keep_outside(const ObstacleList& near, const Vec3f& position, Vec3f& target,
                    Vec3f& velocity) const noexcept;

  /// Gives particle `i` a velocity [m/s] and the target that it leads to in `h` [s], as far as
  /// walls and obstacles let it.
  void send(float h, const Vec3f& velocity, std::size_t i, Particles& particles) const noexcept;

  /// Moves a particle's target out of all obstacles, and sets the velocity that goes with it. A
  /// target that no push along normals frees (a corner between obstacles) becomes `position`, which
  /// is outside too, unless obstacles close in on it.
  void leave_obstacles(const Vec3f& position, Vec3f& target, Vec3f& velocity) const noexcept;
  /// The same for a target that is in no obstacle except those of `near`.
  void leave_obstacles(const ObstacleList& near, const Vec3f& position, Vec3f& target,
                       Vec3f& velocity) const noexcept;

 private:
  void keep_within_reach(const ObstacleList& near, const Vec3f& position, Vec3f& target,
                         Vec3f& velocity) const noexcept;
  [[nodiscard]] ObstacleList near_obstacles(std::uint64_t block_key, double first, double last,
                                            double reach) const;
  bool leave_once(const ObstacleList& obstacles, Vec3f& target, Vec3f& velocity) const noexcept;
  [[nodiscard]] ObstacleWays::Limits way_limits(float h) const noexcept;

  GridFrame frame_;
  Vec3 origin_;       // [m] of node 0
  double cell_size_;  // [m]
  std::vector<scene::Obstacle> rough_sides_;
  std::vector<scene::Obstacle> obstacles_;  // The obstacles of the scene, then rough_sides_.
  bool has_smooth_ = false, has_thin_ = false;
  ObstacleList all_;
  ObstacleWays ways_;  // The ways past obstacles_.
};

}  // namespace sluice::fluid
