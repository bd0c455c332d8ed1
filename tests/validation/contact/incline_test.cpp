// SPDX-License-Identifier: Apache-2.0
// A block on an incline. Oracle: Coulomb's law, a = g (sin angle - mu cos angle) where mu is below
// tan angle, and rest where it is above; within a hundredth.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "solver/geometry/tessellate_shape.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/validation/contact/watched.h"

namespace sluice::incline_test {
namespace {

constexpr double gravity = 9.81;
constexpr double gap = 1e-3;

enum class Incline { obstacle, held_body };

struct Slope {
  Incline incline;
  double angle;  ///< [rad]
  /// [m] by which a block at rest may creep in the test. Between bodies the multipliers of friction
  /// start anew in each frame, so that the iteration's tolerance is a small slip in each.
  double creep;
};

/// A block flat on a slope that goes down along x.
scene::Scene make_slope(const Slope& slope, double friction) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-4, -1, -4);
  scene.domain_upper = Vec3(4, 1, 4);
  scene.coupling.contact_distance = gap;
  const Mat3 turn = Eigen::AngleAxisd(slope.angle, Vec3::UnitY()).toRotationMatrix();
  scene::RigidBody block;
  block.name = "block";
  block.mesh = geometry::tessellate_shape(test::make_box({-0.1, -0.1, gap}, {0.1, 0.1, gap + 0.05}),
                                          0.1, 1000)
                   .value();
  block.friction = friction;
  scene.rigid_bodies = {block};
  if (slope.incline == Incline::obstacle) {
    scene.obstacles = {{"slope", {geometry::HalfSpace{}}}};
    scene.obstacles[0].shape.rotation = turn;
    scene.obstacles[0].friction = friction;
  } else {
    scene::RigidBody plank;
    plank.name = "plank";
    plank.mesh = geometry::make_box({-0.5, -0.3, -0.1}, {3, 0.3, 0});
    plank.friction = friction;
    scene.rigid_bodies.push_back(plank);
  }
  for (scene::RigidBody& body : scene.rigid_bodies) {
    for (Vec3& x : body.mesh.vertices)
      x = turn * x;
  }
  if (slope.incline == Incline::held_body) scene.rigid_bodies[1].script = {{.time = 1000}};
  return scene;
}

Vec3 mean(const std::vector<float>& values) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < values.size(); i += 3)
    sum += Vec3(values[i], values[i + 1], values[i + 2]);
  return 3 * sum / static_cast<double>(values.size());
}

class InclineTest : public testing::TestWithParam<Slope> {
 protected:
  /// [m/s] down the slope and [m] off its way, after half a second.
  struct Slide {
    double speed, way, aside;
  };
  static Slide slide(double friction) {
    test::Watched watched(make_slope(GetParam(), friction));
    const auto middle = [&](Field field) {
      return mean(test::values_of(watched.simulation(), 0, field));
    };
    const Vec3 start = middle(Field::position);
    watched.advance(30);
    const Vec3 down(std::cos(GetParam().angle), 0, -std::sin(GetParam().angle));
    const Vec3 way = middle(Field::position) - start;
    return {down.dot(middle(Field::velocity)), down.dot(way), (way - down.dot(way) * down).norm()};
  }
};

TEST_P(InclineTest, a_block_sticks_above_the_tangent_and_slides_below_it) {
  const double tangent = std::tan(GetParam().angle);
  EXPECT_LT(std::abs(slide(1.01 * tangent).way), GetParam().creep);
  // The rest of its weight moves it by 0.005 g sin(angle) t^2.
  const double way = 0.005 * gravity * std::sin(GetParam().angle) * 0.25;
  EXPECT_GT(slide(0.99 * tangent).way, 0.5 * way);
}

TEST_P(InclineTest, a_block_slides_with_coulombs_acceleration) {
  const double sine = std::sin(GetParam().angle), cosine = std::cos(GetParam().angle);
  for (const double part : {0.0, 0.3, 0.6, 0.9}) {
    const double friction = part * sine / cosine;
    const Slide slid = slide(friction);
    const double speed = 0.5 * gravity * (sine - friction * cosine);
    EXPECT_NEAR(slid.speed, speed, 0.01 * speed) << part;
    EXPECT_LT(slid.aside, 5e-5) << part;
  }
}

INSTANTIATE_TEST_SUITE_P(Slopes, InclineTest,
                         testing::Values(Slope{Incline::obstacle, 0.2, 1e-5},
                                         Slope{Incline::obstacle, 0.6, 1e-5},
                                         Slope{Incline::held_body, 0.2, 1e-5},
                                         Slope{Incline::held_body, 0.6, 2e-4}));

}  // namespace
}  // namespace sluice::incline_test
