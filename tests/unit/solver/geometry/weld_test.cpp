// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/weld.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "solver/geometry/closed_surface.h"

namespace sluice::geometry {
namespace {

// A cube with its lower corner at `lower`, closed.
TriangleMesh cube(const Vec3& lower, double edge = 1) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(lower + edge * Vec3(i & 1, i >> 1 & 1, i >> 2));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// Every triangle with corners of its own.
TriangleMesh soup(const TriangleMesh& mesh) {
  TriangleMesh apart;
  for (const TriangleIndices& triangle : mesh.triangles) {
    TriangleIndices own{};
    for (std::size_t i = 0; i < 3; ++i) {
      own[i] = static_cast<std::int32_t>(apart.vertices.size());
      apart.vertices.push_back(mesh.vertices[static_cast<std::size_t>(triangle[i])]);
    }
    apart.triangles.push_back(own);
  }
  return apart;
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto first = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const TriangleIndices& t : other.triangles)
    mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

// Symptom: a body whose vertices were double along seams was not closed, a cloth fell into
// triangles (case 03).
TEST(WeldSeams, joins_vertices_that_are_double) {
  const auto welded = weld_seams(soup(cube({0, 0, 0})), 0);
  EXPECT_EQ(welded.mesh.vertices.size(), 8U);
  EXPECT_EQ(welded.mesh.triangles.size(), 12U);
  EXPECT_EQ(welded.joined_count, 28);
  EXPECT_EQ(check_closed(welded.mesh), std::nullopt);
  EXPECT_DOUBLE_EQ(signed_volume(welded.mesh), 1);
}

TEST(WeldSeams, changes_nothing_where_there_are_none) {
  const TriangleMesh mesh = cube({0, 0, 0});
  const auto welded = weld_seams(mesh, 0.01);
  EXPECT_EQ(welded.mesh.vertices, mesh.vertices);
  EXPECT_EQ(welded.mesh.triangles, mesh.triangles);
  EXPECT_EQ(welded.joined_count, 0);
}

TEST(WeldSeams, leaves_closed_parts_that_touch_apart) {
  for (const Vec3& lower : {Vec3(1, 1, 1), Vec3(1, 1, 0), Vec3(1, 0, 0)}) {  // Corner, edge, face.
    TriangleMesh mesh = cube({0, 0, 0});
    append(mesh, cube(lower));
    EXPECT_EQ(weld_seams(mesh, 1e-3).joined_count, 0);
    // In another part a seam is still joined, and its corner does not take the others' along.
    append(mesh, soup(cube({-1, -1, -1})));
    const auto welded = weld_seams(mesh, 0);
    EXPECT_EQ(welded.mesh.vertices.size(), 24U);
    EXPECT_EQ(check_closed(welded.mesh), std::nullopt);
    EXPECT_DOUBLE_EQ(signed_volume(welded.mesh), 3);
  }
}

TEST(WeldSeams, leaves_sheets_apart_that_touch_in_a_point) {
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {-1, 0, 0}, {0, -1, 0}},
                    {{0, 1, 2}, {3, 4, 5}}};
  EXPECT_EQ(weld_seams(mesh, 0).joined_count, 0);
}

// Oracle: the same mesh without the noise.
TEST(WeldSeams, joins_what_rounding_pulled_apart_within_the_distance) {
  TriangleMesh noisy = soup(cube({0, 0, 0}));
  for (std::size_t v = 0; v < noisy.vertices.size(); ++v)
    noisy.vertices[v].x() += 1e-7 * static_cast<double>(v % 3);
  EXPECT_NE(check_closed(weld_seams(noisy, 0).mesh), std::nullopt);
  const auto welded = weld_seams(noisy, 1e-5);
  EXPECT_EQ(welded.mesh.vertices.size(), 8U);
  EXPECT_EQ(check_closed(welded.mesh), std::nullopt);
  EXPECT_NEAR(signed_volume(welded.mesh), 1, 1e-6);
}

// A distance that rounding swallows joins what is equal, in no more time than none.
TEST(WeldSeams, takes_a_distance_that_is_too_small_to_measure) {
  const auto welded = weld_seams(soup(cube({1e3, 0, 0})), 5e-324);
  EXPECT_EQ(welded.mesh.vertices.size(), 8U);
  EXPECT_EQ(check_closed(welded.mesh), std::nullopt);
}

TEST(WeldSeams, collapses_open_edges_that_are_no_longer_than_the_distance) {
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {1, 1e-4, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  const auto welded = weld_seams(mesh, 1e-3);
  EXPECT_EQ(welded.collapsed_count, 1);
  EXPECT_EQ(welded.mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(welded.mesh.triangles, (std::vector<TriangleIndices>{{0, 1, 2}}));
  EXPECT_TRUE(weld_seams(mesh, 10).mesh.triangles.empty());
}

TEST(WeldSeams, keeps_the_order_of_those_left_and_unused_vertices) {
  TriangleMesh mesh{{{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                    {{1, 2, 3}, {4, 5, 6}}};
  const auto welded = weld_seams(mesh, 0);
  EXPECT_EQ(welded.mesh.vertices,
            (std::vector<Vec3>{{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
  EXPECT_EQ(welded.mesh.triangles, (std::vector<TriangleIndices>{{1, 2, 3}, {2, 4, 3}}));
}

// Finite element programs write fields that jump like this: each tetrahedron has points of its own.
TEST(WeldSeams, joins_tetrahedra_at_their_faces) {
  TetMesh mesh{
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}},
      {{0, 1, 2, 3}, {4, 5, 6, 7}}};
  const auto welded = weld_seams(mesh, 0);
  EXPECT_EQ(welded.mesh.vertices.size(), 5U);
  EXPECT_EQ(welded.mesh.tets, (std::vector<TetIndices>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
  // Tetrahedra that share an edge alone stay apart.
  mesh.vertices[6] = {2, 2, 2};
  EXPECT_EQ(weld_seams(mesh, 0).joined_count, 0);
}

}  // namespace
}  // namespace sluice::geometry
