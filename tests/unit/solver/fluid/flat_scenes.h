// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>

#include "tests/unit/solver/fluid/scenes.h"

/// Tanks in two dimensions.
namespace sluice::fluid::test {

constexpr double flat_cell = 0.02;                     ///< [m]
constexpr double flat_depth = 0.3, flat_plane = 0.05;  ///< [m] along y: domain, and its middle

inline scene::Scene flat_tank(const geometry::Shape& region) {
  scene::Scene scene = tank({0.8, 0.2, 0.6}, flat_cell, region);
  scene.domain_lower.y() = flat_plane - flat_depth / 2;
  scene.domain_upper.y() = flat_plane + flat_depth / 2;
  scene.grid.dimensions = 2;
  return scene;
}

/// A dam that breaks over a ball, whose middle is off the plane, and a ramp.
inline scene::Scene flat_dam() {
  scene::Scene scene = flat_tank(box({0, -1, 0}, {0.25, 1, 0.4}));
  scene.obstacles.resize(2);
  scene.obstacles[0].name = "ball";
  scene.obstacles[0].shape = sphere({0.45, flat_plane + 0.05, 0.02}, 0.09);
  scene.obstacles[1].name = "ramp";
  scene.obstacles[1].shape = box({0.6, flat_plane - 0.1, -0.1}, {0.9, flat_plane + 0.1, 0.1});
  scene.obstacles[1].shape.rotation = Eigen::AngleAxisd(-0.5, Vec3::UnitY()).toRotationMatrix();
  return scene;
}

}  // namespace sluice::fluid::test
