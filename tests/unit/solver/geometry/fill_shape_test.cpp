// SPDX-License-Identifier: Apache-2.0
// Oracles: volumes of the shapes by their formulas, the signed distance, angles of a cube's five
// tetrahedra by hand, and the bounds of [Labelle2007].
#include "solver/geometry/fill_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "solver/geometry/box_tets.h"
#include "solver/geometry/tet_faults.h"
#include "solver/geometry/tet_quality.h"
#include "solver/geometry/tet_surface.h"

namespace sluice::geometry {
namespace {

constexpr std::int64_t no_limit = 100'000'000;
constexpr double degree = std::numbers::pi / 180;

Shape turned(const auto& form) {
  const Eigen::AngleAxisd turn(0.7, Vec3(1, 2, -1).normalized());
  return {form, Vec3(0.3, -2, 5), turn.toRotationMatrix()};
}

TEST(BoxTets, cuts_cubes_into_five) {
  const auto mesh = box_tets(Vec3(0.15, 0.1, 0.2), 0.1, no_limit);
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh.value().vertices.size(), 4U * 3 * 5);
  EXPECT_EQ(mesh.value().tets.size(), 5U * 3 * 2 * 4);
  EXPECT_NEAR(signed_volume(mesh.value()), 0.3 * 0.2 * 0.4, 1e-15);
  EXPECT_THAT(find_faults(mesh.value()), testing::IsEmpty());
  // Faces of neighbours meet: the surface has two triangles a square and nothing inside.
  EXPECT_EQ(boundary_surface(mesh.value()).mesh.triangles.size(), 2U * 2 * (3 * 2 + 2 * 4 + 4 * 3));
  const TetQuality quality = worst_quality(mesh.value());
  EXPECT_NEAR(quality.smallest_dihedral, std::acos(1 / std::sqrt(3.0)), 1e-9);
  EXPECT_NEAR(quality.largest_dihedral, 90 * degree, 1e-9);
}

TEST(BoxTets, takes_at_least_one_cell_and_no_more_tetrahedra_than_allowed) {
  const auto plate = box_tets(Vec3(0.5, 0.5, 0.001), 0.5, no_limit);
  ASSERT_TRUE(plate);
  EXPECT_EQ(plate.value().tets.size(), 5U * 2 * 2 * 1);
  EXPECT_TRUE(box_tets(Vec3(0.5, 0.5, 0.5), 0.5, 40));
  EXPECT_FALSE(box_tets(Vec3(0.5, 0.5, 0.5), 0.5, 39));
  EXPECT_FALSE(box_tets(Vec3(5e3, 5e3, 5e3), 1e-5, no_limit)) << "1e27 cells";
}

struct FillCase {
  const char* name;
  Shape shape;
  double volume;
};

class FillShapeTest : public testing::TestWithParam<FillCase> {};

TEST_P(FillShapeTest, gives_sound_tetrahedra_whose_corners_are_on_the_surface) {
  const auto filled = fill_shape(GetParam().shape, 0.06, no_limit);
  ASSERT_TRUE(filled);
  EXPECT_THAT(find_faults(filled.value()), testing::IsEmpty());
  const TetQuality quality = worst_quality(filled.value());
  EXPECT_GT(quality.smallest_dihedral, 10.7 * degree);
  EXPECT_LT(quality.largest_dihedral, 164.8 * degree);
  const TetSurface surface = boundary_surface(filled.value());
  for (const Vec3& vertex : surface.mesh.vertices) {
    EXPECT_LT(std::abs(signed_distance(GetParam().shape, vertex).distance), 1e-9);
  }
}

TEST_P(FillShapeTest, comes_nearer_to_the_volume_with_smaller_elements) {
  const auto error = [&](double element_size) {
    const auto filled = fill_shape(GetParam().shape, element_size, no_limit);
    EXPECT_TRUE(filled);
    return std::abs(1 - signed_volume(filled.value()) / GetParam().volume);
  };
  const double coarse = error(0.1), fine = error(0.03);
  EXPECT_LT(fine, 0.3 * coarse);
  EXPECT_LT(fine, 0.02);
}

TEST_P(FillShapeTest, refuses_elements_that_are_too_large_or_too_many) {
  EXPECT_FALSE(fill_shape(GetParam().shape, 10, no_limit));
  EXPECT_FALSE(fill_shape(GetParam().shape, 0.01, 1000));
  EXPECT_FALSE(fill_shape(GetParam().shape, 1e-5, no_limit));
}

INSTANTIATE_TEST_SUITE_P(shapes, FillShapeTest,
                         testing::Values(FillCase{"sphere", turned(Sphere{0.4}),
                                                  4.0 / 3 * std::numbers::pi * 0.064},
                                         FillCase{"capsule", turned(Capsule{0.2, 0.3}),
                                                  std::numbers::pi * 0.04 * (0.6 + 4.0 / 3 * 0.2)},
                                         FillCase{"cylinder", turned(Cylinder{0.3, 0.25}),
                                                  std::numbers::pi * 0.09 * 0.5}),
                         [](const auto& shape) { return shape.param.name; });

TEST(FillShape, places_a_box_exactly) {
  const Shape box = turned(Box{Vec3(0.3, 0.2, 0.1)});
  const auto filled = fill_shape(box, 0.1, no_limit);
  ASSERT_TRUE(filled);
  const Vec3 corner = box.rotation * Vec3(-0.3, -0.2, -0.1) + box.translation;
  EXPECT_LT((filled.value().vertices.front() - corner).norm(), 1e-15);
  EXPECT_NEAR(signed_volume(filled.value()), 0.6 * 0.4 * 0.2, 1e-14);
  EXPECT_EQ(longest_side(box), 0.6);
}

}  // namespace
}  // namespace sluice::geometry
