// SPDX-License-Identifier: Apache-2.0
// Oracle: ways past, into and through obstacles that were made by hand.
#include "solver/certificate/obstacle_passage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "solver/certificate/crossing_certificate.h"
#include "solver/certificate/crossing_words.h"

namespace sluice::certificate {
namespace {

scene::Obstacle wall_of(double thickness) {
  scene::Obstacle wall;
  wall.name = "wall";
  wall.shape = {geometry::Box{{0.5 * thickness, 1, 1}}, Vec3::Zero(), Mat3::Identity()};
  return wall;
}

struct Scene {
  std::vector<scene::Obstacle> obstacles;
  double contact_distance = 1e-3;
  double duration = 0.1;
  Vec3 lower{-2, -2, -2}, upper{2, 2, 2};

  [[nodiscard]] std::optional<Passage> find(const Vec3& from, const Vec3& to) const {
    SubstepStates states{};
    states.duration = duration;
    states.obstacles = obstacles;
    states.lower = lower;
    states.upper = upper;
    states.contact_distance = contact_distance;
    std::int64_t pair_count = 0;
    return ObstaclePassages(states).find(from, to, pair_count);
  }
};

TEST(ObstaclePassages, see_ways_through_walls_of_any_thickness) {
  for (const double thickness : {0.4, 0.01, 2e-4, 1e-5, 1e-6}) {
    SCOPED_TRACE(thickness);
    const Scene scene{{wall_of(thickness)}};
    const double beside = 0.5 * thickness + 1e-3;
    EXPECT_TRUE(scene.find({-beside, 0, 0}, {beside, 0, 0}));             // Straight through.
    EXPECT_TRUE(scene.find({-beside, -0.3, 0.1}, {beside, 0.4, 0}));      // Aslant.
    EXPECT_TRUE(scene.find({-beside, 0, 0}, {0, 0, 0}));                  // Ends in its middle.
    EXPECT_FALSE(scene.find({-beside, 0, 0}, {-beside, 0.5, 0}));         // Along it.
    EXPECT_FALSE(scene.find({-beside, 0, 0}, {-0.5 * thickness, 0, 0}));  // To its face.
    EXPECT_FALSE(scene.find({-beside, 1.5, 0}, {beside, 1.5, 0}));        // Past its rim.
  }
}

TEST(ObstaclePassages, tell_rounding_and_held_particles_from_leaks) {
  const Scene scene{{wall_of(0.1)}};
  // A particle pressed to a wall may be held a tenth of the contact distance inside of it.
  EXPECT_FALSE(scene.find({-0.06, 0, 0}, {-0.05 + 1e-4, 0, 0}));
  EXPECT_TRUE(scene.find({-0.06, 0, 0}, {-0.05 + 3e-4, 0, 0}));
  // A thin wall leaves less.
  const Scene thin{{wall_of(2e-4)}};
  EXPECT_FALSE(thin.find({-0.01, 0, 0}, {-1e-4 + 2e-5, 0, 0}));
  EXPECT_TRUE(thin.find({-0.01, 0, 0}, {-1e-4 + 6e-5, 0, 0}));
}

TEST(ObstaclePassages, let_ways_cut_a_bulge_but_not_a_ball) {
  scene::Obstacle ball;
  ball.name = "ball";
  ball.shape.form = geometry::Sphere{0.1};
  const Scene scene{{ball}};
  // Chords at depths of 5 and 60 % of the radius.
  EXPECT_FALSE(scene.find({-0.05, 0.095, 0}, {0.05, 0.095, 0}));
  EXPECT_TRUE(scene.find({-0.2, 0.04, 0}, {0.2, 0.04, 0}));
}

TEST(ObstaclePassages, see_what_a_moving_wall_runs_over) {
  Scene scene{{wall_of(0.01)}};
  scene.obstacles[0].velocity = {1, 0, 0};                 // It came from -0.1.
  EXPECT_TRUE(scene.find({-0.05, 0, 0}, {-0.05, 0, 0}));   // Stood in its way.
  EXPECT_FALSE(scene.find({-0.05, 0, 0}, {0.02, 0, 0}));   // Was pushed along.
  EXPECT_FALSE(scene.find({-0.12, 0, 0}, {-0.02, 0, 0}));  // Followed it.
}

TEST(ObstaclePassages, see_what_leaves_the_domain) {
  const Scene scene;
  const auto below = scene.find({0, 0, -1.9}, {0, 0, -2.01});
  ASSERT_TRUE(below);
  EXPECT_TRUE(below->is_side);
  EXPECT_EQ(below->index, 4U);
  EXPECT_TRUE(scene.find({0, 0, 0}, {NAN, 0, 0}));
  EXPECT_FALSE(scene.find({0, 0, -1.9}, {0, 0, -2}));
  Scene open = scene;
  open.lower.z() = -std::numeric_limits<double>::infinity();
  EXPECT_FALSE(open.find({0, 0, -1.9}, {0, 0, -2.01}));
}

TEST(CrossingCertificate, counts_and_names_passages) {
  const std::vector<scene::Obstacle> obstacles{wall_of(2e-4)};
  const std::vector<Vec3f> before{{-0.01F, 0, 0}, {0.5F, 0, 0}}, after{{0.01F, 0, 0}, {0.6F, 0, 0}};
  SubstepStates states{};
  states.time = states.duration = 0.1;
  states.particles_t0 = before;
  states.particles_t1 = after;
  states.obstacles = obstacles;
  CrossingCertificate certificate;
  certificate.on_substep(states);
  const Findings found = certificate.take_frame();
  EXPECT_EQ(found.crossing_count, 1);
  EXPECT_EQ(found.pair_count, 2);
  ASSERT_TRUE(found.first_crossing);
  const std::vector<BodyLayout> layout{{"water", BodyKind::particles, 2, {}, {}}};
  EXPECT_EQ(
      in_words(*found.first_crossing, layout, 1),
      "a particle of \"water\" went into the obstacle \"wall\" in substep 1 of frame 1, before "
      "0.1 s, near (-0.01, 0, 0)");
}

}  // namespace
}  // namespace sluice::certificate
