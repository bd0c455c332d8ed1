// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

// Points along each axis of a shape's bounding box where room is looked for.
constexpr int samples = 32;

// Whether some of `shape` is in the domain and in none of `obstacles`.
bool has_free_part(const Scene& scene, const geometry::Shape& shape,
                   const std::vector<const Obstacle*>& obstacles) {
  const geometry::Bounds bounds = geometry::bounds(shape);
  const Vec3 lower = bounds.lower.cwiseMax(scene.domain_lower);
  const Vec3 step = (bounds.upper.cwiseMin(scene.domain_upper) - lower) / samples;
  for (int n = 0; n < samples * samples * samples; ++n) {
    const Eigen::Vector3i cell(n / (samples * samples), n / samples % samples, n % samples);
    const Vec3 x = lower + step.cwiseProduct(cell.cast<double>() + Vec3::Constant(0.5));
    if (!(geometry::signed_distance(shape, x).distance < 0)) continue;
    const bool is_free = std::ranges::all_of(obstacles, [&](const Obstacle* obstacle) {
      return geometry::signed_distance(obstacle->shape, x).distance > 0;
    });
    if (is_free) return true;
  }
  return false;
}

}  // namespace

void check_emitter_places(const Scene& scene, ProblemList& problems) {
  if (!problems.sound("domain")) return;
  std::vector<const Obstacle*> obstacles;
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    if (problems.sound(fmt::format("obstacles[{}]", i))) obstacles.push_back(&scene.obstacles[i]);
  }
  if (obstacles.empty()) return;
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    for (std::size_t e = 0; e < scene.fluids[i].emitters.size(); ++e) {
      const std::string path = fmt::format("fluids[{}].emitters[{}].shape", i, e);
      if (!problems.sound(path)) continue;
      if (has_free_part(scene, scene.fluids[i].emitters[e].shape, obstacles)) continue;
      problems.error(path,
                     "is wholly inside obstacles: nothing could come in; move it to where there is "
                     "room, or the obstacle away");
    }
  }
}

}  // namespace sluice::scene
