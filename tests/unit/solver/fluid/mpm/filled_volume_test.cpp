// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/filled_volume.h"
#include "solver/fluid/mpm/node_boundary.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "solver/fluid/mpm/hidden_nodes.h"
#include "solver/fluid/mpm/obstacle_nodes.h"
#include "solver/fluid/mpm/pressed_cells.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/scene/seeding.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::filled_volume_test {
namespace {

constexpr double cell = 0.02, edge = 0.2;  // [m]
constexpr float density = 800;

scene::Scene tank_of(scene::Kernel kernel, int dimensions) {
  const double depth = dimensions == 2 ? cell : edge;
  scene::Scene scene =
      test::tank({edge, depth, edge}, cell, test::box({0, 0, 0}, {edge, depth, edge}));
  scene.fluids[0].density = density;
  scene.grid.kernel = kernel;
  scene.grid.dimensions = dimensions;
  scene.grid.wall = scene::WallCondition::no_slip;
  return scene;
}

// A substep's grid at the time of the gather, with particles shaken out of their lattice.
struct Stage {
  Stage(const scene::Scene& scene, const Surfaces& surfaces)
      : frame(scene), boundary(scene, frame), materials(make_materials(scene)) {
    fill(scene);
    assign_blocks(frame, scene.grid.kernel, particles.positions, particles.count, blocks);
    grid.activate(frame, blocks.blocks);
    ObstacleNodes obstacle_nodes(frame, scene.grid);
    obstacle_nodes.find(boundary, grid);
    HiddenNodes hidden_nodes;
    hidden_nodes.find(frame, scene.grid.kernel, particles.positions, surfaces,
                      obstacle_nodes.thin(), blocks, grid);
    obstacle_nodes.link(hidden_nodes, boundary, grid);
    const PressedCells pressed;
    const Substep step{1e-4F, Vec3f::Zero(), {}, materials, frame, 1, pressed, scene.grid.wall};
    particles_to_grid(step, scene.grid.kernel, particles, blocks, grid);
    filled.find(frame, scene.grid.kernel, scene.grid.wall, materials, particles, blocks, grid);
    obstacle_nodes.find_pressing(materials, particles, blocks, grid);
    solve_nodes(step, boundary, {}, obstacle_nodes, grid);
  }

  void fill(const scene::Scene& scene) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> shift(-0.002F, 0.002F);
    const std::vector<Vec3> lattice = scene::Seeds(scene).positions(0);
    particles.resize(lattice.size());
    for (std::size_t i = 0; i < lattice.size(); ++i) {
      Vec3f x = lattice[i].cast<float>() + Vec3f(shift(random), shift(random), shift(random));
      if (frame.is_flat) x[1] = frame.plane;
      particles.positions[i] = x.cwiseMax(frame.lower).cwiseMin(frame.upper);
    }
  }

  [[nodiscard]] std::vector<Float4> all_nodes() {
    std::vector<Float4> all(grid.copies().begin(), grid.copies().end());
    for (std::size_t b = 0; b < grid.block_count(); ++b)
      all.insert(all.end(), grid.nodes(b).begin(), grid.nodes(b).end());
    return all;
  }

  GridFrame frame;
  Boundary boundary;
  std::vector<Material> materials;
  Particles particles;
  ParticleBlocks blocks;
  Grid grid;
  FilledVolume filled;
};

// Oracle: masses, which the transfers' own tests hold to. A liquid's masses are volumes times its
// density, behind walls and sheets too.
void expect_masses_over_density(const scene::Scene& scene, const Surfaces& surfaces) {
  Stage stage(scene, surfaces);
  EXPECT_EQ(stage.grid.copies().empty(), surfaces.triangles.empty());
  const std::vector<Float4> before = stage.all_nodes();
  stage.filled.exchange(stage.grid);
  const std::vector<Float4> exchanged = stage.all_nodes();
  const float full = density * stage.frame.node_volume();
  for (std::size_t n = 0; n < before.size(); ++n) {
    ASSERT_NEAR(exchanged[n][3] * density, before[n][3], 1e-5F * full) << n;
    for (int a = 0; a < 3; ++a)
      ASSERT_EQ(exchanged[n][a], before[n][a]);
  }
  stage.filled.exchange(stage.grid);
  const std::vector<Float4> after = stage.all_nodes();
  for (std::size_t n = 0; n < before.size(); ++n)
    ASSERT_EQ(after[n][3], before[n][3]);
}

class FilledVolumeOf : public testing::TestWithParam<scene::Kernel> {};
INSTANTIATE_TEST_SUITE_P(, FilledVolumeOf,
                         testing::Values(scene::Kernel::quadratic, scene::Kernel::cubic));

TEST_P(FilledVolumeOf, one_liquid_is_its_mass_over_its_density) {
  expect_masses_over_density(tank_of(GetParam(), 3), {});
  expect_masses_over_density(tank_of(GetParam(), 2), {});
}

TEST_P(FilledVolumeOf, one_liquid_is_so_next_to_a_sheet_and_periodic_sides) {
  const std::vector<Vec3> positions{{-1, -1, 0.05}, {1, -1, 0.07}, {1, 1, 0.09}, {-1, 1, 0.06}};
  const std::vector<TriangleIndices> triangles{{0, 1, 2}, {0, 2, 3}};
  expect_masses_over_density(tank_of(GetParam(), 3), {positions, triangles});
  scene::Scene periodic = tank_of(GetParam(), 3);
  periodic.grid.sides[0] = {scene::Side::periodic, scene::Side::periodic};
  expect_masses_over_density(periodic, {});
}

// What is no liquid fills less where it has been pressed together for good, as snow has, but not
// more where it has come apart.
TEST(FilledVolume, of_jelly_is_what_it_has_been_pressed_to) {
  scene::Scene scene = tank_of(scene::Kernel::quadratic, 3);
  scene.fluids[0].material = scene::Jelly{};
  Stage stage(scene, {});
  const auto total = [&] {
    stage.filled.find(stage.frame, scene.grid.kernel, scene.grid.wall, stage.materials,
                      stage.particles, stage.blocks, stage.grid);
    stage.filled.exchange(stage.grid);
    double sum = 0;
    for (const Float4& node : stage.all_nodes())
      sum += static_cast<double>(node[3]);
    return sum;
  };
  const double at_rest = total();
  for (Affine& affine : stage.particles.affine)
    affine.strain = 2;
  EXPECT_NEAR(total(), at_rest, 1e-6 * at_rest);
  for (Affine& affine : stage.particles.affine)
    affine.strain = -0.25;
  EXPECT_NEAR(total(), 0.75 * at_rest, 1e-5 * at_rest);
}

}  // namespace
}  // namespace sluice::fluid::filled_volume_test
