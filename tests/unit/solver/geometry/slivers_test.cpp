// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/slivers.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "solver/geometry/closed_surface.h"

namespace sluice::geometry {
namespace {

// A tetrahedron of volume 1/6 with `count` corners on its edge 0-1, whose face (0, 2, 1) has them
// and whose face (0, 1, 3) has not: slivers lie between, as exporters of solids write them.
TriangleMesh tetrahedron_with_slivers(int count) {
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                    {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  std::int32_t last = 0;
  for (int i = 1; i <= count; ++i) {
    const auto next = static_cast<std::int32_t>(mesh.vertices.size());
    mesh.vertices.emplace_back(static_cast<double>(i) / (count + 1), 0, 0);
    mesh.triangles.push_back({last, 2, next});
    mesh.triangles.push_back({last, next, 1});  // The rest of the edge, without an area.
    last = next;
  }
  mesh.triangles.push_back({last, 2, 1});
  return mesh;
}

std::int64_t sliver_count(const TriangleMesh& mesh) {
  return std::ranges::count_if(mesh.triangles,
                               [&](const TriangleIndices& t) { return is_sliver(mesh, t); });
}

// Oracle: a closed surface with the volume it had, whose triangles have an area.
TEST(TakeOutSlivers, cuts_the_neighbour_and_keeps_the_surface_closed) {
  for (const int count : {1, 2, 5}) {
    TriangleMesh mesh = tetrahedron_with_slivers(count);
    ASSERT_EQ(check_closed(mesh), std::nullopt);
    ASSERT_EQ(sliver_count(mesh), count);
    EXPECT_EQ(take_out_slivers(mesh), count);
    EXPECT_EQ(sliver_count(mesh), 0);
    EXPECT_EQ(check_closed(mesh), std::nullopt);
    EXPECT_NEAR(signed_volume(mesh), 1. / 6, 1e-15);
    EXPECT_EQ(mesh.triangles.size(), 4U + 2 * static_cast<std::size_t>(count));
  }
}

TEST(TakeOutSlivers, leaves_out_those_at_the_rim) {
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {0.5, 1, 0}},
                    {{0, 1, 2}, {0, 2, 3}, {2, 1, 3}}};
  EXPECT_EQ(take_out_slivers(mesh), 1);
  EXPECT_EQ(mesh.triangles, (std::vector<TriangleIndices>{{0, 2, 3}, {2, 1, 3}}));
}

TEST(TakeOutSlivers, leaves_good_meshes_and_what_it_cannot_mend) {
  TriangleMesh good{{{0, 0, 0}, {1, 0, 0}, {0, 1e-3, 0}}, {{0, 1, 2}}};
  EXPECT_EQ(take_out_slivers(good), 0);
  EXPECT_EQ(good.triangles.size(), 1U);
  // Two slivers back to back have no neighbour to cut.
  TriangleMesh flat{{{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}}, {{0, 1, 2}, {1, 0, 2}}};
  EXPECT_EQ(take_out_slivers(flat), 0);
}

}  // namespace
}  // namespace sluice::geometry
