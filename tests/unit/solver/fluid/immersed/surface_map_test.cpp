// SPDX-License-Identifier: Apache-2.0
// Oracles: the winding of a surface around a place; places on triangles; what a line through a
// corner has to meet.
#include "solver/fluid/immersed/surface_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "tests/unit/solver/fluid/immersed/immersed_surfaces.h"

namespace sluice::fluid::grid::surface_map_test {
namespace {

const CellFrame<3> frame{0.5F, Vec3f(-1, 3, 2)};

TEST(SurfaceMap, tells_inside_from_outside) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    test::ImmersedSurfaces all = test::make_surfaces(seed, 0.5, false);
    for (Vec3& x : all.positions)
      x += frame.origin.cast<double>();
    const std::vector<TriangleIndices> triangles = all.all_triangles();
    // By the solid angles of triangles [VanOosterom1983].
    const auto winding = [&](const Vec3& x) {
      double sum = 0;
      for (const auto& [i, j, k] : triangles) {
        const Vec3 a = all.positions[static_cast<std::size_t>(i)] - x,
                   b = all.positions[static_cast<std::size_t>(j)] - x,
                   c = all.positions[static_cast<std::size_t>(k)] - x;
        const double A = a.norm(), B = b.norm(), C = c.norm();
        sum +=
            std::atan2(a.dot(b.cross(c)), A * B * C + a.dot(b) * C + b.dot(c) * A + c.dot(a) * B);
      }
      return std::lround(sum / (2 * std::numbers::pi));
    };
    SurfaceMap map;
    map.set(frame, all.positions, triangles);
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::int32_t> half(0, 40);
    std::uniform_real_distribution<double> along(0, 20);
    int inside_count = 0;
    for (int n = 0; n < 2000; ++n) {
      const int axis = n % 3;
      const SurfaceMap::Line line{half(random), half(random)};
      if (line[0] % 2 == 0 && line[1] % 2 == 0) continue;
      Vec3 at;
      at[axis] = along(random);
      at[(axis + 1) % 3] = 0.5 * line[0];
      at[(axis + 2) % 3] = 0.5 * line[1];
      int depth = 0;
      for (const SurfaceMap::Crossing& crossing : map.crossings(axis, line)) {
        if (crossing.at < at[axis]) depth += crossing.is_front ? -1 : 1;
      }
      const Vec3 x = frame.origin.cast<double>() + 0.5 * at;
      ASSERT_EQ(depth, winding(x)) << seed << ' ' << at.transpose();
      inside_count += depth;
    }
    EXPECT_GT(inside_count, 20);
  }
}

TEST(SurfaceMap, has_crossings_in_order_on_their_triangles) {
  const test::ImmersedSurfaces all = test::make_surfaces(3, 0.5, true);
  const std::vector<TriangleIndices> triangles = all.all_triangles();
  SurfaceMap map;
  map.set({0.5F, Vec3f::Zero()}, all.positions, triangles);
  for (int axis = 0; axis < 3; ++axis) {
    ASSERT_FALSE(map.lines(axis).empty());
    for (const SurfaceMap::OnLine& on_line : map.lines(axis)) {
      double last = -1;
      for (const SurfaceMap::Crossing& crossing : on_line.crossings) {
        EXPECT_GE(crossing.at, last);
        last = crossing.at;
        Vec3 expected, x = Vec3::Zero();
        expected[axis] = crossing.at;
        expected[(axis + 1) % 3] = 0.5 * on_line.line[0];
        expected[(axis + 2) % 3] = 0.5 * on_line.line[1];
        const TriangleIndices& corners = triangles[crossing.place.element];
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_GE(crossing.place.parts[k], 0);
          x += crossing.place.parts[k] * map.vertices()[static_cast<std::size_t>(corners[k])];
        }
        EXPECT_LT((x - expected).norm(), 1e-9);
      }
    }
  }
}

// Corners and edges on lines, and triangles along them.
TEST(SurfaceMap, crosses_once_where_triangles_meet) {
  geometry::TriangleMesh sheet = test::make_sheet(8, 2);  // Corners at each line.
  for (Vec3& x : sheet.vertices)
    x += Vec3(3, 3, 1.3);
  SurfaceMap map;
  map.set({1, Vec3f::Zero()}, sheet.vertices, sheet.triangles);
  std::size_t count = 0;
  for (const SurfaceMap::OnLine& on_line : map.lines(2)) {
    EXPECT_EQ(on_line.crossings.size(), 1U) << on_line.line[0] << ' ' << on_line.line[1];
    EXPECT_NEAR(on_line.crossings[0].at, 1.3, 1e-12);
    EXPECT_TRUE(on_line.crossings[0].is_front);
    ++count;
  }
  // From 1 to 5 along both: 8 lines each way, of which every fourth is through corners of cells.
  EXPECT_EQ(count, 48U);
  EXPECT_TRUE(map.lines(0).empty());
  EXPECT_TRUE(map.crossings(2, {1, 1}).empty()) << "beside it";
  EXPECT_TRUE(map.crossings(2, {-5, 101}).empty());
}

}  // namespace
}  // namespace sluice::fluid::grid::surface_map_test
