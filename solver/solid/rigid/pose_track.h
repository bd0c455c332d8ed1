// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/result.h"
#include "solver/solid/rigid/pose.h"

namespace sluice::solid {

/// The pose of a scripted body at one time.
struct PoseKey {
  double time;  ///< [s]
  Pose pose;    ///< world_from_body, with any point of the body as origin.
};

/// How a body moves over a span of time.
struct PoseMotion {
  Pose start, end;
  /// [m/s] and [rad/s], world axes: constant rates that carry `start` to `end` in the span. So a
  /// body that is moved by them is where the track says, whatever the step.
  Vec3 velocity, angular_velocity;
};

/// The script of a body: positions linear between keys, attitudes by slerp [Shoemake1985], that is
/// at a constant angular velocity and the shorter way round. Before the first key and after the
/// last the body rests.
class PoseTrack {
 public:
  /// Errors: `invalid_scene` without keys, for times that do not ascend, for numbers that are not
  /// finite and for quaternions whose length is not 1 within 1e-6 (they are normalised then).
  [[nodiscard]] static Result<PoseTrack> make(std::vector<PoseKey> keys);

  [[nodiscard]] Pose at(double time) const;

  /// Returns the motion from one time to a later one. Velocities are exact at any moment where no
  /// key is in between; across keys they are the mean, which is what contact must see. Turns of
  /// more than pi in the span are taken the shorter way.
  [[nodiscard]] PoseMotion between(double start, double end) const;

  [[nodiscard]] const std::vector<PoseKey>& keys() const { return keys_; }

 private:
  explicit PoseTrack(std::vector<PoseKey> keys) : keys_(std::move(keys)) {}

  std::vector<PoseKey> keys_;  // Ascending; at least one.
};

}  // namespace sluice::solid
