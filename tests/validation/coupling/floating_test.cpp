// SPDX-License-Identifier: Apache-2.0
// A box that floats. Oracle: Archimedes, for the tank's own volume of water.
#include <gtest/gtest.h>

#include "solver/geometry/tessellate_shape.h"
#include "tests/validation/contact/watched.h"

namespace sluice::floating_test {
namespace {

constexpr double cell = 0.02;
constexpr double half_width = 0.2;  ///< [m] of the tank
constexpr double depth = 0.24;      ///< [m] of the water at rest
constexpr double half_edge = 0.1;   ///< [m] of the box

double lowest(const std::vector<Vec3>& vertices) {
  double z = vertices.front().z();
  for (const Vec3& x : vertices)
    z = std::min(z, x.z());
  return z;
}

// Weighs what it displaces at `draft` [m].
scene::Scene floating_box(double height, double draft) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-half_width, -half_width, 0);
  scene.domain_upper = Vec3(half_width, half_width, 0.6);
  scene.grid.cell_size = cell;
  // Half of the particles' spacing: then the particles' volume ends where the box begins.
  scene.coupling.contact_distance = 0.999 * cell / 4;
  const double bottom = depth - draft;
  scene.fluids.push_back(
      {"water", {test::make_box({-half_width, -half_width, 0}, {half_width, half_width, bottom})}});
  // The box is where it will float; around it:
  for (const double side : {-1.0, 1.0}) {
    const double inner = side * half_edge, outer = side * half_width;
    const double left = std::min(inner, outer), right = std::max(inner, outer);
    scene.fluids[0].regions.push_back(
        test::make_box({left, -half_width, bottom}, {right, half_width, depth}));
    scene.fluids[0].regions.push_back(
        test::make_box({-half_edge, left, bottom}, {half_edge, right, depth}));
  }
  scene::RigidBody box;
  box.name = "box";
  box.density = scene.fluids[0].density * draft / height;
  box.mesh = geometry::tessellate_shape(test::make_box({-half_edge, -half_edge, bottom},
                                                       {half_edge, half_edge, bottom + height}),
                                        2 * cell, 10'000)
                 .value();
  scene.rigid_bodies = {box};
  return scene;
}

void expect_archimedes_depth(const scene::Scene& scene, double draft) {
  test::Watched watched(scene);
  const double spacing = cell / 2;
  const double volume = static_cast<double>(test::positions(watched.simulation(), 0).size()) *
                        spacing * spacing * spacing;
  const double area = 4 * half_width * half_width, box_area = 4 * half_edge * half_edge;
  for (int second = 1; second <= 3; ++second) {
    watched.advance(60);
    const double z = lowest(test::positions(watched.simulation(), 1));
    const double level = (volume - box_area * z) / (area - box_area);
    EXPECT_NEAR(level - z, draft, 0.02 * draft) << "after " << second << " s";
  }
}

TEST(Floating, a_box_floats_at_archimedes_depth) {
  expect_archimedes_depth(floating_box(0.2, 0.1), 0.1);
}

TEST(Floating, a_box_floats_at_archimedes_depth_in_an_incompressible_liquid) {
  // Flat: a cube turns over.
  scene::Scene scene = floating_box(0.12, 0.08);
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.fluids[0].dynamic_viscosity = 0;
  scene.grid.cfl = 2;
  scene.coupling.method = scene::CouplingMethod::variational_rigid;
  scene.coupling.max_substep = 1.0 / 60;
  expect_archimedes_depth(scene, 0.08);
}

}  // namespace
}  // namespace sluice::floating_test
