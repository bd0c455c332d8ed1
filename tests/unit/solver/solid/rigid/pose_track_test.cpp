// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rigid/pose_track.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/unit/solver/solid/rigid/angle_between.h"

namespace sluice::solid {
namespace {

using testing::HasSubstr;

PoseTrack some_track() {
  Quaternion last = rotation_by({0, 0, 2}) * rotation_by({0.5, 0, 0});
  last.coeffs() = -last.coeffs();  // The same attitude; must not make the track go the long way.
  auto track = PoseTrack::make({{1, {{0, 0, 0}, Quaternion::Identity()}},
                                {2, {{2, 0, 0}, rotation_by({0.5, 0, 0})}},
                                {4, {{2, 4, 0}, last}}});
  EXPECT_TRUE(track) << track.error().message;
  return track.value();
}

// Oracle: by hand: a turn about x, then one about the world's z, each at a constant rate.
TEST(PoseTrack, goes_through_its_keys_and_straight_between) {
  const PoseTrack track = some_track();
  const struct {
    double time;
    Vec3 position;
    Quaternion attitude;
  } cases[] = {{-5, {0, 0, 0}, rotation_by({0, 0, 0})},
               {1, {0, 0, 0}, rotation_by({0, 0, 0})},
               {1.25, {0.5, 0, 0}, rotation_by({0.125, 0, 0})},
               {2, {2, 0, 0}, rotation_by({0.5, 0, 0})},
               {3.5, {2, 3, 0}, rotation_by({0, 0, 1.5}) * rotation_by({0.5, 0, 0})},
               {4, {2, 4, 0}, rotation_by({0, 0, 2}) * rotation_by({0.5, 0, 0})},
               {9, {2, 4, 0}, rotation_by({0, 0, 2}) * rotation_by({0.5, 0, 0})}};
  for (const auto& c : cases) {
    EXPECT_LT((track.at(c.time).translation - c.position).norm(), 1e-15) << c.time;
    EXPECT_LT(angle_between(track.at(c.time).rotation, c.attitude), 1e-15) << c.time;
  }
}

// Oracle: the rates by hand, and that moving by them for the span ends where the track does.
TEST(PoseTrack, has_velocities_that_carry_it_along) {
  const PoseTrack track = some_track();
  const PoseMotion first = track.between(1.1, 1.2), second = track.between(2.5, 2.75);
  EXPECT_LT((first.velocity - Vec3(2, 0, 0)).norm(), 1e-13);
  EXPECT_LT((first.angular_velocity - Vec3(0.5, 0, 0)).norm(), 1e-13);
  EXPECT_LT((second.velocity - Vec3(0, 2, 0)).norm(), 1e-13);
  EXPECT_LT((second.angular_velocity - Vec3(0, 0, 1)).norm(), 1e-13);
  for (const auto& [start, end] :
       {std::pair(0.0, 0.5), {0.9, 1.1}, {1.5, 2.3}, {1.0, 4.0}, {3.9, 4.2}, {5.0, 6.0}}) {
    const PoseMotion motion = track.between(start, end);
    const Vec3 moved = motion.start.translation + (end - start) * motion.velocity;
    EXPECT_LT((moved - track.at(end).translation).norm(), 1e-14);
    const Quaternion turned =
        rotation_by((end - start) * motion.angular_velocity) * motion.start.rotation;
    EXPECT_LT(angle_between(turned, track.at(end).rotation), 1e-14);
  }
  const PoseMotion rest = track.between(5, 6);
  EXPECT_EQ(rest.velocity, Vec3::Zero());
  EXPECT_EQ(rest.angular_velocity, Vec3::Zero());
}

TEST(PoseTrack, says_what_is_wrong) {
  Pose bad;
  bad.rotation.w() = 1.00001;
  Pose far;
  far.translation.x() = std::numeric_limits<double>::infinity();
  const struct {
    std::vector<PoseKey> keys;
    const char* message;
  } cases[] = {{{}, "needs a key"},
               {{{0, {}}, {1, {}}, {1, {}}}, "key 2 is at 1.0"},
               {{{std::nan(""), {}}}, "key 0 has a time or a position that is not finite"},
               {{{0, far}}, "key 0 has a time or a position that is not finite"},
               {{{0, {}}, {1, bad}}, "key 1 has a quaternion of length 1.00001"}};
  for (const auto& c : cases) {
    const auto track = PoseTrack::make(c.keys);
    ASSERT_FALSE(track) << c.message;
    EXPECT_EQ(track.error().code, ErrorCode::invalid_scene);
    EXPECT_THAT(track.error().message, HasSubstr(c.message));
  }
  Pose nearly;
  nearly.rotation.w() = 1 + 5e-7;
  const auto track = PoseTrack::make({{0, nearly}});
  ASSERT_TRUE(track);
  EXPECT_EQ(track.value().at(0).rotation.norm(), 1);
}

}  // namespace
}  // namespace sluice::solid
