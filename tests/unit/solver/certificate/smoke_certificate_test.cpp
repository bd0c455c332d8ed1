// SPDX-License-Identifier: Apache-2.0
// Oracle: rooms with and without a way between them, made by hand.
#include "solver/certificate/smoke_certificate.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice::certificate {
namespace {

// A box of 10 x 4 x 4 cells of 0.1 m, with smoke in the leftmost ones.
struct Room {
  CellLattice lattice{{10, 4, 4}, Vec3::Zero(), Vec3::Constant(0.1)};
  std::vector<float> smoke = std::vector<float>(160, 0.0F);
  std::vector<scene::Obstacle> obstacles;
  std::vector<Vec3> vertices;
  std::vector<TriangleIndices> triangles, around_volumes;

  Room() { smoke[0] = smoke[10] = 1; }
  [[nodiscard]] SmokeState state() const {
    return {lattice, smoke, obstacles, vertices, triangles, {}, around_volumes};
  }
  void add_wall(double x, double thickness, double height) {
    scene::Obstacle wall;
    wall.shape = {geometry::Box{{0.5 * thickness, 1, 0.5 * height}},
                  {x, 0.2, 0.5 * height},
                  Mat3::Identity()};
    obstacles.push_back(wall);
  }
};

TEST(SmokeCertificate, finds_smoke_beyond_a_closed_wall_however_thin) {
  for (const double thickness : {0.15, 0.01, 1e-6}) {
    SCOPED_TRACE(thickness);
    Room room;
    room.add_wall(0.513, thickness, 1);
    SmokeCertificate certificate({}, room.state());
    EXPECT_EQ(certificate.check(room.state()).beyond_part, 0);
    room.smoke[3] = 1;  // On this side of it.
    room.smoke[9] = 1;  // Beyond.
    EXPECT_NEAR(certificate.check(room.state()).beyond_part, 0.25, 1e-12);
  }
}

TEST(SmokeCertificate, lets_smoke_over_a_wall) {
  Room room;
  room.add_wall(0.513, 0.01, 0.3);  // The highest row of cells is free.
  SmokeCertificate certificate({}, room.state());
  room.smoke[9] = 1;
  EXPECT_EQ(certificate.check(room.state()).beyond_part, 0);
}

TEST(SmokeCertificate, finds_smoke_beyond_a_sheet) {
  Room room;
  room.vertices = {{0.513, -1, -1}, {0.513, 2, -1}, {0.513, 2, 2}, {0.513, -1, 2}};
  room.triangles = {{0, 1, 2}, {0, 2, 3}};
  SmokeCertificate certificate({}, room.state());
  room.smoke[9] = 1;
  EXPECT_NEAR(certificate.check(room.state()).beyond_part, 1.0 / 3, 1e-12);
  room.triangles.pop_back();  // Half of it is gone.
  room.vertices[0].x() += 1e-9;
  EXPECT_EQ(certificate.check(room.state()).beyond_part, 0);
}

TEST(SmokeCertificate, counts_nothing_inside_of_obstacles) {
  Room room;
  room.add_wall(0.55, 0.2, 1);
  SmokeCertificate certificate({}, room.state());
  room.smoke[5] = 1;  // In its middle.
  EXPECT_EQ(certificate.check(room.state()).beyond_part, 0);
}

// A ball of 3 cells as an octahedron whose edges lines through middles meet.
TEST(SmokeCertificate, counts_nothing_inside_of_volumes_but_inside_of_closed_surfaces) {
  Room room;
  const Vec3 middle(0.65, 0.15, 0.15);
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-0.16, 0.16})
      room.vertices.push_back(middle + side * Vec3::Unit(axis));
  }
  for (std::int32_t octant = 0; octant < 8; ++octant) {
    const std::int32_t x = octant & 1, y = octant >> 1 & 1, z = octant >> 2 & 1;
    const bool is_right_handed = (x + y + z) % 2 == 1;
    room.triangles.push_back({x, is_right_handed ? 2 + y : 4 + z, is_right_handed ? 4 + z : 2 + y});
  }
  for (const std::size_t cell : {4U, 5U, 6U, 7U, 8U}) {
    SCOPED_TRACE(cell);
    const bool is_inside = cell >= 5 && cell <= 7;
    room.smoke.assign(160, 0.0F);
    room.smoke[0] = 1;
    room.around_volumes.clear();
    SmokeCertificate of_surface({}, room.state());
    const Room start = room;
    room.smoke[cell + 10 * (1 + 4 * 1)] = 1;
    EXPECT_EQ(of_surface.check(room.state()).beyond_part, is_inside ? 0.5 : 0);
    room.around_volumes = room.triangles;
    SmokeCertificate of_volume({}, start.state());
    EXPECT_EQ(of_volume.check(room.state()).beyond_part, 0);
  }
}

TEST(SmokeCertificate, knows_sources_and_strokes) {
  Room room;
  room.add_wall(0.513, 0.01, 1);
  room.smoke[9] = 1e-3F;
  const Room empty = [&] {
    Room copy = room;
    std::fill(copy.smoke.begin(), copy.smoke.end(), 0.0F);
    return copy;
  }();
  geometry::Shape source;
  source.form = geometry::Sphere{0.01};
  source.translation = {0.95, 0.05, 0.05};
  SmokeCertificate with_source({source}, empty.state());
  EXPECT_GT(with_source.check(room.state()).beyond_part, 0.99);  // The smoke on the left.
  with_source.allow({0.05, 0.05, 0.05}, {0.05, 0.15, 0.05}, 0.01);
  room.vertices.emplace_back(0, 0, 0);  // Walls are looked at anew.
  EXPECT_EQ(with_source.check(room.state()).beyond_part, 0);
}

TEST(SmokeCertificate, follows_a_wall_that_moves) {
  Room room;
  room.add_wall(0.513, 0.01, 1);
  SmokeCertificate certificate({}, room.state());
  EXPECT_EQ(certificate.check(room.state()).beyond_part, 0);
  room.obstacles[0].shape.translation.x() = 0.713;
  room.smoke[6] = 1;  // At 0.65: the wall has left it.
  EXPECT_EQ(certificate.check(room.state()).beyond_part, 0);
  room.smoke[8] = 1;
  EXPECT_GT(certificate.check(room.state()).beyond_part, 0.2);
}

}  // namespace
}  // namespace sluice::certificate
