// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solver/bytes.h"
#include "solver/scene/scene.h"
#include "solver/simulation.h"
#include "solver/types.h"

namespace sluice::simulation {

/// The scene's obstacles, and how people move them.
///
/// Along each axis an obstacle stops where its bounding box meets a side of the domain; a box that
/// reaches out moves no further out. A half-space, whose box has no end, stops where the point that
/// its transform names meets one.
class Obstacles {
 public:
  explicit Obstacles(const scene::Scene& scene);

  /// Gives an obstacle a velocity, [m/s]; false if none has that name.
  [[nodiscard]] bool set_velocity(const std::string& name, const Vec3& velocity);

  /// [m/s] The speed of the fastest obstacle.
  [[nodiscard]] double largest_speed() const;

  /// [s] The longest substep in which no obstacle goes further than a quarter of its smallest half
  /// extent, so that none jumps over cloth. Infinity while none moves.
  [[nodiscard]] double longest_substep() const;

  /// Moves the obstacles on by `h` seconds.
  void advance(double h);

  /// The obstacles now; `velocity` is that of the last advance, 0 where a side stopped it.
  [[nodiscard]] std::span<const scene::Obstacle> current() const noexcept { return current_; }

  /// The displacements of the obstacles that have moved.
  [[nodiscard]] std::vector<ObstacleOffset> offsets() const;

  void save(ByteWriter& out) const;
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  struct Motion {
    Vec3 start;                   ///< [m] translation in the scene
    Vec3 least, most;             ///< [m] bounds of the offset; 0 is between
    double smallest_half_extent;  ///< [m]
    Vec3 offset = Vec3::Zero();   ///< [m]
    Vec3 wanted = Vec3::Zero();   ///< [m/s]
  };
  /// [m/s] The wanted velocity, less its components that sides of the domain stop.
  [[nodiscard]] static Vec3 free_velocity(const Motion& motion);

  std::vector<scene::Obstacle> current_;
  std::vector<Motion> motions_;
};

}  // namespace sluice::simulation
