// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solver/geometry/shape.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Indices of obstacles.
using ObstacleList = std::vector<std::uint32_t>;

/// The ways of particles past obstacles in a substep: nothing goes through one, however thin it is
/// and however fast it or the particle moves.
///
/// A way is looked at from the obstacle: from where the particle would be had it gone along with
/// it, straight to where it wants to be. Where the way enters an obstacle, the particle slides
/// along the plane that touches the obstacle there. Particles that start inside of an obstacle are
/// left to the code that leads them out of it.
class ObstacleWays {
 public:
  /// Sets the obstacles as they are at the end of the substep, with their velocities in it.
  void set(std::span<const scene::Obstacle> obstacles);

  /// The substep and the margin of ways. In two dimensions, particles stay in their plane.
  struct Limits {
    float h;        ///< [s] of the substep
    double margin;  ///< [m] that particles keep from surfaces
    bool is_flat;   ///< Whether there are two dimensions.
  };

  /// Moves `target` [m] to where the obstacles let a particle go that is at `position` [m], and
  /// takes from its `velocity` [m/s] the part that leads into them. `near` are the obstacles within
  /// a cell of its way, if none of them moved; moving obstacles are looked at anyway.
  void bend(const Limits& limits, std::span<const std::uint32_t> near, const Vec3f& position,
            Vec3f& target, Vec3f& velocity) const;

  /// Whether the straight way to `target` passes through an obstacle.
  [[nodiscard]] bool is_blocked(const Limits& limits, std::span<const std::uint32_t> near,
                                const Vec3f& position, const Vec3f& target) const;

 private:
  struct Meeting {
    double part;                      // The part of the way before it, from 0 to 1.
    Vec3 place, normal;               // [m] On the surface; out of the obstacle.
    const scene::Obstacle* obstacle;  // The one that is met.
  };
  [[nodiscard]] std::optional<Meeting> first_meeting(const Limits& limits,
                                                     std::span<const std::uint32_t> near,
                                                     const Vec3& from, const Vec3& to) const;
  void meet(const Limits& limits, std::uint32_t obstacle, const Vec3& from, const Vec3& to,
            std::optional<Meeting>& first) const;

  std::vector<scene::Obstacle> obstacles_;
  std::vector<geometry::Bounds> bounds_;  // [m] The box around each.
  std::vector<std::uint32_t> moving_;     // Indices of those that move.
};

}  // namespace sluice::fluid
