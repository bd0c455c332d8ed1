// SPDX-License-Identifier: Apache-2.0
// Oracle: by hand, what is on which side of a plate or a sheet.
#include "solver/fluid/obstacles/screens.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sluice::fluid::grid {
namespace {

constexpr float edge = 0.1F;  // [m]
const CellFrame<3> frame{edge, Vec3f::Zero()};
const Tiles<3> tiles({Cell<3>{}});

scene::Obstacle plate_at(double x, double thickness) {
  scene::Obstacle made;
  made.name = "plate";
  made.shape.form = geometry::Box{{thickness / 2, 2, 2}};
  made.shape.translation = Vec3(x, 0.4, 0.4);
  return made;
}

// Two triangles across x.
std::vector<Facet> sheet_at(double x) {
  const Vec3 a(x, -1, -1), b(x, 2, -1), c(x, 2, 2), d(x, -1, 2);
  return {{.corners = {a, b, c}}, {.corners = {a, c, d}}};
}

struct Seer {
  explicit Seer(const std::vector<scene::Obstacle>& obstacles, const std::vector<Facet>& facets,
                float h = 0.1F)
      : screens(frame, 0) {
    screens.set_obstacles(obstacles);
    screens.set_facets(facets);
    screens.look_around(tiles, h, 0);
  }
  [[nodiscard]] Screens<3>::Near near(const Vec3& x) const { return screens.near(x); }
  [[nodiscard]] bool hides(const Event& from, const Event& to) const {
    return screens.hides(near(from.x), from, to);
  }
  Screens<3> screens;
};

TEST(Screens, hide_what_is_beyond_them_and_nothing_else) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> any(0.3, 0.5);
  for (const Seer& seer : {Seer({plate_at(0.4, 1e-6)}, {}), Seer({}, sheet_at(0.4))}) {
    for (int n = 0; n < 5000; ++n) {
      const Vec3 a(any(random), any(random), any(random));
      Vec3 b(any(random), any(random), any(random));
      if (n % 5 == 0) b.tail<2>() << 0.8 - a.y(), 0.8 - a.z();  // Through the sheet's diagonal.
      EXPECT_EQ(seer.hides({a, 0}, {b, 0}), (a.x() < 0.4) != (b.x() < 0.4));
    }
  }
}

TEST(Screens, are_solids_that_are_thin_for_the_grid) {
  EXPECT_TRUE(Seer({plate_at(0.4, 0.3)}, {}).screens.is_empty());
  EXPECT_FALSE(Seer({plate_at(0.4, 0.1)}, {}).screens.is_empty());
  EXPECT_TRUE(Seer({plate_at(0.4, 0.01)}, {}).near({0.75, 0.4, 0.4}).empty());
}

// A plate that moves by 0.1 m to where it is at the end: what was before it, at the start, is.
TEST(Screens, hide_in_their_own_frame) {
  scene::Obstacle moving = plate_at(0.4, 0.001);
  moving.velocity = Vec3(1, 0, 0);
  const Seer seer({moving}, {});
  EXPECT_FALSE(seer.hides({{0.35, 0.4, 0.4}, 1}, {{0.45, 0.4, 0.4}, 0}));
  EXPECT_TRUE(seer.hides({{0.25, 0.4, 0.4}, 1}, {{0.45, 0.4, 0.4}, 0}));
  const Vec3 end = seer.screens.end_of_way({{0.45, 0.4, 0.4}, 0}, {{0.2, 0.4, 0.4}, 1});
  EXPECT_GT(end.x(), 0.3);  // Where it was.
  EXPECT_LT(end.x(), 0.31);
}

TEST(Screens, leave_of_a_velocity_what_goes_along_them) {
  std::vector<Facet> sheet = sheet_at(0.4);
  for (Facet& facet : sheet)
    facet.velocity = Vec3(0.5, 0, 0);
  const Seer seer({}, sheet);
  const Vec3 below(0.37, 0.4, 0.4), above(0.43, 0.4, 0.4);
  const auto left = [&](const Vec3& x) {
    return seer.screens.leave(seer.near(x), {x, 0}, Vec3(2, 1, 0));
  };
  EXPECT_EQ(left(below), Vec3(0.5, 1, 0));
  EXPECT_EQ(left(above), Vec3(2, 1, 0));
}

TEST(Screens, leave_the_room_on_one_side_of_a_plane) {
  const Seer seer({}, sheet_at(0.4));
  for (const double way : {0.0, 0.02, 0.05, 0.09}) {
    const Vec3 x(0.4 + way, 0.4, 0.4);
    const double part = 1 - way / 0.1;
    const auto room = seer.screens.room(seer.near(x), x);
    ASSERT_TRUE(room);
    EXPECT_NEAR(*room, 1 - 0.5 * part * part, 1e-6);
  }
  const Vec3 far(0.55, 0.4, 0.4);
  EXPECT_FALSE(seer.screens.room(seer.near(far), far));
}

}  // namespace
}  // namespace sluice::fluid::grid
