// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/contact/points.h"
#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::contact {

/// The bounds of each point's motion in a substep, along any axis: its way to its predicted place,
/// and `slack` around that way, so that a contact response has room. Candidates that are found from
/// the bounds cover all motion within them.
class MotionBounds {
 public:
  /// Starts a substep at `t0`, whose spans stay valid and unchanged until the next call.
  /// `predicted` may change afterwards. `slack` >= 0, [m]. All numbers are finite.
  void begin(const PointsView& t0, const PointsView& predicted, double slack);

  [[nodiscard]] const PointsView& t0() const { return t0_; }

  /// Returns the box of exactly those places where a point may be.
  [[nodiscard]] geometry::Bounds particle_box(std::size_t i) const {
    return box(t0_.particles[i].cast<double>(), particle_ends_[i].cast<double>());
  }
  [[nodiscard]] geometry::Bounds vertex_box(std::size_t i) const {
    return box(t0_.vertices[i], vertex_ends_[i]);
  }

  /// [m] Returns how far a vertex may get from `place` in the substep, at most.
  [[nodiscard]] double largest_way(std::size_t vertex, const Vec3& place) const;

  /// [m] Returns how far a particle may get from `place` along any axis in the substep, at most.
  [[nodiscard]] float particle_way(std::size_t i, const Vec3f& place) const {
    constexpr float rounding = 1 + 4e-7F;
    const Vec3f from_start = (t0_.particles[i] - place).cwiseAbs();
    const Vec3f from_end = (particle_ends_[i] - place).cwiseAbs();
    return rounding * (from_start.cwiseMax(from_end).maxCoeff() + static_cast<float>(slack_));
  }

  /// Whether a vertex may be at `place`.
  [[nodiscard]] bool allows(std::size_t vertex, const Vec3& place) const;

  /// [m] Returns how far any point of `places` is from the box of its predicted way, along any
  /// axis; up to the slack it is within the bounds.
  [[nodiscard]] double largest_excess(const PointsView& places) const;

  /// Moves the points that left their boxes back to the nearest place inside: the particles, and
  /// the vertices before `vertex_end`. Returns how many points it moved.
  std::int64_t clamp(const PointsSpan& t1, std::size_t vertex_end) const;

 private:
  [[nodiscard]] geometry::Bounds box(const Vec3& start, const Vec3& end) const {
    return {start.cwiseMin(end).array() - slack_, start.cwiseMax(end).array() + slack_};
  }

  PointsView t0_;
  std::vector<Vec3f> particle_ends_;
  std::vector<Vec3> vertex_ends_;
  double slack_ = 0;  ///< [m]
};

}  // namespace sluice::contact
