// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "solver/scene/scene.h"

namespace sluice::fluid::test {

inline geometry::Shape box(const Vec3& lower, const Vec3& upper) {
  geometry::Shape shape;
  shape.form = geometry::Box{(upper - lower) / 2};
  shape.translation = (lower + upper) / 2;
  return shape;
}

inline geometry::Shape sphere(const Vec3& center, double radius) {
  geometry::Shape shape;
  shape.form = geometry::Sphere{radius};
  shape.translation = center;
  return shape;
}

/// A tank from the origin to `size`, with `region` full of water.
inline scene::Scene tank(const Vec3& size, double cell_size, const geometry::Shape& region) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = size;
  scene.grid.cell_size = cell_size;
  scene::Fluid fluid;
  fluid.name = "water";
  fluid.regions = {region};
  scene.fluids = {fluid};
  return scene;
}

/// A dam that breaks over a ball: walls, an obstacle, spray, some thousand particles.
inline scene::Scene dam_break(scene::Kernel kernel) {
  scene::Scene scene = tank({0.6, 0.2, 0.4}, 0.02, box({0, 0, 0}, {0.2, 0.2, 0.24}));
  scene.grid.kernel = kernel;
  scene.fluids[0].velocity = Vec3(2, 0.3, 0);
  scene::Obstacle ball;
  ball.name = "ball";
  ball.shape = sphere({0.35, 0.1, 0.05}, 0.07);
  scene.obstacles = {ball};
  return scene;
}

/// Water, mud, jelly, sand and snow, thrown together.
inline scene::Scene one_of_each_material() {
  scene::Scene scene = tank({0.6, 0.2, 0.4}, 0.02, box({0, 0, 0}, {0.12, 0.2, 0.2}));
  const scene::FluidMaterial materials[] = {scene::Bingham{}, scene::Jelly{}, scene::Sand{},
                                            scene::Snow{}};
  for (int n = 0; n < 4; ++n) {
    scene::Fluid fluid;
    fluid.name = std::string("fluid") + std::to_string(n);
    fluid.regions = {box({0.14 + 0.1 * n, 0.04, 0.1}, {0.22 + 0.1 * n, 0.14, 0.24})};
    fluid.material = materials[n];
    fluid.velocity = Vec3(n % 2 == 0 ? 2 : -2, 0.3, -1);
    scene.fluids.push_back(fluid);
  }
  return scene;
}

}  // namespace sluice::fluid::test
