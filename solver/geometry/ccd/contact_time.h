// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "solver/geometry/ccd/coplanarity.h"
#include "solver/geometry/ccd/moving_polygon.h"
#include "solver/geometry/ccd/nearest_direction.h"
#include "solver/geometry/ccd/separation.h"
#include "solver/simd/query_lanes.h"

/// Private to ccd: the algorithm, in stages that a batch runs on ever fewer queries. Each stage
/// only ever says of a lane what it would say of it alone.
namespace sluice::geometry::ccd {

using namespace simd;

/// Finds where directions that stay the same for the whole motion show that there is no contact.
template <typename L, std::size_t count>
typename L::Mask is_separated_by_fixed_directions(const MovingPolygon<L, count>& polygon,
                                                  const Vector<L>& extent, double distance) {
  // The directions are those of the polygon halfway.
  std::array<Vector<L>, count> middle;
  for (std::size_t i = 0; i < count; ++i)
    middle[i] = polygon.corners_t0[i] + polygon.corners_t1[i];
  const Vector<L> normal = cross(middle[1] - middle[0], middle[count - 1] - middle[0]);
  auto is_separated = is_separated_by(polygon, normal, extent, distance);
  Vector<L> sum = middle[0];
  for (std::size_t i = 1; i < count; ++i)
    sum = sum + middle[i];
  is_separated = is_separated | is_separated_by(polygon, sum, extent, distance);
  constexpr std::size_t edge_count = count == 4 ? 2 : 3;  // Opposite edges are parallel.
  for (std::size_t i = 0; i < edge_count; ++i) {
    const Vector<L> beside = cross(normal, middle[(i + 1) % count] - middle[i]);
    is_separated = is_separated | is_separated_by(polygon, beside, extent, distance);
  }
  return is_separated;
}

// Advances before the time reached is returned as a contact. Convergence is quadratic on simple
// contacts (about 5) and grazing passes need some 20; ccd_handcrafted_test has no more false
// positives with any larger number.
constexpr int max_advances = 64;

// An advance by less, as a part of the time, ends the search. Passes at a relative gap g slow down
// to sqrt(g), and gaps below 1e-15 are not told from contact anyway.
constexpr double least_advance = 0x1p-24;

/// Whether numbers are so small that the error bounds hold.
template <typename L>
typename L::Mask is_in_range(const Vector<L>& extent, double distance) {
  return max(largest(extent), distance) < max_extent;
}

/// Moves a time forward over spans without contact.
template <typename L, std::size_t count>
class Search {
 public:
  Search(const MovingPolygon<L, count>& polygon, double distance)
      : extent_(MotionBox(polygon).extent()),
        cubic_(coplanarity(polygon, extent_, distance)),
        polygon_(polygon),
        distance_(distance) {}

  /// Moves `time` on in the lanes that are searching, from a time that has been reached or 0. Lanes
  /// that are done are no longer searching; where there is no contact their time is > 1.
  void advance(L& time, typename L::Mask& is_searching) const {
    const L start = ccd::advance(cubic_, time, distance_);
    const Vector<L> direction = nearest_direction(polygon_.at(start));
    const L next = ccd::advance(polygon_, extent_, direction, start, distance_);
    const L before = time;
    time = select(is_searching, next, time);
    is_searching = is_searching & (time - before > least_advance * time) & !(time > 1);
  }

 private:
  Vector<L> extent_;
  Coplanarity<L> cubic_;
  const MovingPolygon<L, count>& polygon_;
  double distance_;
};

}  // namespace sluice::geometry::ccd
