// SPDX-License-Identifier: Apache-2.0
#include "client/render/fluid_surface.h"

#include <gtest/gtest.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetMeasure.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <vector>

#include "client/files/file_error.h"

// Oracles: volumes and areas of what the particles fill.
namespace sluice::render {
namespace {

constexpr double spacing = 0.01;

using Point = std::array<double, 3>;

Point corner(const SurfaceMesh& mesh, std::size_t triangle, std::size_t k) {
  const auto vertex = static_cast<std::size_t>(mesh.triangles[3 * triangle + k]);
  return {mesh.positions[3 * vertex], mesh.positions[3 * vertex + 1],
          mesh.positions[3 * vertex + 2]};
}

double volume_of(const SurfaceMesh& mesh) {  // Sums tetrahedra with the origin; < 0 inside out.
  double six_fold = 0;
  for (std::size_t t = 0; t < mesh.triangles.size() / 3; ++t) {
    const Point a = corner(mesh, t, 0), b = corner(mesh, t, 1), c = corner(mesh, t, 2);
    six_fold += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return six_fold / 6;
}

bool is_closed(const SurfaceMesh& mesh) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    for (std::size_t k = 0; k < 3; ++k)
      ++edges[{mesh.triangles[t + k], mesh.triangles[t + (k + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    if (back == edges.end() || back->second != count) return false;
  }
  return !mesh.triangles.empty();
}

// Particles of a lattice, shaken by a share of its spacing, where `is_inside`.
template <typename IsInside>
std::vector<float> particles(const IsInside& is_inside, float shake) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<float> shift(-shake * static_cast<float>(spacing),
                                              shake * static_cast<float>(spacing));
  std::vector<float> positions;
  for (int i = -40; i < 40; ++i) {
    for (int j = -40; j < 40; ++j) {
      for (int k = -40; k < 40; ++k) {
        const Point x = {(i + 0.5) * spacing, (j + 0.5) * spacing, (k + 0.5) * spacing};
        if (!is_inside(x)) continue;
        for (const double value : x)
          positions.push_back(static_cast<float>(value) + shift(generator));
      }
    }
  }
  return positions;
}

double count_of(const std::vector<float>& positions) {
  return static_cast<double>(positions.size()) / 3;
}

bool in_box(const Point& x) {
  return std::abs(x[0]) < 0.2 && std::abs(x[1]) < 0.1 && std::abs(x[2]) < 0.15;
}
bool in_ball(const Point& x) { return std::hypot(x[0], x[1], x[2]) < 0.2; }

TEST(FluidSurface, encloses_the_volume_of_the_particles) {
  for (const float shake : {0.0F, 0.2F}) {
    const auto of_box = particles(in_box, shake), of_ball = particles(in_ball, shake);
    const SurfaceMesh box = FluidSurface(of_box, spacing).mesh();
    const SurfaceMesh ball = FluidSurface(of_ball, spacing).mesh();
    EXPECT_TRUE(is_closed(box));
    EXPECT_TRUE(is_closed(ball));
    const double particle = spacing * spacing * spacing;
    EXPECT_NEAR(volume_of(box) / (particle * count_of(of_box)), 1, 0.03);
    EXPECT_NEAR(volume_of(ball) / (particle * count_of(of_ball)), 1, 0.03);
  }
}

TEST(FluidSurface, of_still_water_is_flat_and_half_a_spacing_outside) {
  const SurfaceMesh box = FluidSurface(particles(in_box, 0), spacing).mesh();
  double worst = 0;
  for (std::size_t v = 0; v < box.positions.size(); v += 3) {
    const bool is_top = box.positions[v + 2] > 0 && std::abs(box.positions[v]) < 0.17F &&
                        std::abs(box.positions[v + 1]) < 0.07F;
    if (is_top) worst = std::max(worst, std::abs(box.positions[v + 2] - 0.15));
  }
  EXPECT_GT(worst, 0) << "saw no vertex";
  EXPECT_LT(worst, 0.1 * spacing);
}

TEST(FluidSurface, of_drops_that_are_apart_is_theirs) {
  const std::vector<float> two = {0, 0, 0, 0.1F, 0, 0};
  const SurfaceMesh mesh = FluidSurface(two, spacing).mesh();
  EXPECT_TRUE(is_closed(mesh));
  const double drop = 4 * std::numbers::pi / 3 * std::pow(spacing / 2, 3);
  EXPECT_NEAR(volume_of(mesh), 2 * drop, 0.8 * drop) << "two voxels and a half across";
}

TEST(FluidSurface, of_nothing_is_empty_and_numbers_that_are_none_do_no_harm) {
  EXPECT_TRUE(FluidSurface({}, spacing).mesh().triangles.empty());
  std::vector<float> positions = particles(in_ball, 0);
  const double volume = volume_of(FluidSurface(positions, spacing).mesh());
  positions.insert(positions.end(), {std::numeric_limits<float>::quiet_NaN(), 0, 0});
  positions.insert(positions.end(), {0, std::numeric_limits<float>::infinity(), 0});
  EXPECT_EQ(volume_of(FluidSurface(positions, spacing).mesh()), volume);
}

// Cells without particles, of two sizes, one of which is at the box's side: without them the
// surface had another inside it, and a hole in that side.
TEST(FluidSurface, goes_around_cells_without_particles) {
  const auto is_in_cells = [](const Point& x) {
    return x[0] > -0.1 && x[0] < 0.2 && std::abs(x[1]) < 0.05 && std::abs(x[2]) < 0.05;
  };
  const auto around = particles([&](const Point& x) { return in_box(x) && !is_in_cells(x); }, 0.1F);
  std::vector<float> cells = {-0.05F, 0, 0, 0.1F, 0.05F, 0, 0, 0.1F};
  for (const float y : {-0.025F, 0.025F}) {
    for (const float z : {-0.025F, 0.025F})
      cells.insert(cells.end(), {0.125F, y, z, 0.05F, 0.175F, y, z, 0.05F});
  }
  const double of_all = volume_of(FluidSurface(particles(in_box, 0), spacing).mesh());
  const SurfaceMesh mesh = FluidSurface(around, spacing, cells).mesh();
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_NEAR(volume_of(mesh), of_all, 0.02 * of_all);
  EXPECT_LT(volume_of(FluidSurface(around, spacing).mesh()), 0.9 * of_all);
}

TEST(FluidSurface, comes_back_from_its_vdb_file) {
  const auto folder = std::filesystem::temp_directory_path() / "sluice_fluid_surface_test";
  std::filesystem::create_directories(folder);
  const FluidSurface surface(particles(in_ball, 0), spacing);
  surface.write_vdb(folder / "ball.vdb");
  openvdb::io::File file((folder / "ball.vdb").string());
  file.open();
  const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("surface"));
  file.close();
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->getGridClass(), openvdb::GRID_LEVEL_SET);
  EXPECT_NEAR(openvdb::tools::levelSetVolume(*grid), volume_of(surface.mesh()),
              0.01 * volume_of(surface.mesh()));
  EXPECT_THROW(surface.write_vdb(folder / "missing" / "ball.vdb"), files::FileError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sluice::render
