// SPDX-License-Identifier: Apache-2.0
// Oracle: by hand, where a plate is and on which side of it a way has to end.
#include "solver/fluid/obstacles/obstacle_ways.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice::fluid {
namespace {

constexpr double margin = 2e-5;  // [m]

scene::Obstacle plate(double thickness, const Mat3& rotation = Mat3::Identity()) {
  scene::Obstacle made;
  made.name = "plate";
  made.shape.form = geometry::Box{{thickness / 2, 1, 1}};
  made.shape.rotation = rotation;
  return made;
}

struct Bent {
  Vec3f target, velocity;
};

Bent bent(const std::vector<scene::Obstacle>& obstacles, const Vec3f& from, const Vec3f& to,
          float h = 0.1F, bool is_flat = false) {
  ObstacleWays ways;
  ways.set(obstacles);
  std::vector<std::uint32_t> all(obstacles.size());
  for (std::uint32_t o = 0; o < all.size(); ++o)
    all[o] = o;
  Bent end{to, (to - from) / h};
  ways.bend({h, margin, is_flat}, all, from, end.target, end.velocity);
  EXPECT_FALSE(ways.is_blocked({h, margin, is_flat}, all, from, end.target));
  return end;
}

TEST(ObstacleWays, end_before_a_plate_however_thin_and_slide_along_it) {
  for (const double thickness : {0.04, 0.002, 0.0002, 0.000002}) {
    const Bent end = bent({plate(thickness)}, {-0.05F, 0, 0}, {0.07F, 0.02F, -0.03F});
    EXPECT_NEAR(end.target.x(), -thickness / 2 - 1.5 * margin, 1e-7) << thickness;
    EXPECT_FLOAT_EQ(end.target.y(), 0.02F);
    EXPECT_FLOAT_EQ(end.target.z(), -0.03F);
    EXPECT_FLOAT_EQ(end.velocity.x(), 0);
    EXPECT_FLOAT_EQ(end.velocity.y(), 0.2F);
  }
}

TEST(ObstacleWays, are_left_as_they_are_where_nothing_is) {
  const Bent end = bent({plate(0.0002)}, {-0.05F, 0, 0}, {-0.01F, 2, 0});
  EXPECT_EQ(end.target, Vec3f(-0.01F, 2, 0));
  EXPECT_TRUE(end.velocity.isApprox(Vec3f(0.4F, 20, 0)));
}

// A plate that comes by in a step, past where the particle rests: it takes it along.
TEST(ObstacleWays, are_those_of_what_a_moving_plate_takes_along) {
  scene::Obstacle moving = plate(0.0002);
  moving.velocity = Vec3(2, 0, 0);  // Was at -0.2.
  const Bent end = bent({moving}, {-0.15F, 0, 0}, {-0.15F, 0, 0});
  EXPECT_NEAR(end.target.x(), 0.0001 + 1.5 * margin, 1e-7);
  EXPECT_FLOAT_EQ(end.velocity.x(), 2);
  const Bent behind = bent({moving}, {-0.25F, 0, 0}, {-0.1F, 0, 0});
  EXPECT_EQ(behind.target, Vec3f(-0.1F, 0, 0));
}

TEST(ObstacleWays, stay_in_their_plane_in_two_dimensions) {
  const Mat3 slanted(Eigen::AngleAxisd(0.5, Vec3(0.1, 1, 0.2).normalized()));
  const Bent end = bent({plate(0.001, slanted)}, {-0.05F, 0, 0}, {0.07F, 0, 0}, 0.1F, true);
  EXPECT_EQ(end.target.y(), 0);
  EXPECT_EQ(end.velocity.y(), 0);
}

// In the corner of two plates that meet, and of three: by chance, with ways in all directions.
TEST(ObstacleWays, out_of_a_closed_corner_are_none) {
  const Mat3 up(Eigen::AngleAxisd(1.5707963267948966, Vec3::UnitY()));
  const Mat3 aside(Eigen::AngleAxisd(1.5707963267948966, Vec3::UnitZ()));
  const Mat3 slanted(Eigen::AngleAxisd(0.3, Vec3(0.3, 1, -0.5).normalized()));
  std::vector<scene::Obstacle> walls{plate(0.0002, slanted), plate(0.0002, slanted * up),
                                     plate(0.0002, slanted * aside)};
  std::mt19937 random(3);
  std::uniform_real_distribution<float> place(0.0003F, 0.05F), way(-0.2F, 0.2F);
  const Mat3f turn = slanted.cast<float>();
  for (int n = 0; n < 20000; ++n) {
    const Vec3f from = turn * Vec3f(place(random), place(random), place(random));
    const Vec3f to = from + Vec3f(way(random), way(random), way(random));
    const Vec3f end = turn.transpose() * bent(walls, from, to).target;
    ASSERT_GT(end.minCoeff(), 0) << n;
  }
}

}  // namespace
}  // namespace sluice::fluid
