// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/hidden_nodes.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/geometry/tessellate_shape.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

// What surfaces part must not meet on the grid, and nothing else may change.
namespace sluice::fluid::hidden_nodes_test {
namespace {

constexpr double cell = 0.02;
constexpr double edge = 0.24;  // [m] of the tank

struct Mesh {
  std::vector<Vec3> positions;
  std::vector<TriangleIndices> triangles;

  [[nodiscard]] Surfaces view() const { return {positions, triangles}; }
  void add(const Mesh& other) {
    const auto first = static_cast<std::int32_t>(positions.size());
    positions.insert(positions.end(), other.positions.begin(), other.positions.end());
    for (const TriangleIndices& t : other.triangles)
      triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
};

// A height over a square from `first` to `last` along x and y, in `count` squares a side; every
// third triangle the other way round.
Mesh sheet(const std::function<double(double, double)>& height, double first, double last,
           int count) {
  Mesh mesh;
  for (int i = 0; i <= count; ++i) {
    for (int j = 0; j <= count; ++j) {
      const double x = first + (last - first) * i / count, y = first + (last - first) * j / count;
      mesh.positions.emplace_back(x, y, height(x, y));
    }
  }
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      const int a = i * (count + 1) + j, b = a + count + 1;
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
    std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
  return mesh;
}
// Beyond the walls on all sides.
Mesh whole_sheet(const std::function<double(double, double)>& height, int count = 17) {
  return sheet(height, -0.05, edge + 0.05, count);
}

scene::Scene full_tank(scene::Kernel kernel) {
  scene::Scene scene =
      test::tank({edge, edge, edge}, cell, test::box({0, 0, 0}, {edge, edge, edge}));
  scene.grid.kernel = kernel;
  scene.gravity = Vec3::Zero();
  return scene;
}

void stir(MpmFluid& fluid) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-1, 1);
  for (Vec3f& v : fluid.velocities())
    v = Vec3f(any(random), any(random), any(random));
}

class BothKernels : public testing::TestWithParam<scene::Kernel> {};
INSTANTIATE_TEST_SUITE_P(, BothKernels,
                         testing::Values(scene::Kernel::quadratic, scene::Kernel::cubic),
                         [](const auto& of) {
                           return of.param == scene::Kernel::quadratic ? "quadratic" : "cubic";
                         });

// Sets all particles moving for which layer(x) is `mover`, and expects that no other one feels
// anything in a substep.
void expect_that_one_layer_moves(scene::Kernel kernel, const Mesh& mesh, int mover,
                                 const std::function<int(const Vec3&)>& layer) {
  const scene::Scene scene = full_tank(kernel);
  MpmFluid fluid(scene);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-3, 3);
  for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
    const bool moves = layer(fluid.positions()[i].cast<double>()) == mover;
    fluid.velocities()[i] = moves ? Vec3f(any(random), any(random), any(random)) : Vec3f::Zero();
  }
  fluid.set_surfaces(mesh.view());
  fluid.advance_velocities(1e-4, scene.gravity);
  int moving = 0, still = 0;
  for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
    if (layer(fluid.positions()[i].cast<double>()) == mover) {
      moving += fluid.velocities()[i].norm() > 0.01F ? 1 : 0;
    } else {
      ++still;
      ASSERT_EQ(fluid.velocities()[i], Vec3f::Zero()) << fluid.positions()[i].transpose();
    }
  }
  EXPECT_GT(moving, 500);
  EXPECT_GT(still, 500);
}

void expect_that_layers_move_alone(scene::Kernel kernel, const Mesh& mesh, int layer_count,
                                   const std::function<int(const Vec3&)>& layer) {
  for (int mover = 0; mover < layer_count; ++mover) {
    SCOPED_TRACE(mover);
    expect_that_one_layer_moves(kernel, mesh, mover, layer);
  }
}

TEST_P(BothKernels, nothing_goes_through_a_flat_sheet_wherever_it_lies_between_nodes) {
  for (const double height : {0.12, 0.1234, 0.1266, 0.13, 0.017, edge - 0.014}) {
    SCOPED_TRACE(height);
    expect_that_layers_move_alone(GetParam(), whole_sheet([&](double, double) { return height; }),
                                  2, [&](const Vec3& x) { return x.z() > height ? 1 : 0; });
  }
}

TEST_P(BothKernels, nothing_goes_through_a_slope) {
  const auto height = [](double x, double y) { return 0.02 + 0.6 * x + 0.35 * y; };
  expect_that_layers_move_alone(GetParam(), whole_sheet(height), 2, [&](const Vec3& x) {
    return x.z() > height(x.x(), x.y()) ? 1 : 0;
  });
}

TEST_P(BothKernels, nothing_goes_through_triangles_larger_than_the_tank) {
  const auto height = [](double x, double y) { return 0.02 + 0.6 * x + 0.35 * y; };
  expect_that_layers_move_alone(GetParam(), sheet(height, -3, 4, 1), 2, [&](const Vec3& x) {
    return x.z() > height(x.x(), x.y()) ? 1 : 0;
  });
}

TEST_P(BothKernels, nothing_goes_through_layers_closer_than_a_cell) {
  Mesh mesh;
  for (int n = 0; n < 4; ++n)
    mesh.add(whole_sheet([&](double, double) { return 0.1 + 0.4 * cell * n; }));
  const auto layer = [](const Vec3& x) {
    return std::clamp(static_cast<int>(std::ceil((x.z() - 0.1) / (0.4 * cell))), 0, 4);
  };
  for (const int mover : {0, 4})
    expect_that_one_layer_moves(GetParam(), mesh, mover, layer);
}

// A thin closed box, and water on all of its sides but one, past which there is none.
TEST_P(BothKernels, nothing_goes_through_a_plate_thinner_than_a_cell) {
  const geometry::TriangleMesh plate =
      geometry::tessellate_shape(test::box({-0.1, -0.1, 0.112}, {edge + 0.1, edge + 0.1, 0.118}),
                                 0.03, 100'000)
          .value();
  const Mesh mesh{plate.vertices, plate.triangles};
  expect_that_layers_move_alone(GetParam(), mesh, 2,
                                [&](const Vec3& x) { return x.z() > 0.115 ? 1 : 0; });
}

TEST_P(BothKernels, nothing_goes_through_a_ball_at_any_of_its_places) {
  for (const double shift : {0.0, 0.0037, 0.0081, 0.0149}) {
    SCOPED_TRACE(shift);
    const Vec3 center(0.12 + shift, 0.12 + 0.5 * shift, 0.12 - shift);
    const geometry::TriangleMesh ball =
        geometry::tessellate_shape(test::sphere(center, 0.06), 0.004, 100'000).value();
    expect_that_layers_move_alone(GetParam(), {ball.vertices, ball.triangles}, 2,
                                  [&](const Vec3& x) { return (x - center).norm() < 0.05996; });
  }
}

// Also with faces on nodes, and sides and triangles down to a fraction of a cell.
TEST_P(BothKernels, nothing_goes_through_boxes_wherever_they_are_and_however_turned) {
  std::mt19937 random(11);
  const auto between = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  const scene::Scene scene = full_tank(GetParam());
  for (int n = 0; n < 60; ++n) {
    SCOPED_TRACE(n);
    geometry::Box form{Vec3(between(0.02, 0.07), between(0.02, 0.07), between(0.001, 0.03))};
    geometry::Shape box{form, Vec3::Constant(0.12)};
    if (n % 4 == 0) {
      form.half_extents = cell * Vec3(1 + n % 3, 2, 1 + n % 2);
      box.form = form;
    } else {
      box.translation += Vec3(between(-0.02, 0.02), between(-0.02, 0.02), between(-0.02, 0.02));
      const Eigen::Quaterniond turn(between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1));
      box.rotation = turn.normalized().toRotationMatrix();
    }
    const geometry::TriangleMesh mesh =
        geometry::tessellate_shape(box, between(0.005, 0.04), 100'000).value();
    for (const bool inner_moves : {false, true}) {
      MpmFluid fluid(scene);
      stir(fluid);
      const auto moves = [&](std::size_t i) {
        const Vec3 x = fluid.positions()[i].cast<double>() - box.translation;
        const bool is_inside =
            ((box.rotation.transpose() * x).cwiseAbs() - form.half_extents).maxCoeff() < 0;
        return is_inside == inner_moves;
      };
      for (std::size_t i = 0; i < fluid.positions().size(); ++i)
        if (!moves(i)) fluid.velocities()[i].setZero();
      fluid.set_surfaces({mesh.vertices, mesh.triangles});
      fluid.advance_velocities(1e-4, scene.gravity);
      for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
        if (!moves(i)) {
          ASSERT_EQ(fluid.velocities()[i], Vec3f::Zero()) << fluid.positions()[i].transpose();
        }
      }
    }
  }
}

// Momentum, with walls far away.
TEST_P(BothKernels, what_hidden_nodes_exchange_keeps_momentum) {
  scene::Scene scene = full_tank(GetParam());
  scene.fluids[0].regions = {test::box({0.06, 0.06, 0.06}, {0.18, 0.18, 0.18})};
  MpmFluid fluid(scene);
  stir(fluid);
  // A rag with rims in the water, and folds.
  const Mesh rag =
      sheet([](double x, double y) { return 0.12 + 0.02 * std::sin(90 * x) * std::cos(70 * y); },
            0.08, 0.165, 9);
  const Vec3 before = fluid.momentum();
  for (int substep = 0; substep < 5; ++substep) {
    fluid.set_surfaces(rag.view());
    fluid.advance_velocities(1e-4, scene.gravity);
    fluid.commit();
    EXPECT_LT((fluid.momentum() - before).norm(), 2e-6 * static_cast<double>(fluid.mass(0)) *
                                                      static_cast<double>(fluid.particle_count()));
  }
}

// Where all is on one side, that there is another one must not show.
TEST_P(BothKernels, fluid_on_one_side_moves_as_without_the_sheet) {
  const auto height = [](double x, double y) {
    return 0.071 + 0.004 * std::sin(40 * x) * std::cos(50 * y);
  };
  const Mesh mesh = whole_sheet(height);
  scene::Scene scene = full_tank(GetParam());
  scene.fluids[0].regions = {test::box({0, 0, 0.076}, {edge, edge, edge})};
  std::vector<Vec3f> velocities[2];
  for (const bool has_sheet : {false, true}) {
    MpmFluid fluid(scene);
    stir(fluid);
    if (has_sheet) fluid.set_surfaces(mesh.view());
    fluid.advance_velocities(1e-4, scene.gravity);
    velocities[has_sheet ? 1 : 0].resize(fluid.velocities().size());
    fluid.gather_rows(fluid.velocities(), velocities[has_sheet ? 1 : 0]);
  }
  for (std::size_t row = 0; row < velocities[0].size(); ++row)
    ASSERT_LT((velocities[0][row] - velocities[1][row]).norm(), 2e-5F) << row;
}

TEST_P(BothKernels, one_thread_and_two_give_the_same_bits) {
  const Mesh mesh = whole_sheet(
      [](double x, double y) { return 0.1 + 0.05 * std::sin(40 * x) * std::cos(50 * y); });
  std::vector<Vec3f> velocities[2];
  for (const int threads : {1, 2}) {
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      const scene::Scene scene = full_tank(GetParam());
      MpmFluid fluid(scene);
      stir(fluid);
      for (int substep = 0; substep < 3; ++substep) {
        fluid.set_surfaces(mesh.view());
        fluid.advance_velocities(1e-4, scene.gravity);
        fluid.commit();
      }
      velocities[threads - 1].resize(fluid.velocities().size());
      fluid.gather_rows(fluid.velocities(), velocities[threads - 1]);
    });
  }
  EXPECT_EQ(velocities[0], velocities[1]);
}

}  // namespace
}  // namespace sluice::fluid::hidden_nodes_test
