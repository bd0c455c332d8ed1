// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "solver/fluid/particle_fluid.h"
#include "solver/scene/scene.h"
#include "tests/unit/solver/fluid/scenes.h"

/// Water that stands still beside obstacles.
namespace sluice::fluid::test {

/// Water and obstacles in a tank of 0.8 m by 0.6 m.
struct StillWater {
  std::string name;
  std::vector<scene::Obstacle> obstacles;
  int dimensions = 2;
  double cell = 0.02;  ///< [m]
  double depth = 0.3;  ///< [m] of the water; the tank is 0.6 high.
  double width = 0.2;  ///< [m] of the tank, along y
  double length = 2;   ///< [m] of the water, along x, from the left wall
  std::vector<geometry::Shape> more_water = {};
  scene::WallCondition wall = scene::WallCondition::slip;
  scene::Kernel kernel = scene::Kernel::quadratic;
  double most_speed = 1e-3;   ///< [m/s] RMS that is left
  double most_change = 0.01;  ///< Change of the mean height, as a part of it
};
inline std::ostream& operator<<(std::ostream& out, const StillWater& water) {
  return out << water.name;
}

inline scene::Scene scene_of(const StillWater& water) {
  scene::Scene scene =
      tank({0.8, water.width, 0.6}, water.cell, box({-1, -1, -1}, {water.length, 1, water.depth}));
  scene.fluids[0].regions.insert(scene.fluids[0].regions.end(), water.more_water.begin(),
                                 water.more_water.end());
  scene.grid.dimensions = water.dimensions;
  scene.grid.kernel = water.kernel;
  scene.obstacles = water.obstacles;
  for (std::size_t o = 0; o < scene.obstacles.size(); ++o) {
    scene.obstacles[o].name = "obstacle " + std::to_string(o);
    scene.obstacles[o].wall = water.wall;
  }
  return scene;
}

inline scene::Obstacle turned_box(const Vec3& centre, const Vec3& size, double degrees) {
  scene::Obstacle obstacle;
  obstacle.shape = box(-size / 2, size / 2);
  obstacle.shape.translation = centre;
  obstacle.shape.rotation =
      Eigen::AngleAxisd(-degrees * std::numbers::pi / 180, Vec3::UnitY()).toRotationMatrix();
  return obstacle;
}

inline scene::Obstacle ball(const Vec3& centre, double radius) {
  scene::Obstacle obstacle;
  obstacle.shape = sphere(centre, radius);
  return obstacle;
}

inline scene::Obstacle ramp(double degrees) {
  return turned_box({0.62, 0.1, 0.05}, {1, 1, 0.3}, degrees);
}
inline scene::Obstacle step() { return turned_box({0.7, 0.1, 0.05}, {0.4, 1, 0.21}, 0); }
inline scene::Obstacle post() { return turned_box({0.41, 0.1, 0.25}, {0.08, 1, 0.8}, -17); }

/// A plate that parts the tank, with water of 0.3 m on its left and of `behind` [m] on its right.
/// Its left side is `past` [m] past a row of nodes.
inline StillWater parted(double thickness, double behind, double past = 0) {
  const double left = 0.4 + past, right = left + thickness;
  const auto number = [](double value) { return std::to_string(std::lround(value)); };
  StillWater water{
      .name = "plate_of_" + number(1e4 * thickness) + "_tenths_of_a_mm_" + number(1e3 * past) +
              "_mm_past_nodes_and_" + number(100 * behind) + "_cm_behind",
      .obstacles = {turned_box({(left + right) / 2, 0.1, 0.25}, {thickness, 1, 0.8}, 0)},
      .length = left};
  if (behind > 0) water.more_water = {box({right, -1, -1}, {2, 1, behind})};
  return water;
}

/// A step and a slope that end at the walls of a tank: a slice one cell deep, or all of it.
inline StillWater from_wall_to_wall(int dimensions) {
  const double width = dimensions == 2 ? 0.02 : 0.2;
  return {.name = dimensions == 2 ? "thin_slice_from_wall_to_wall" : "from_wall_to_wall_in_3d",
          .obstacles = {turned_box({0.65, width / 2, 0.1}, {0.3, width, 0.2}, 0),
                        turned_box({0.1, width / 2, 0.02}, {0.4, width, 0.1}, 20)},
          .dimensions = dimensions,
          .cell = dimensions == 2 ? 0.02 : 0.04,
          .width = width};
}

/// The motion that is left, and the height.
struct Rest {
  double speed;   ///< [m/s] RMS of the particles in the last second
  double height;  ///< Their mean height over that at the start
};

/// Runs `fluid` for 10 s, in substeps as long as it allows.
inline Rest rest_after_a_while(ParticleFluid& fluid, const Vec3& gravity) {
  constexpr double seconds = 10, last = 1;
  const auto height = [&fluid] {
    double sum = 0;
    for (const Vec3f& x : fluid.positions())
      sum += static_cast<double>(x.z());
    return sum;
  };
  const double before = height();
  double squares = 0, count = 0;
  for (double time = 0; time < seconds;) {
    const double h = std::min(fluid.stable_substep(), 1.0);
    fluid.advance_velocities(h, gravity);
    fluid.commit();
    time += h;
    if (time < seconds - last) continue;
    for (const Vec3f& v : fluid.velocities())
      squares += static_cast<double>(v.squaredNorm());
    count += static_cast<double>(fluid.particle_count());
  }
  return {std::sqrt(squares / count), height() / before};
}

}  // namespace sluice::fluid::test
