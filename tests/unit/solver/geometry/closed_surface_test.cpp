// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/closed_surface.h"

#include <gmock/gmock.h>

#include <limits>
#include <numbers>

#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::geometry {
namespace {

using testing::HasSubstr;

// Oracle: by hand, and Pappus for the torus, to the error of its polygons: (2 pi / n)^2 / 6 each
// way.
TEST(SignedVolume, of_closed_surfaces) {
  EXPECT_NEAR(signed_volume(make_box({1, 2, 3}, {2, 4, 6})), 6, 1e-14);
  EXPECT_NEAR(signed_volume(turned(make_box({1, 2, 3}, {2, 4, 6}))), -6, 1e-14);
  const double pi = std::numbers::pi;
  EXPECT_NEAR(signed_volume(make_torus(200, 1, 0.25)), 2 * pi * pi * 0.0625, 3e-4);
  // A body far away keeps its digits: coordinates of 1e6 are exact to 1e-10.
  EXPECT_NEAR(signed_volume(moved(make_box({0, 0, 0}, {1, 1, 1}), Vec3::Constant(1e6))), 1, 1e-9);
}

TEST(CheckClosed, accepts_closed_surfaces_even_if_they_touch) {
  for (const TriangleMesh& mesh :
       {make_box({0, 0, 0}, {1, 1, 1}), make_sphere(5, 1), make_torus(8, 1, 0.3), make_bumpy(10)}) {
    const auto error = check_closed(mesh);
    EXPECT_FALSE(error) << error->message;
  }
  // Two boxes with one common edge, of the same two vertices.
  TriangleMesh two = make_box({0, 0, 0}, {1, 1, 1});
  const TriangleMesh other = moved(two, {1, 1, 0});
  std::vector<std::int32_t> index{3, 8, 9, 10, 7, 11, 12, 13};
  for (std::size_t i = 0; i < 8; ++i) {
    if (index[i] >= 8) two.vertices.push_back(other.vertices[i]);
  }
  for (const TriangleIndices& t : other.triangles) {
    const auto at = [&](std::size_t i) { return index[static_cast<std::size_t>(t[i])]; };
    two.triangles.push_back({at(0), at(1), at(2)});
  }
  EXPECT_FALSE(check_closed(two));
  EXPECT_NEAR(signed_volume(two), 2, 1e-14);
}

TEST(CheckClosed, says_what_is_wrong) {
  const TriangleMesh box = make_box({0, 0, 0}, {1, 1, 1});
  const auto message_of = [](const TriangleMesh& mesh) {
    const auto error = check_closed(mesh);
    EXPECT_TRUE(error && error->code == ErrorCode::invalid_mesh);
    return error ? error->message : "";
  };
  EXPECT_THAT(message_of({}), HasSubstr("no triangles"));
  TriangleMesh mesh = box;
  mesh.triangles.pop_back();
  EXPECT_THAT(message_of(mesh),
              HasSubstr("is open: the edge between vertices 1 and 5 has triangle"));
  mesh = box;
  std::swap(mesh.triangles[4][0], mesh.triangles[4][1]);
  EXPECT_THAT(message_of(mesh), HasSubstr("is inconsistent: triangles 1 and 4 run along the edge"));
  mesh = box;
  mesh.triangles.push_back(mesh.triangles[0]);
  EXPECT_THAT(message_of(mesh), HasSubstr("odd number of triangles"));
  mesh = box;
  mesh.triangles[3][1] = 8;
  EXPECT_THAT(message_of(mesh),
              HasSubstr("triangle 3 has the vertex 8; the surface has vertices 0 to 7"));
  mesh = box;
  mesh.vertices[6].z() = std::numeric_limits<double>::infinity();
  EXPECT_THAT(message_of(mesh), HasSubstr("vertex 6 of the surface is not finite"));
  EXPECT_THAT(message_of(turned(box)), HasSubstr("encloses a volume of -1.0"));
}

}  // namespace
}  // namespace sluice::geometry
