// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/polygon_triangles.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

namespace sluice::geometry {
namespace {

using testing::HasSubstr;

Vec3 twice_area(const std::vector<Vec3>& points, const TriangleIndices& t) {
  const auto at = [&](std::size_t i) { return points[static_cast<std::size_t>(t[i])]; };
  return (at(1) - at(0)).cross(at(2) - at(0));
}

SplitPolygons split_one(const std::vector<Vec3>& points, std::vector<std::int32_t> corners = {}) {
  if (corners.empty()) {
    corners.resize(points.size());
    std::iota(corners.begin(), corners.end(), 0);
  }
  Polygons polygons;
  polygons.corners = std::move(corners);
  polygons.close();
  const auto split = split_polygons(points, polygons);
  EXPECT_TRUE(split) << split.error().message;
  return split ? split.value() : SplitPolygons{};
}

// Oracle: the area by the shoelace formula; triangles that all turn as the polygon does and have
// its area together cover it once.
void expect_cover(const std::vector<Vec3>& points, const std::vector<TriangleIndices>& triangles,
                  double smallest_part = 1e-9) {
  Vec3 whole = Vec3::Zero();
  for (std::size_t i = 0; i < points.size(); ++i)
    whole += points[i].cross(points[(i + 1) % points.size()]);
  EXPECT_EQ(triangles.size(), points.size() - 2);
  double covered = 0;
  for (const TriangleIndices& triangle : triangles) {
    const double part = twice_area(points, triangle).dot(whole.normalized());
    EXPECT_GT(part, smallest_part * whole.norm());
    covered += part;
  }
  EXPECT_NEAR(covered, whole.norm(), 1e-12 * whole.norm());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_TRUE(std::ranges::any_of(triangles,
                                    [&](const TriangleIndices& t) {
                                      return std::ranges::find(t, static_cast<std::int32_t>(i)) !=
                                             t.end();
                                    }))
        << "corner " << i << " is of no triangle";
  }
}

TEST(SplitPolygons, cuts_convex_ones_as_a_fan) {
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  EXPECT_EQ(split_one(square).triangles, (std::vector<TriangleIndices>{{0, 1, 2}, {0, 2, 3}}));
}

// Symptom: triangles of a fan left the polygon, and the body met itself (case 01).
TEST(SplitPolygons, covers_concave_ones_once) {
  const std::vector<std::vector<Vec3>> polygons{
      {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}},  // An L.
      {{2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}, {0, 0, 0}, {2, 0, 0}},  // From elsewhere.
      {{0, 0, 5}, {0, 2, 1}, {0, 0, 2}, {0, -2, 1}},                       // A dart.
      {{0, 0, 0}, {5, 0, 0}, {5, 3, 0}, {4, 3, 0}, {4, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}},
      {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}},  // On an edge.
      {{1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 1, 0}, {0, 0, 0}}};
  for (const std::vector<Vec3>& polygon : polygons)
    expect_cover(polygon, split_one(polygon).triangles);
}

// Stars and combs, turned anywhere, tiny and huge.
TEST(SplitPolygons, covers_random_stars_once) {
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 300; ++i) {
    const int count = 4 + static_cast<int>(random() % 60);
    const Eigen::Quaterniond turn = Eigen::Quaterniond::UnitRandom();
    const double size = std::pow(10, 12 * unit(random) - 6);
    const Vec3 middle = size * Vec3(unit(random), unit(random), unit(random));
    std::vector<Vec3> star;
    for (int k = 0; k < count; ++k) {
      const double angle = 2 * std::numbers::pi * (k + 0.4 * unit(random)) / count;
      const double radius = size * (k % 2 == 0 ? 1 : 0.05 + 0.9 * unit(random));
      star.push_back(middle + turn * Vec3(radius * std::cos(angle), radius * std::sin(angle), 0));
    }
    expect_cover(star, split_one(star).triangles, -1e-9);
  }
}

TEST(SplitPolygons, takes_holes_on_a_cut) {
  // A square with a square hole, cut from (0, 0) to (1, 1).
  const std::vector<Vec3> points{{0, 0, 0}, {3, 0, 0}, {3, 3, 0}, {0, 3, 0},
                                 {1, 1, 0}, {1, 2, 0}, {2, 2, 0}, {2, 1, 0}};
  const auto split = split_one(points, {0, 1, 2, 3, 0, 4, 5, 6, 7, 4});
  double covered = 0;
  for (const TriangleIndices& triangle : split.triangles) {
    EXPECT_GT(twice_area(points, triangle).z(), 0);
    covered += twice_area(points, triangle).z() / 2;
  }
  EXPECT_DOUBLE_EQ(covered, 8);
  EXPECT_EQ(split.triangles.size(), 8U);
}

TEST(SplitPolygons, takes_what_is_not_flat) {
  const std::vector<Vec3> bent{{0, 0, 0},   {2, 0, 0.1}, {2, 1, -0.1},
                               {1, 1, 0.1}, {1, 2, 0},   {0, 2, 0.05}};
  const auto split = split_one(bent);
  ASSERT_EQ(split.triangles.size(), 4U);
  for (const TriangleIndices& triangle : split.triangles)
    EXPECT_GT(twice_area(bent, triangle).z(), 0.1);
}

TEST(SplitPolygons, leaves_out_what_has_no_three_corners) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  Polygons polygons;
  for (const std::vector<std::int32_t>& corners :
       {std::vector<std::int32_t>{0, 0, 1}, {0, 1, 1, 0}, {2, 2, 2}, {0, 1, 1, 2, 2, 3, 0}}) {
    polygons.corners.insert(polygons.corners.end(), corners.begin(), corners.end());
    polygons.close();
  }
  const auto split = split_polygons(points, polygons);
  ASSERT_TRUE(split);
  EXPECT_EQ(split.value().left_out_count, 3);
  EXPECT_EQ(split.value().triangles, (std::vector<TriangleIndices>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(SplitPolygons, ends_with_what_has_no_area_or_crosses_itself) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {1, 1, 0}, {2, 1, 0}};
  EXPECT_EQ(split_one(points, {0, 1, 2, 3}).triangles.size(), 2U);
  EXPECT_EQ(split_one(points, {0, 5, 4, 3}).triangles.size(), 2U);  // A bow tie.
  EXPECT_LE(split_one(points, {0, 4, 3, 5, 0, 2, 4}).triangles.size(), 5U);
  EXPECT_LE(split_one(points, {0, 1, 0, 4}).triangles.size(), 2U);  // A spike.
}

// A million corners must not take hours.
TEST(SplitPolygons, refuses_huge_ones_that_are_not_convex) {
  std::vector<Vec3> points;
  Polygons polygons;
  for (int i = 0; i < 200'000; ++i) {
    points.emplace_back(i, i % 2, 0);
    polygons.corners.push_back(i);
  }
  points.back() = {100'000, 1e6, 0};
  polygons.close();
  const auto split = split_polygons(points, polygons);
  ASSERT_FALSE(split);
  EXPECT_THAT(split.error().message, HasSubstr("a face of 200000 corners is not convex"));
}

}  // namespace
}  // namespace sluice::geometry
