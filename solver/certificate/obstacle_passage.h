// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/simulation.h"
#include "solver/types.h"

namespace sluice::certificate {

/// [m] How deep `point` is inside of `shape`; negative outside, where it is no distance but never
/// larger than minus the distance to the nearest face over the square root of 3. Along a straight
/// line it is concave, as all shapes are convex. Own code: nothing of solver/geometry.
[[nodiscard]] double depth_in(const geometry::Shape& shape, const Vec3& point);

/// [m] The depth of the deepest point of `shape`; infinite for a half-space.
[[nodiscard]] double largest_depth(const geometry::Shape& shape);

/// [m] The depth of the deepest point of the straight way between two points.
[[nodiscard]] double depth_along(const geometry::Shape& shape, const Vec3& from, const Vec3& to);

/// An obstacle, or a side of the domain, that a point passed on a straight way.
struct Passage {
  bool is_side = false;   ///< Whether a side of the domain was passed, not an obstacle.
  std::size_t index = 0;  ///< Index of the obstacle; or 2 axis, + 1 for the upper side.
};

/// The obstacles of a scene as one substep has them, and the domain's sides, as walls that points
/// may touch and not pass.
///
/// A point passes an obstacle where it ends inside of it, and started outside; or where its way
/// leads deeper than half of the obstacle's largest depth, from outside to outside. A way that cuts
/// a corner or the bulge of a ball is no passage: it comes out on the side where it went in. Walls
/// stop points with a rounding, and some methods hold points that press against a wall up to a
/// tenth of the contact distance inside of it (coupling/README.md): points that deep count as
/// outside, but never deeper than a quarter of the obstacle's largest depth, so that the two faces
/// of a thin one are told apart whatever the contact distance.
class ObstaclePassages {
 public:
  explicit ObstaclePassages(const SubstepStates& states);

  /// Finds the first passage on the straight way of a point, in the order of obstacles, then sides.
  /// `pair_count` grows by the obstacles and sides that needed a look.
  [[nodiscard]] std::optional<Passage> find(const Vec3& from, const Vec3& to,
                                            std::int64_t& pair_count) const;

 private:
  struct Placed {
    geometry::Shape shape;  ///< The shape where it is at the end of the substep.
    Vec3 way;               ///< [m] how far it moved in the substep
    double reach;           ///< [m] radius of a ball around it; infinite for a half-space
    double slack;           ///< [m] depth up to which a point is still outside
    double passing;         ///< [m] a way deeper than this has passed it
  };
  std::vector<Placed> placed_;
  Vec3 lower_, upper_;  ///< [m] of the domain, widened by the slack
};

}  // namespace sluice::certificate
