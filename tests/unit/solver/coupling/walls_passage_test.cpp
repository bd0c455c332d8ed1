// SPDX-License-Identifier: Apache-2.0
// Oracle: by hand, the sides of a plate.
#include <gtest/gtest.h>

#include "solver/coupling/walls.h"

namespace sluice::coupling::walls_passage_test {
namespace {

constexpr double half = 1e-5;  // [m] of the plate's thickness.

struct Plate {
  Plate() {
    scene.domain_lower = Vec3::Constant(-1);
    scene.domain_upper = Vec3::Constant(1);
    scene.obstacles.push_back({"plate", {geometry::Box{Vec3(0.5, 0.5, half)}}});
  }
  [[nodiscard]] Vec3 from(const Vec3& x_n, const Vec3& x) const {
    return Walls(scene).resolve_particle(x_n, x, scene.domain_lower, scene.domain_upper);
  }
  scene::Scene scene;
};

TEST(WallsPassage, a_particle_that_is_pushed_through_a_plate_stays_before_it) {
  const Plate plate;
  const Vec3 before(0.1, 0.2, -3e-5);
  for (const double end : {0.2 * half, half, 4e-5, 0.3}) {
    const Vec3 x = plate.from(before, {0.12, 0.2, end});
    EXPECT_LT(x.z(), -half + 1e-12) << end;
    EXPECT_GT(x.z(), before.z()) << end;
  }
}

TEST(WallsPassage, a_particle_that_meets_no_plate_goes_where_it_wants) {
  const Plate plate;
  const Vec3 x(0.6, 0.2, 0.3);
  EXPECT_EQ(plate.from({0.4, 0.2, 2e-5}, x), x);
  EXPECT_EQ(plate.from({0.7, 0.2, -0.3}, x), x);
  EXPECT_EQ(plate.from({0.7, 0.2, -0.3}, {0.6, 0.2, 3}), Vec3(0.6, 0.2, 1));
}

// It rises by a thousand times its thickness.
TEST(WallsPassage, a_plate_that_moves_takes_along_what_it_meets) {
  Plate plate;
  const Vec3 way(0, 0, 0.02);
  Walls walls(plate.scene);
  plate.scene.obstacles[0].velocity = way;
  plate.scene.obstacles[0].shape.translation = way;
  walls.move(plate.scene.obstacles, 1);
  const Vec3 above(0.1, 0.2, 0.001), below(0.1, 0.2, -0.001);
  EXPECT_NEAR(walls.end_of_way(above, above).z(), 0.02 + half, 1e-2 * half);
  EXPECT_EQ(walls.end_of_way(below, below), below);
  EXPECT_NEAR(walls.end_of_way(below, {0.1, 0.2, 0.03}).z(), 0.02 - half, 1e-2 * half);
}

TEST(WallsPassage, a_particle_that_starts_in_a_plate_is_led_out) {
  const Vec3 out = Plate().from({0.1, 0.2, 0.9 * half}, {0.1, 0.2, 0.5 * half});
  EXPECT_NEAR(out.z(), half, 1e-12);
}

}  // namespace
}  // namespace sluice::coupling::walls_passage_test
