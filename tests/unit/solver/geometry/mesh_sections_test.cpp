// SPDX-License-Identifier: Apache-2.0
// Oracles: boxes, whose fractions covered_fraction.h knows; for any mesh the signed sum over the
// tetrahedra of a point and each triangle, which are convex; volumes; exact zeros and ones.
#include "solver/geometry/mesh_sections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "solver/geometry/closed_surface.h"
#include "solver/geometry/covered_fraction.h"
#include "solver/geometry/tessellate_shape.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/geometry/mesh_section_area.h"
#include "tests/unit/solver/geometry/random_shapes.h"

namespace sluice::geometry {
namespace {

std::int32_t count(const FaceLattice& lattice, int axis) {
  return lattice.counts[static_cast<std::size_t>(axis % 3)];
}

AxisFace face_of(const FaceLattice& lattice, int axis, std::int32_t plane, std::size_t index) {
  const auto row = static_cast<std::size_t>(count(lattice, axis + 1));
  const std::size_t i = index % row, j = index / row;
  Vec3 cell;
  cell[axis] = plane;
  cell[(axis + 1) % 3] = static_cast<double>(i);
  cell[(axis + 2) % 3] = static_cast<double>(j);
  return {axis, lattice.origin + lattice.cell_size * cell, {lattice.cell_size, lattice.cell_size}};
}

std::vector<double> plane_of(const MeshSections& sections, int axis, std::int32_t plane) {
  std::vector<double> fractions(sections.face_count(axis), -1);
  sections.fractions(axis, plane, fractions);
  return fractions;
}

// Calls visit(face, fraction) for all faces of a lattice.
template <typename Visit>
void for_each_face(const TriangleMesh& mesh, const FaceLattice& lattice, Visit&& visit) {
  MeshSections sections;
  sections.build(mesh, lattice);
  for (int axis = 0; axis < 3; ++axis) {
    for (std::int32_t plane = 0; plane <= count(lattice, axis); ++plane) {
      const std::vector<double> fractions = plane_of(sections, axis, plane);
      for (std::size_t i = 0; i < fractions.size(); ++i)
        visit(face_of(lattice, axis, plane, i), fractions[i]);
    }
  }
}

TriangleMesh rotated(TriangleMesh mesh, const Mat3& rotation) {
  for (Vec3& vertex : mesh.vertices)
    vertex = rotation * vertex;
  return mesh;
}

// Some 2 m in size around the origin, of all kinds: not convex, with a hole, with a cavity.
std::vector<TriangleMesh> meshes() {
  return {make_bumpy(5), make_torus(5, 0.7, 0.3), make_sphere(4, 1),
          joined(make_box({-1, -1, -1}, {1, 0.9, 0.8}),
                 turned(make_box({-0.7, -0.5, -0.6}, {0.3, 0.2, 0.1})))};
}

TEST(MeshSections, cover_what_their_boxes_cover) {
  RandomShapes random(1);
  int partly = 0;
  for (int i = 0; i < 60; ++i) {
    const Vec3 inside = random.point(0.2, 0.8);
    Shape box = random.through(inside, 0);
    box.form = Box{{random.uniform(0.02, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 2)}};
    const auto mesh = tessellate_shape(box, 0.2, 100'000);
    ASSERT_TRUE(mesh);
    const double size = random.uniform(0.08, 0.15);
    const FaceLattice lattice{random.point(-0.1, 0.1), size, {9, 7, 8}};
    for_each_face(mesh.value(), lattice, [&](const AxisFace& face, double found) {
      EXPECT_NEAR(found, covered_fraction(box, face), 1e-11) << i;
      if (found > 0 && found < 1) ++partly;
    });
  }
  EXPECT_GT(partly, 5000);
}

TEST(MeshSections, cover_what_tetrahedra_sum_up_to) {
  RandomShapes random(2);
  for (const TriangleMesh& mesh : meshes()) {
    for (int i = 0; i < 3; ++i) {
      const TriangleMesh turned_mesh =
          rotated(mesh, Eigen::AngleAxisd(random.uniform(0, 3), random.point(-1, 1).normalized())
                            .toRotationMatrix());
      // In part outside of the lattice, on all sides but one.
      const FaceLattice lattice{random.point(-0.9, -0.7), 0.21, {7, 8, 10}};
      for_each_face(turned_mesh, lattice, [&](const AxisFace& face, double found) {
        const double area = section_area(turned_mesh, face);
        EXPECT_NEAR(found, area / (face.edges[0] * face.edges[1]), 1e-11);
      });
    }
  }
}

// A vertex, an edge or a triangle on a plane counts as above it: as the plane a little lower.
TEST(MeshSections, take_vertices_on_planes_as_above) {
  for (TriangleMesh mesh : meshes()) {
    for (Vec3& vertex : mesh.vertices)
      vertex = (vertex * 4).array().round() / 4;
    const FaceLattice lattice{Vec3::Constant(-1.5), 0.25, {12, 12, 12}};
    for_each_face(mesh, lattice, [&](AxisFace face, double found) {
      face.lower[face.axis] -= 1e-9;
      EXPECT_NEAR(found * 0.0625, section_area(mesh, face), 1e-8);
    });
  }
}

TEST(MeshSections, cover_aligned_boxes_exactly) {
  const FaceLattice lattice{{-1, -1, -1}, 0.25, {8, 8, 8}};
  const Vec3 lower(-0.5, -0.25, 0), upper(0.5, 0.25, 0.75);
  int covered = 0;
  for_each_face(make_box(lower, upper), lattice, [&](const AxisFace& face, double found) {
    const Vec3 centre = face.lower + 0.125 * (Vec3::Ones() - Vec3::Unit(face.axis));
    Vec3 beyond = centre;
    beyond[face.axis] -= 1e-9;  // The upper side is covered, the lower one is not.
    const bool is_inside =
        (beyond.array() > lower.array()).all() && (beyond.array() < upper.array()).all();
    EXPECT_EQ(found, is_inside ? 1 : 0) << face.axis << ": " << centre.transpose();
    if (is_inside) ++covered;
  });
  EXPECT_EQ(covered, 3 * 4 * 2 * 3);
}

TEST(MeshSections, are_exact_where_no_outline_is) {
  RandomShapes random(3);
  int whole = 0;
  for (int i = 0; i < 20; ++i) {
    Shape ball;
    ball.form = Sphere{random.uniform(0.3, 0.45)};
    ball.translation = random.point(0.4, 0.6);
    const auto mesh = tessellate_shape(ball, 0.03, 100'000);
    ASSERT_TRUE(mesh);
    const FaceLattice lattice{random.point(-0.01, 0.01), 0.05, {20, 20, 20}};
    for_each_face(mesh.value(), lattice, [&](const AxisFace& face, double found) {
      // Facets are within 1 mm of the ball, corners of faces within 36 mm of a centre.
      const Vec3 centre = face.lower + 0.025 * (Vec3::Ones() - Vec3::Unit(face.axis));
      const double distance = signed_distance(ball, centre).distance;
      if (std::abs(distance) < 0.0375) return;
      EXPECT_EQ(found, distance < 0 ? 1 : 0);
      if (found == 1) ++whole;
    });
  }
  EXPECT_GT(whole, 10'000);
}

// With the most rows there may be, crossings that two triangles share are rounded most.
TEST(MeshSections, are_exact_in_long_lattices) {
  const TriangleMesh ball = make_sphere(90, 2.1);
  for (const double x : {-3.0, 0.1, 3.0}) {
    const FaceLattice lattice{{x, -2.048, 0.1}, 0.001, {3, 4096, 20}};
    MeshSections sections;
    sections.build(ball, lattice);
    for (std::int32_t plane = 0; plane <= 20; ++plane) {
      for (const double found : plane_of(sections, 2, plane))
        ASSERT_EQ(found, x == 0.1 ? 1 : 0) << x;
    }
  }
}

TEST(MeshSections, converge_to_a_sphere_with_the_square_of_edges) {
  Shape ball;
  ball.form = Sphere{0.4};
  ball.translation = {0.52, 0.49, 0.5};
  const FaceLattice lattice{Vec3::Zero(), 0.05, {20, 20, 20}};
  std::vector<double> errors;
  for (const double edge : {0.08, 0.04, 0.02}) {
    const auto mesh = tessellate_shape(ball, edge, 100'000);
    ASSERT_TRUE(mesh);
    errors.push_back(0);
    for_each_face(mesh.value(), lattice, [&](const AxisFace& face, double found) {
      errors.back() += std::abs(covered_fraction(ball, face) - found);
    });
  }
  EXPECT_NEAR(errors[0] / errors[1], 4, 0.4);
  EXPECT_NEAR(errors[1] / errors[2], 4, 0.2);
}

// [m^2] by faces, of all that is in a lattice.
double plane_area(const TriangleMesh& mesh, const FaceLattice& lattice, int axis, int plane) {
  MeshSections sections;
  sections.build(mesh, lattice);
  const std::vector<double> fractions = plane_of(sections, axis, plane);
  return std::accumulate(fractions.begin(), fractions.end(), 0.0) * lattice.cell_size *
         lattice.cell_size;
}

TEST(MeshSections, sum_up_to_the_section) {
  for (const TriangleMesh& mesh : meshes()) {
    const FaceLattice lattice{{-1.3, -1.2, -1.4}, 0.0371, {80, 80, 80}};
    for (int axis = 0; axis < 3; ++axis) {
      for (const std::int32_t plane : {33, 38, 41}) {
        AxisFace whole{axis, Vec3::Constant(-2), {4, 4}};
        whole.lower[axis] = lattice.origin[axis] + plane * lattice.cell_size;
        const double area = section_area(mesh, whole);
        EXPECT_GT(area, 0.1);
        EXPECT_NEAR(plane_area(mesh, lattice, axis, plane), area, 1e-12 * area);
      }
    }
  }
}

// Between the heights of two vertices the section's area is quadratic: Simpson's rule is exact.
TEST(MeshSections, integrate_to_the_volume) {
  const Mat3 rotation = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (const TriangleMesh& plain : meshes()) {
    const TriangleMesh mesh = rotated(plain, rotation);
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<double> heights;
      heights.reserve(mesh.vertices.size());
      for (const Vec3& vertex : mesh.vertices)
        heights.push_back(vertex[axis]);
      std::sort(heights.begin(), heights.end());
      const auto area_at = [&](double height) {
        FaceLattice lattice{Vec3::Constant(-2), 0.25, {16, 16, 16}};
        lattice.origin[axis] = height;
        return plane_area(mesh, lattice, axis, 0);
      };
      double volume = 0;
      for (std::size_t i = 1; i < heights.size(); ++i) {
        const double a = heights[i - 1], b = heights[i];
        volume += (b - a) / 6 * (area_at(a) + 4 * area_at((a + b) / 2) + area_at(b));
      }
      EXPECT_NEAR(volume, signed_volume(mesh), 1e-12);
    }
  }
}

TEST(MeshSections, cover_lattices_far_inside_and_outside) {
  const TriangleMesh ball = make_sphere(6, 10);
  const FaceLattice lattice{{-1, -1.1, -0.9}, 0.25, {8, 8, 8}};
  for_each_face(ball, lattice, [](const AxisFace&, double found) { EXPECT_EQ(found, 1); });
  for (int i = 0; i < 6; ++i) {
    const Vec3 aside = (i % 2 == 0 ? 12 : -12) * Vec3::Unit(i / 2);
    for_each_face(moved(ball, aside), lattice,
                  [](const AxisFace&, double found) { EXPECT_EQ(found, 0); });
  }
}

TEST(MeshSections, count_what_shells_share_once) {
  const TriangleMesh left = make_box({-1, -1, -1}, {0.3, 1, 1}),
                     right = make_box({-0.4, -1, -1}, {1, 1, 1});
  const FaceLattice lattice{Vec3::Constant(-0.77), 0.25, {6, 6, 6}};
  for_each_face(joined(left, right), lattice,
                [](const AxisFace&, double found) { EXPECT_EQ(found, 1); });
}

TEST(MeshSections, tell_which_planes_are_crossed) {
  MeshSections sections;
  sections.build(make_box({0.1, 0.1, 0.3}, {0.9, 0.9, 0.75}), {Vec3::Zero(), 0.25, {4, 4, 4}});
  for (std::int32_t plane = 0; plane <= 4; ++plane) {
    EXPECT_EQ(sections.crosses(0, plane), plane >= 1 && plane <= 3);
    EXPECT_EQ(sections.crosses(2, plane), plane == 2 || plane == 3);
  }
  sections.build({}, {Vec3::Zero(), 1, {1, 2, 3}});
  EXPECT_FALSE(sections.crosses(2, 3));
  EXPECT_EQ(plane_of(sections, 2, 3), std::vector<double>(2, 0));
}

}  // namespace
}  // namespace sluice::geometry
