// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/contact/points.h"
#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::contact {

/// How far each point may move in a substep, along any axis: to its predicted place and `slack`
/// beyond, so that a contact response has room. Whatever stays within the bounds is covered by the
/// candidates found from them.
class MotionBounds {
 public:
  /// Starts a substep at `t0`, whose spans stay valid and unchanged until the next call.
  /// `predicted` may change afterwards. `slack` >= 0, [m]. All numbers are finite.
  void begin(const PointsView& t0, const PointsView& predicted, double slack);

  [[nodiscard]] const PointsView& t0() const { return t0_; }

  /// The box that a point stays in; slightly larger than its reach, for rounding.
  [[nodiscard]] geometry::Bounds particle_box(std::size_t i) const {
    return box(t0_.particles[i].cast<double>(), static_cast<double>(particle_reach_[i]));
  }
  [[nodiscard]] geometry::Bounds vertex_box(std::size_t i) const {
    return box(t0_.vertices[i], vertex_reach_[i]);
  }

  /// Whether a vertex may be at `place`.
  [[nodiscard]] bool allows(std::size_t vertex, const Vec3& place) const {
    return (place - t0_.vertices[vertex]).cwiseAbs().maxCoeff() <= vertex_reach_[vertex];
  }

  /// Moves the points that left their boxes back to the nearest place inside: the particles, and
  /// the vertices before `vertex_end`. Returns how many.
  std::int64_t clamp(const PointsSpan& t1, std::size_t vertex_end) const;

 private:
  static geometry::Bounds box(const Vec3& center, double reach) {
    // Covers the rounding of the sums here and of the differences in clamp.
    const double padded = reach + 1e-15 * (center.cwiseAbs().maxCoeff() + reach);
    return {center.array() - padded, center.array() + padded};
  }

  PointsView t0_;
  std::vector<float> particle_reach_;
  std::vector<double> vertex_reach_;
};

}  // namespace sluice::contact
