// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/wall_touch.h"

#include <algorithm>
#include <cstddef>

#include "solver/parallel/parallel_reduce.h"

namespace sluice::coupling {
namespace {

constexpr double kept_part = 0.1;
constexpr int most_strides = 64;
constexpr std::int64_t wall_touch_grain = 512;

std::size_t point_of(const WallTouch& touch) { return static_cast<std::size_t>(touch.point); }

// A gap that is Lipschitz with constant 1 stays open for as far as it is wide: strides of that
// length, less what is kept, until there is no more to gain. [Hart1996]
double largest_step(const WallTouch& touch, const Vec3& x, const Vec3& direction, double longest) {
  const double speed = direction.norm();
  if (speed == 0) return longest;
  const double kept = kept_part * touch.gap_at(x).distance;
  double step = 0;
  for (int stride = 0; stride < most_strides && step < longest; ++stride) {
    const double spare = touch.gap_at(x + step * direction).distance - kept;
    if (!(spare > kept_part * kept)) break;
    step += spare / speed;
  }
  return std::min(step, longest);
}

template <typename DirectionOf>
double largest_step(std::span<const WallTouch> touches, std::span<const Vec3> x, double longest,
                    const DirectionOf& direction_of) {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(touches.size()), wall_touch_grain, longest,
      [&](std::int64_t first, std::int64_t last) {
        double shortest = longest;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          shortest = std::min(shortest, largest_step(touches[i], x[point_of(touches[i])],
                                                     direction_of(touches[i]), shortest));
        }
        return shortest;
      },
      [](double a, double b) { return std::min(a, b); });
}

}  // namespace

double largest_step(std::span<const WallTouch> touches, std::span<const Vec3> x,
                    std::span<const Vec3> direction, double longest) {
  return largest_step(touches, x, longest,
                      [&](const WallTouch& touch) { return direction[point_of(touch)]; });
}

double largest_advance(std::span<const WallTouch> touches, std::span<const Vec3> x) {
  return largest_step(touches, x, 1, [](const WallTouch& touch) { return Vec3(-touch.shift); });
}

}  // namespace sluice::coupling
