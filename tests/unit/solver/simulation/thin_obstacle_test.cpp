// SPDX-License-Identifier: Apache-2.0
// Solids that are thrown at an obstacle thinner than the way they go in a substep do not come out
// behind it. Oracle: the certificate, and which side of the plate each vertex is on. A sheet of 249
// m that swung into a plate of 2 m at 60 m/s went through it (found by random_scenes_test).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::thin_obstacle_test {
namespace {

struct Throw {
  const char* body;
  double thickness;  ///< [m]
  scene::Integrator integrator = scene::Integrator::consensus_admm;
};

/// A plate across the whole domain, and a body above it that falls at 60 m/s: 0.25 m a substep.
scene::Scene scene_of(const Throw& thrown) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-1, -1, -2);
  scene.domain_upper = Vec3(1, 1, 2);
  scene.obstacles.push_back(
      {"plate", test::make_box(Vec3(-2, -2, -thrown.thickness), Vec3(2, 2, 0))});
  scene.solid_solver.integrator = thrown.integrator;
  const Vec3 velocity(1, 0, -60);
  if (thrown.body == std::string("sheet")) {
    scene::Cloth& sheet = scene.cloths.emplace_back(test::make_sheet(11, 11, 0.08, {0, 0, 0.8}));
    sheet.velocity = velocity;
  } else if (thrown.body == std::string("block")) {
    scene::SoftBody& block = scene.soft_bodies.emplace_back(
        test::make_block(Vec3(-0.2, -0.2, 0.6), Vec3(0.2, 0.2, 1), 0.1, 1e5));
    block.velocity = velocity;
  } else {
    scene::RigidBody& brick = scene.rigid_bodies.emplace_back();
    brick.name = "brick";
    brick.mesh = geometry::make_box({-0.2, -0.2, 0.6}, {0.2, 0.2, 0.7});
    brick.velocity = velocity;
    brick.angular_velocity = Vec3(3, 1, 0);
  }
  return scene;
}

class ThinObstacle : public testing::TestWithParam<Throw> {};

TEST_P(ThinObstacle, stops_what_is_fast_for_it) {
  certificate::CrossingCertificate certificate;
  const auto simulation = test::make_simulation(scene_of(GetParam()), 1, &certificate);
  for (int frame = 0; frame < 6; ++frame) {
    test::advance(*simulation, 1);
    ASSERT_EQ(certificate.take_frame().crossing_count, 0) << "frame " << frame + 1;
  }
  for (const Vec3& x : test::positions(*simulation, 0))
    EXPECT_GT(x.z(), -0.25 * GetParam().thickness);
}

INSTANTIATE_TEST_SUITE_P(
    OfAnyThickness, ThinObstacle,
    testing::Values(Throw{"sheet", 0.001}, Throw{"sheet", 0.05}, Throw{"sheet", 0.2},
                    Throw{"sheet", 0.02, scene::Integrator::newton}, Throw{"block", 0.001},
                    Throw{"block", 0.05}, Throw{"block", 0.02, scene::Integrator::newton},
                    Throw{"brick", 0.001}, Throw{"brick", 0.05}, Throw{"brick", 0.2}));

}  // namespace
}  // namespace sluice::thin_obstacle_test
