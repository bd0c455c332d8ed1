// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/motion_bounds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::contact {
namespace {

constexpr std::int64_t grain = 4096;

// Largest coordinate of the way between two places; in double, where a difference of floats is
// exact or nearly so.
template <typename Vector>
double way(const Vector& t0, const Vector& t1) {
  return (t1.template cast<double>() - t0.template cast<double>()).cwiseAbs().maxCoeff();
}

template <typename Vector, typename Scalar>
void set_reach(std::span<const Vector> t0, std::span<const Vector> t1, double slack,
               std::vector<Scalar>& reach) {
  assert(t0.size() == t1.size());
  reach.resize(t0.size());
  parallel::parallel_for(
      0, static_cast<std::int64_t>(t0.size()), grain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          reach[i] = std::nextafter(static_cast<Scalar>(way(t0[i], t1[i]) + slack),
                                    std::numeric_limits<Scalar>::max());
        }
      });
}

template <typename Vector, typename Scalar>
std::int64_t clamp_to_reach(std::span<const Vector> t0, std::span<Vector> t1,
                            const std::vector<Scalar>& reach) {
  assert(t1.size() <= t0.size() && t0.size() == reach.size());
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(t1.size()), grain, std::int64_t{0},
      [&](std::int64_t first, std::int64_t last) {
        std::int64_t count = 0;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          if (way(t0[i], t1[i]) <= static_cast<double>(reach[i])) continue;
          ++count;
          for (Eigen::Index axis = 0; axis < 3; ++axis) {
            const Scalar start = t0[i][axis];
            Scalar end = std::clamp(t1[i][axis], start - reach[i], start + reach[i]);
            // The sum may have been rounded outwards.
            while (std::abs(double{end} - double{start}) > double{reach[i]}) {
              end = std::nextafter(end, start);
            }
            t1[i][axis] = end;
          }
        }
        return count;
      },
      [](std::int64_t a, std::int64_t b) { return a + b; });
}

}  // namespace

void MotionBounds::begin(const PointsView& t0, const PointsView& predicted, double slack) {
  assert(slack >= 0);
  t0_ = t0;
  set_reach(t0.particles, predicted.particles, slack, particle_reach_);
  set_reach(t0.vertices, predicted.vertices, slack, vertex_reach_);
}

std::int64_t MotionBounds::clamp(const PointsSpan& t1, std::size_t vertex_end) const {
  assert(t1.particles.size() == t0_.particles.size() && t1.vertices.size() == t0_.vertices.size());
  return clamp_to_reach(t0_.particles, t1.particles, particle_reach_) +
         clamp_to_reach(t0_.vertices, t1.vertices.first(vertex_end), vertex_reach_);
}

}  // namespace sluice::contact
