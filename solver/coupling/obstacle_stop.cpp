// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/obstacle_stop.h"

#include <cstddef>
#include <limits>

#include "solver/parallel/parallel_reduce.h"

namespace sluice::coupling {

namespace {

// A vertex that was inside already may come out at its own pace, and go this many times as deep
// before it is led out at once.
constexpr double most_growth = 2;

}  // namespace

ObstacleStop stop_at_obstacles(double h, const Walls& walls, const solid::DeformableSystem& solids,
                               std::span<Vec3> x) {
  if (!walls.have_obstacles()) return {};
  const auto can_pass = [&](std::size_t i) {
    const auto body = static_cast<std::size_t>(solids.body_of_vertex[i]);
    return solids.is_held[i] == 0 && solids.bodies[body].rigid_body < 0;
  };
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(x.size()), 512, ObstacleStop{},
      [&](std::int64_t first, std::int64_t last) {
        ObstacleStop stop;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          if (!can_pass(i)) continue;
          const Vec3& x_n = solids.positions[i];
          Vec3 end = walls.end_of_way(x_n, x[i]);
          // A vertex that was led out stands on the surface, but for rounding.
          if (walls.depth(end) > most_growth * walls.depth(x_n)) {
            const Vec3 anywhere = Vec3::Constant(std::numeric_limits<double>::infinity());
            end = walls.resolve_particle(end, -anywhere, anywhere);
          }
          if (end == x[i]) continue;
          stop.impulse += solids.mass[i] / h * (end - x[i]);
          x[i] = end;
          ++stop.count;
        }
        return stop;
      },
      [](const ObstacleStop& a, const ObstacleStop& b) {
        return ObstacleStop{a.count + b.count, a.impulse + b.impulse};
      });
}

}  // namespace sluice::coupling
