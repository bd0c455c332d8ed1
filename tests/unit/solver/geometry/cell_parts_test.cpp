// SPDX-License-Identifier: Apache-2.0
// Oracles: boxes along the axes; sections of the mesh by many planes (mesh_sections.h), which
// another code finds; the volume of the whole.
#include "solver/geometry/cell_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "solver/geometry/mesh_sections.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/geometry/random_shapes.h"

namespace sluice::geometry {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

std::vector<CellPart> parts_of(const TriangleMesh& mesh, const CellBlock& block) {
  std::vector<CellPart> parts(at(block.counts[0]) * at(block.counts[1]) * at(block.counts[2]));
  find_cell_parts(mesh.vertices, mesh.triangles, block, parts);
  return parts;
}

std::vector<float> fractions_of(const TriangleMesh& mesh, const CellBlock& block) {
  std::vector<float> fractions;
  for (const CellPart& part : parts_of(mesh, block))
    fractions.push_back(part.volume);
  return fractions;
}

TriangleMesh rotated(TriangleMesh mesh, const Mat3& rotation) {
  for (Vec3& vertex : mesh.vertices)
    vertex = rotation * vertex;
  return mesh;
}

// Some 2 m in size around the origin, of all kinds: not convex, with a hole, with a cavity.
std::vector<TriangleMesh> meshes() {
  RandomShapes random(1);
  std::vector<TriangleMesh> all{make_bumpy(5), make_torus(5, 0.7, 0.3), make_sphere(4, 1),
                                joined(make_box({-1, -1, -1}, {1, 0.9, 0.8}),
                                       turned(make_box({-0.7, -0.5, -0.6}, {0.3, 0.2, 0.1})))};
  for (TriangleMesh& mesh : all) {
    mesh = rotated(mesh, Eigen::AngleAxisd(random.uniform(0, 3), random.point(-1, 1).normalized())
                             .toRotationMatrix());
  }
  return all;
}

double volume_of(const TriangleMesh& mesh) {
  double six_fold = 0;
  for (const TriangleIndices& t : mesh.triangles)
    six_fold += mesh.vertices[at(t[0])].dot(mesh.vertices[at(t[1])].cross(mesh.vertices[at(t[2])]));
  return six_fold / 6;
}

// Along an axis: how much of [a, a + 1] is in [low, high], and where the middle of that is.
struct Overlap {
  double length, middle;
};
Overlap overlap(double a, double low, double high) {
  const double begin = std::max(a, low), end = std::min(a + 1, high);
  return {std::max(0.0, end - begin), (begin + end) / 2 - a - 0.5};
}

TEST(CellParts, are_exact_for_aligned_boxes) {
  RandomShapes random(2);
  for (int i = 0; i < 50; ++i) {
    // In part outside of the block; every other one in the planes between cells.
    Vec3 lower = random.point(-2, 6), upper = lower + random.point(0.2, 6);
    if (i % 2 == 0) {
      lower = lower.array().round();
      upper = (lower + random.point(1, 6)).array().round();
    }
    const CellBlock block{{-1, 2, 3}, {0.5, 0.25, 2}, {7, 5, 6}};
    TriangleMesh box = make_box(lower, upper);
    for (Vec3& x : box.vertices)
      x = block.origin + x.cwiseProduct(block.cell_size);
    const std::vector<CellPart> found = parts_of(box, block);
    std::size_t cell = 0;
    for (int z = 0; z < 6; ++z) {
      for (int y = 0; y < 5; ++y) {
        for (int x = 0; x < 7; ++x, ++cell) {
          const Overlap of_x = overlap(x, lower[0], upper[0]);
          const Overlap of_y = overlap(y, lower[1], upper[1]);
          const Overlap of_z = overlap(z, lower[2], upper[2]);
          const double part = of_x.length * of_y.length * of_z.length;
          EXPECT_NEAR(found[cell].volume, part, 2e-7) << i << ": " << x << ' ' << y << ' ' << z;
          const Vec3 moment = part * Vec3(of_x.middle, of_y.middle, of_z.middle);
          EXPECT_LT((found[cell].moment.cast<double>() - moment).norm(), 2e-7) << i;
        }
      }
    }
  }
}

TEST(CellParts, are_the_mean_of_sections) {
  constexpr int planes = 80;  // In a cell.
  constexpr std::int32_t count = 12;
  for (const TriangleMesh& mesh : meshes()) {
    const CellBlock block{{-1.53, -1.21, -1.4}, Vec3::Constant(0.23), {count, count, count}};
    const std::vector<float> found = fractions_of(mesh, block);
    std::vector<double> expected(found.size(), 0), fractions;
    for (int i = 0; i < planes; ++i) {
      Vec3 origin = block.origin;
      origin[2] += 0.23 * (i + 0.5) / planes;
      MeshSections sections;
      sections.build(mesh, {origin, 0.23, {count, count, count}});
      fractions.resize(sections.face_count(2));
      for (std::int32_t plane = 0; plane < count; ++plane) {
        sections.fractions(2, plane, fractions);
        for (std::size_t face = 0; face < fractions.size(); ++face)
          expected[at(plane) * fractions.size() + face] += fractions[face] / planes;
      }
    }
    for (std::size_t cell = 0; cell < found.size(); ++cell)
      EXPECT_NEAR(found[cell], expected[cell], 1e-3);
  }
}

TEST(CellParts, sum_up_to_the_volume_wherever_the_cells_are) {
  RandomShapes random(3);
  for (const TriangleMesh& mesh : meshes()) {
    for (int i = 0; i < 5; ++i) {
      const CellBlock block{random.point(-1.9, -1.8), random.point(0.1, 0.2), {40, 40, 40}};
      const std::vector<float> found = fractions_of(mesh, block);
      const double sum = std::accumulate(found.begin(), found.end(), 0.0);
      const double volume = volume_of(mesh);
      EXPECT_NEAR(sum * block.cell_size.prod(), volume, 1e-6 * volume);
    }
  }
}

// Oracle: cells an eighth as wide, each taken to be at its middle.
TEST(CellParts, have_the_moments_of_their_parts) {
  for (const TriangleMesh& mesh : meshes()) {
    const CellBlock coarse{{-1.6, -1.5, -1.55}, {0.4, 0.5, 0.6}, {8, 7, 6}};
    const CellBlock fine{coarse.origin, coarse.cell_size / 8, {64, 56, 48}};
    const std::vector<CellPart> found = parts_of(mesh, coarse);
    std::vector<Vec3> expected(found.size(), Vec3::Zero());
    const std::vector<float> fractions = fractions_of(mesh, fine);
    for (std::size_t cell = 0; cell < fractions.size(); ++cell) {
      const std::size_t i = cell % 64, j = cell / 64 % 56, k = cell / (64 * 56);
      const Vec3 from_middle((static_cast<double>(i % 8) + 0.5) / 8 - 0.5,
                             (static_cast<double>(j % 8) + 0.5) / 8 - 0.5,
                             (static_cast<double>(k % 8) + 0.5) / 8 - 0.5);
      expected[(k / 8 * 7 + j / 8) * 8 + i / 8] += fractions[cell] / 512 * from_middle;
    }
    double largest = 0;
    for (std::size_t cell = 0; cell < found.size(); ++cell) {
      EXPECT_LT((found[cell].moment.cast<double>() - expected[cell]).norm(), 2e-3);
      largest = std::max(largest, expected[cell].norm());
    }
    EXPECT_GT(largest, 0.1);
  }
}

TEST(CellParts, are_all_or_nothing_away_from_the_surface) {
  const TriangleMesh ball = make_sphere(40, 1);
  const CellBlock block{{-1.3, -1.2, -1.25}, Vec3::Constant(0.0371), {68, 66, 67}};
  const std::vector<float> found = fractions_of(ball, block);
  std::int64_t whole = 0;
  for (std::size_t cell = 0; cell < found.size(); ++cell) {
    const Vec3 middle =
        block.origin + 0.0371 * (Vec3::Constant(0.5) + Vec3(static_cast<double>(cell % 68),
                                                            static_cast<double>(cell / 68 % 66),
                                                            static_cast<double>(cell / (68 * 66))));
    if (middle.norm() < 0.96) {
      EXPECT_EQ(found[cell], 1);
    } else if (middle.norm() > 1.04) {
      EXPECT_EQ(found[cell], 0);
    }
    if (found[cell] == 1) ++whole;
  }
  EXPECT_GT(whole, 50'000);
}

TEST(CellParts, are_the_same_bits_for_any_number_of_threads) {
  const TriangleMesh mesh = make_bumpy(20);
  const CellBlock block{{-1.5, -1.5, -1.5}, Vec3::Constant(0.05), {60, 60, 60}};
  std::vector<float> by_one, by_two;
  parallel::ThreadLimit(1).run([&] { by_one = fractions_of(mesh, block); });
  parallel::ThreadLimit(2).run([&] { by_two = fractions_of(mesh, block); });
  EXPECT_EQ(by_one, by_two);
}

}  // namespace
}  // namespace sluice::geometry
