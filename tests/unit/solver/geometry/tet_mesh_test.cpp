// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/tet_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "solver/geometry/tet_quality.h"
#include "solver/geometry/tet_surface.h"
#include "tests/unit/solver/geometry/tet_boxes.h"

namespace sluice::geometry {
namespace {

using std::numbers::pi;

const Tetrahedron corner_tet{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const Tetrahedron regular_tet{{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};

// Oracle: by hand.
TEST(SignedVolume, is_positive_where_the_first_three_turn_left_seen_from_the_fourth) {
  EXPECT_DOUBLE_EQ(signed_volume(corner_tet), 1.0 / 6);
  EXPECT_DOUBLE_EQ(
      signed_volume(Tetrahedron{corner_tet.b, corner_tet.a, corner_tet.c, corner_tet.d}), -1.0 / 6);
  // 6000 tetrahedra of 1/6000 each: exact but for the sum's rounding.
  const TetMesh cube = make_tet_cube(10);
  EXPECT_EQ(cube.tets.size(), 6000U);
  EXPECT_NEAR(signed_volume(cube), 1, 1e-13);
}

// Oracle: the regular tetrahedron has acos(1/3) at every edge and R = 3 r; the corner of a cube has
// right angles at its three axes and acos(1/sqrt(3)) elsewhere, r = 1 / (3 + sqrt(3)), R =
// sqrt(3)/2.
TEST(TetQuality, matches_known_tetrahedra) {
  const TetQuality regular = quality(regular_tet);
  EXPECT_NEAR(regular.smallest_dihedral, std::acos(1.0 / 3), 1e-15);
  EXPECT_NEAR(regular.largest_dihedral, std::acos(1.0 / 3), 1e-15);
  EXPECT_NEAR(regular.radius_ratio, 1, 1e-15);
  const TetQuality corner = quality(corner_tet);
  EXPECT_NEAR(corner.smallest_dihedral, std::acos(1 / std::sqrt(3.0)), 1e-15);
  EXPECT_NEAR(corner.largest_dihedral, pi / 2, 1e-15);
  EXPECT_NEAR(corner.radius_ratio, 3 / (3 + std::sqrt(3.0)) / (std::sqrt(3.0) / 2), 1e-15);
}

// Oracle: the definition, angles between the planes of faces, on random tetrahedra.
TEST(TetQuality, angles_are_those_between_faces) {
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto point = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  for (int i = 0; i < 10'000; ++i) {
    Tetrahedron tet{point(), point(), point(), point()};
    if (signed_volume(tet) < 0) std::swap(tet.a, tet.b);
    if (signed_volume(tet) < 1e-3) continue;
    const std::array<Vec3, 4> x{tet.a, tet.b, tet.c, tet.d};
    std::array<Vec3, 4> outward;
    for (std::size_t f = 0; f < 4; ++f) {
      const auto& [p, q, r] = tet_faces[f];
      outward[f] = (x[q] - x[p]).cross(x[r] - x[p]).normalized();
      ASSERT_LT(outward[f].dot(x[f] - x[p]), 0);
    }
    double smallest = pi, largest = 0;
    for (std::size_t f = 0; f < 4; ++f) {
      for (std::size_t g = 0; g < f; ++g) {
        const double dihedral = pi - std::acos(outward[f].dot(outward[g]));
        smallest = std::min(smallest, dihedral);
        largest = std::max(largest, dihedral);
      }
    }
    const TetQuality found = quality(tet);
    // acos loses half of the digits near 0 and pi; volumes above 1e-3 keep it away from there.
    ASSERT_NEAR(found.smallest_dihedral, smallest, 1e-11);
    ASSERT_NEAR(found.largest_dihedral, largest, 1e-11);
    ASSERT_GT(found.radius_ratio, 0);
    ASSERT_LE(found.radius_ratio, 1);
  }
}

TEST(TetQuality, answers_for_degenerate_tetrahedra) {
  const Vec3 p{1, 2, 3};
  EXPECT_EQ(quality({p, p, p, p}).radius_ratio, 0);
  const TetQuality flat = quality({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
  EXPECT_EQ(flat.smallest_dihedral, 0);
  EXPECT_EQ(flat.largest_dihedral, pi);
  EXPECT_EQ(flat.radius_ratio, 0);
  const TetQuality inverted = quality({regular_tet.b, regular_tet.a, regular_tet.c, regular_tet.d});
  EXPECT_LT(inverted.smallest_dihedral, 0);
  EXPECT_NEAR(inverted.radius_ratio, -1, 1e-15);
}

TEST(TetQuality, worst_is_the_worst_of_each) {
  TetMesh mesh = make_tet_cube(6);
  const TetQuality even = worst_quality(mesh);
  EXPECT_NEAR(even.smallest_dihedral, pi / 4, 1e-12);  // All Kuhn tetrahedra are alike.
  EXPECT_NEAR(even.largest_dihedral, pi / 2, 1e-12);
  mesh.vertices[171].z() += 0.12;
  const TetQuality bent = worst_quality(mesh);
  EXPECT_LT(bent.smallest_dihedral, even.smallest_dihedral);
  EXPECT_GT(bent.largest_dihedral, even.largest_dihedral);
  EXPECT_LT(bent.radius_ratio, even.radius_ratio);
}

// Oracle: the cube: 12 n^2 triangles, 6 n^2 + 2 vertices, area 6; its volume by the divergence
// theorem over the surface.
TEST(BoundarySurface, of_a_cube_is_closed_outward_and_mapped) {
  const std::int32_t n = 5;
  const TetMesh cube = make_tet_cube(n);
  const TetSurface surface = boundary_surface(cube);
  EXPECT_EQ(surface.mesh.triangles.size(), static_cast<std::size_t>(12 * n * n));
  EXPECT_EQ(surface.mesh.vertices.size(), static_cast<std::size_t>(6 * n * n + 2));
  ASSERT_EQ(surface.vertex_of.size(), surface.mesh.vertices.size());
  ASSERT_EQ(surface.tet_of.size(), surface.mesh.triangles.size());
  for (std::size_t v = 0; v < surface.vertex_of.size(); ++v) {
    EXPECT_EQ(surface.mesh.vertices[v],
              cube.vertices[static_cast<std::size_t>(surface.vertex_of[v])]);
  }
  double area = 0, volume = 0;
  std::map<std::pair<std::int32_t, std::int32_t>, int> balance;
  for (std::size_t t = 0; t < surface.mesh.triangles.size(); ++t) {
    const TriangleIndices& triangle = surface.mesh.triangles[t];
    const auto at = [&](std::size_t i) {
      return surface.mesh.vertices[static_cast<std::size_t>(triangle[i])];
    };
    const Vec3 twice_area = (at(1) - at(0)).cross(at(2) - at(0));
    area += twice_area.norm() / 2;
    volume += twice_area.dot(at(0)) / 6;
    for (std::size_t side = 0; side < 3; ++side) {
      ++balance[{triangle[side], triangle[(side + 1) % 3]}];
      --balance[{triangle[(side + 1) % 3], triangle[side]}];
      const auto& tet = cube.tets[static_cast<std::size_t>(surface.tet_of[t])];
      const std::int32_t vertex = surface.vertex_of[static_cast<std::size_t>(triangle[side])];
      EXPECT_NE(std::find(tet.begin(), tet.end(), vertex), tet.end());
    }
  }
  EXPECT_NEAR(area, 6, 1e-13);
  EXPECT_NEAR(volume, 1, 1e-13);
  for (const auto& [edge, count] : balance)
    EXPECT_EQ(count, 0);
}

TEST(BoundarySurface, of_nothing_is_nothing) {
  EXPECT_TRUE(boundary_surface({{{0, 0, 0}}, {}}).mesh.vertices.empty());
}

}  // namespace
}  // namespace sluice::geometry
