// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/tetrahedralize.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "solver/geometry/closed_surface.h"
#include "solver/geometry/mesh_intersection.h"
#include "solver/geometry/point_triangle.h"
#include "solver/geometry/tet_faults.h"
#include "solver/geometry/tet_quality.h"
#include "solver/geometry/tet_surface.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::geometry {
namespace {

using testing::HasSubstr;

constexpr double degree = std::numbers::pi / 180;
constexpr std::int64_t plenty = 1'000'000;

double distance(const TriangleMesh& surface, const Vec3& p) {
  double nearest = 1e300;
  for (const TriangleIndices& t : surface.triangles) {
    const auto at = [&](std::size_t i) { return surface.vertices[static_cast<std::size_t>(t[i])]; };
    nearest = std::min(nearest, nearest_point({at(0), at(1), at(2)}, p).squared_distance);
  }
  return std::sqrt(nearest);
}

// Each edge has two triangles that run along it in opposite directions, and the triangles at each
// vertex are one fan.
void expect_manifold(const TriangleMesh& mesh) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> sides;
  std::map<std::int32_t, std::map<std::int32_t, std::int32_t>> next_around;  // By vertex.
  std::size_t corner_total = 0;
  for (const TriangleIndices& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      ++sides[{t[i], t[(i + 1) % 3]}];
      next_around[t[i]][t[(i + 1) % 3]] = t[(i + 2) % 3];
      ++corner_total;
    }
  }
  for (const auto& [side, count] : sides) {
    ASSERT_EQ(count, 1);
    ASSERT_EQ(sides.count({side.second, side.first}), 1U);
  }
  std::size_t fan_total = 0;
  for (auto& [vertex, next] : next_around) {
    const std::int32_t start = next.begin()->first;
    std::int32_t at = start;
    do {
      at = next.at(at);
      ++fan_total;
    } while (at != start);
  }
  EXPECT_EQ(fan_total, corner_total);  // A vertex with two fans would leave one out.
}

// Checks what is said of every result.
TetMesh expect_good(const TriangleMesh& surface, double cell_size) {
  const Result<TetMesh> result = tetrahedralize(surface, {cell_size, plenty});
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  const TetMesh& mesh = result.value();
  EXPECT_THAT(find_faults(mesh), testing::IsEmpty());
  const TetQuality worst = worst_quality(mesh);
  EXPECT_GT(worst.smallest_dihedral, 10.78 * degree);
  EXPECT_LT(worst.largest_dihedral, 164.75 * degree);
  const TetSurface boundary = boundary_surface(mesh);
  expect_manifold(boundary.mesh);
  // Some 100 vertices each way: a distance looks at all triangles.
  const auto for_some = [](const std::vector<Vec3>& vertices, const auto& check) {
    for (std::size_t i = 0; i < vertices.size(); i += 1 + vertices.size() / 100)
      check(vertices[i]);
  };
  for_some(boundary.mesh.vertices,
           [&](const Vec3& vertex) { EXPECT_LT(distance(surface, vertex), 1e-12); });
  for_some(surface.vertices,
           [&](const Vec3& vertex) { EXPECT_LT(distance(boundary.mesh, vertex), cell_size); });
  return mesh;
}

// Oracle: the surface's own volume. Chords cut a curved surface off by some h^2 / 8 of its
// curvature, so the volume's error falls by 4 with each halving; 3 leaves room for chance.
TEST(Tetrahedralize, fills_smooth_bodies_with_second_order) {
  struct Body {
    const char* name;
    TriangleMesh surface;
  };
  const Body bodies[] = {
      {"sphere", make_sphere(30, 1)}, {"torus", make_torus(36, 1, 0.4)}, {"bumpy", make_bumpy(30)}};
  for (const Body& body : bodies) {
    SCOPED_TRACE(body.name);
    const double volume = signed_volume(body.surface);
    const auto error_at = [&](double cell_size) {
      return std::abs(signed_volume(expect_good(body.surface, cell_size)) - volume) / volume;
    };
    const double coarse = error_at(0.2), fine = error_at(0.1);
    EXPECT_LT(fine, 0.01);
    EXPECT_GT(coarse / fine, 3);
  }
}

// Oracle: the box's volume. Its edges are cut off: at most a prism of h^2 / 2 along each.
TEST(Tetrahedralize, fills_boxes_up_to_their_edges) {
  for (const double h : {0.25, 0.1, 0.0713}) {
    const TetMesh mesh = expect_good(make_box({0, 0, 0}, {1, 1.1, 0.7}), h);
    const double edge_length = 4 * (1 + 1.1 + 0.7);
    EXPECT_LE(signed_volume(mesh), 0.77 * (1 + 1e-12));
    EXPECT_GT(signed_volume(mesh), 0.77 - edge_length * h * h / 2);
  }
}

TEST(Tetrahedralize, fills_thin_plates) {
  const TriangleMesh plate = make_box({0, 0, 0}, {1, 1, 0.05});
  const TetMesh mesh = expect_good(plate, 0.04);
  EXPECT_NEAR(signed_volume(mesh), 0.05, 0.1 * 0.05);
}

TEST(Tetrahedralize, leaves_cavities_out) {
  const TriangleMesh hollow =
      joined(make_sphere(24, 1), turned(moved(make_sphere(24, 0.5), {0.1, 0, 0})));
  const TetMesh mesh = expect_good(hollow, 0.12);
  EXPECT_NEAR(signed_volume(mesh), signed_volume(hollow), 0.02 * signed_volume(hollow));
}

TEST(Tetrahedralize, gives_the_same_bits_for_any_number_of_threads) {
  const TriangleMesh surface = make_bumpy(30);
  const auto run = [&](int thread_count) {
    Result<TetMesh> result = Error{ErrorCode::invalid_mesh, ""};
    parallel::ThreadLimit(thread_count).run([&] {
      result = tetrahedralize(surface, {0.11, plenty});
    });
    return result;
  };
  const Result<TetMesh> one = run(1), three = run(3);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one.value().vertices, three.value().vertices);
  EXPECT_EQ(one.value().tets, three.value().tets);
}

TEST(Tetrahedralize, says_what_is_wrong) {
  const TriangleMesh box = make_box({0, 0, 0}, {1, 1, 1});
  TriangleMesh open = box;
  open.triangles.pop_back();
  const TriangleMesh crossed = joined(box, moved(box, {0.5, 0.3, 0.2}));
  const struct {
    TriangleMesh surface;
    TetrahedralizeSettings settings;
    const char* message;
  } cases[] = {
      {open, {0.1, plenty}, "the surface is open"},
      {turned(box), {0.1, plenty}, "counterclockwise from outside"},
      {crossed, {0.1, plenty}, "intersects itself: triangle"},
      {joined(make_box({-1, -1, -1}, {2, 2, 2}), box), {0.1, plenty}, "shells"},
      {box, {0, plenty}, "must be positive, found 0"},
      {box, {std::nan(""), plenty}, "must be positive"},
      {box, {1e-10, plenty}, "is too small for coordinates up to 1"},
      {box, {0.1, 2196}, "needs 2197 cells; at most 2196 are allowed"},
      {box, {1e-8, plenty}, "1e+24 cells"},
      {box, {9, plenty}, "is too coarse: no tetrahedron of it fits"},
      {make_box({0.1, 0.1, 0.1}, {0.9, 0.9, 0.12}), {0.5, plenty}, "measures 0.02 across"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.message);
    const Result<TetMesh> result = tetrahedralize(c.surface, c.settings);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::invalid_mesh);
    EXPECT_THAT(result.error().message, HasSubstr(c.message));
  }
  EXPECT_TRUE(tetrahedralize(box, {0.1, 2197}));
}

}  // namespace
}  // namespace sluice::geometry
