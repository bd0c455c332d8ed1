// SPDX-License-Identifier: Apache-2.0
// Obstacles in a gas on a tree of cells. Oracles: the gas on equal cells, conservation, rooms that
// nothing can leave.
#include "solver/fluid/adaptive/tree_solids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/adaptive/tree_gas.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/adaptive/plume.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::adaptive {
namespace {

scene::Obstacle obstacle(geometry::Shape shape,
                         scene::WallCondition wall = scene::WallCondition::slip) {
  scene::Obstacle obstacle;
  obstacle.name = "obstacle";
  obstacle.shape = std::move(shape);
  obstacle.wall = wall;
  return obstacle;
}

// A plume that meets a ball.
scene::Scene plume_at_ball(int dimensions, double cell_size,
                           scene::WallCondition wall = scene::WallCondition::slip) {
  scene::Scene scene = plume(dimensions, cell_size);
  scene.obstacles = {obstacle(test::sphere({0.52, scene.domain_upper.y() / 2, 0.8}, 0.21), wall)};
  return scene;
}

// Two boxes, one on top of the other, that a plate parts: hot gas rises in both, and the lower one
// is full of smoke.
scene::Scene parted_box(int dimensions, double cell_size, double thickness) {
  scene::Scene scene = plume(dimensions, cell_size);
  scene.grid.sides[2][1] = scene::Side::wall;
  scene.obstacles = {obstacle(test::box({-1, -1, 1.013}, {2, 2, 1.013 + thickness}))};
  scene.gas->sources[0].content.smoke.reset();
  scene.gas->sources.push_back(scene.gas->sources[0]);
  scene.gas->sources[1].shape.translation.z() += 1.2;
  scene.gas->regions = {{test::box({-1, -1, -1}, {2, 2, 1.013}), {}}};
  scene.gas->regions[0].content.smoke = 1;
  return scene;
}

// The largest flow out of a leaf that is left, over its size: [m/s] per finest cell.
template <int D>
double largest_divergence(const TreeGasStep<D>& step) {
  double largest = 0;
  const auto& finest = step.levels().front()->grid;
  for (std::size_t k = 0; k < step.levels().size(); ++k) {
    const FluidLevel<D>& level = *step.levels()[k];
    const Layer<D>& layer = step.layers()[k];
    // Flows through a face of a level: through its parts where these are smaller.
    const auto flow = [&](const auto& self, std::size_t of_level, std::size_t axis,
                          const Cell<D>& face) -> double {
      const Layer<D>& at = step.layers()[of_level];
      const std::size_t index = at.tiles.find_cell(face);
      if (at.faces[axis][index] == FaceKind::parts) {
        double sum = 0;
        for (std::size_t part = 0; part < std::size_t{1} << (D - 1); ++part) {
          Cell<D> smaller = face;
          std::size_t bit = 0;
          for (std::size_t a = 0; a < D; ++a) {
            smaller[a] *= 2;
            if (a != axis) smaller[a] += static_cast<std::int32_t>(part >> bit++ & 1U);
          }
          sum += self(self, of_level - 1, axis, smaller);
        }
        return sum;
      }
      const double area = std::ldexp(1.0, static_cast<int>((D - 1) * of_level));
      const auto velocity =
          static_cast<double>(step.levels()[of_level]->grid.velocity[axis][index]);
      if (of_level > 0 || finest.open[axis].empty()) return area * velocity;
      const auto open = static_cast<double>(finest.open[axis][index]);
      const double solid =
          finest.solid_flow[axis].empty() ? 0 : static_cast<double>(finest.solid_flow[axis][index]);
      return open * velocity + solid;
    };
    for (std::size_t index = 0; index < layer.tiles.count() * grid::tile_size<D>; ++index) {
      if (level.leaves[index] == 0) continue;
      double out = 0;
      for (std::size_t axis = 0; axis < D; ++axis) {
        Cell<D> face = layer.tiles.cell(index);
        out -= flow(flow, k, axis, face);
        ++face[axis];
        out += flow(flow, k, axis, face);
      }
      largest = std::max(largest, std::abs(out) / std::ldexp(1.0, static_cast<int>(D * k)));
    }
  }
  return largest;
}

double largest_divergence(const Gas& gas, int dimensions) {
  return dimensions == 2 ? largest_divergence<2>(step_of<2>(gas))
                         : largest_divergence<3>(step_of<3>(gas));
}

TEST(TreeSolids, are_those_of_equal_cells_where_all_are_equal) {
  for (const int dimensions : {2, 3}) {
    for (const scene::WallCondition wall :
         {scene::WallCondition::slip, scene::WallCondition::no_slip}) {
      const scene::Scene scene =
          plume_at_ball(dimensions, dimensions == 2 ? 1.0 / 64 : 1.0 / 24, wall);
      const auto equal = make_gas(scene), tree = make_gas(divided(scene, 1));
      run(*equal, 0, 0.6);
      run(*tree, 0, 0.6);
      EXPECT_NEAR(tree->kinetic_energy(), equal->kinetic_energy(), 1e-5 * equal->kinetic_energy());
      expect_same_frames(*equal, *tree);
    }
  }
}

TEST(TreeSolids, lead_gas_around_them_as_on_equal_cells) {
  for (const int dimensions : {2, 3}) {
    const scene::Scene scene = plume_at_ball(dimensions, dimensions == 2 ? 1.0 / 128 : 1.0 / 40);
    const auto equal = make_gas(scene), tree = make_gas(divided(scene, 4));
    run(*equal, 0, 1);
    run(*tree, 0, 1);
    const double smoke = sum(read(*equal, Field::smoke));
    EXPECT_NEAR(sum(read(*tree, Field::smoke)), smoke, 0.02 * smoke) << dimensions;
    EXPECT_NEAR(tree->kinetic_energy(), equal->kinetic_energy(), 0.03 * equal->kinetic_energy());
    EXPECT_LT(difference(read(*equal, Field::smoke), read(*tree, Field::smoke)), 0.1) << dimensions;
  }
}

TEST(TreeSolids, let_nothing_in_or_out_of_leaves) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = divided(plume_at_ball(dimensions, 1.0 / 32), 4);
    scene.grid.pressure.tolerance = 1e-7;
    const auto gas = make_gas(scene);
    for (int n = 0; n < 10; ++n) {
      // It goes across in one half of them, and stands still in the other.
      scene.obstacles[0].velocity = {n < 5 ? 0.5 : 0, 0, 0};
      scene.obstacles[0].shape.translation += 0.02 * scene.obstacles[0].velocity;
      gas->set_obstacles(scene.obstacles);
      ASSERT_TRUE(gas->advance(
          {.duration = 0.02, .time = 0.02 * n, .gravity = {0, 0, -9.81}, .pushes = {}}));
      EXPECT_LT(largest_divergence(*gas, dimensions), 1e-5) << n;
    }
    EXPECT_GT(gas->kinetic_energy(), 1e-4) << "The ball has set it in motion.";
  }
}

TEST(TreeSolids, push_gas_as_on_equal_cells) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = plume_at_ball(dimensions, dimensions == 2 ? 1.0 / 64 : 1.0 / 32);
    const auto equal = make_gas(scene), tree = make_gas(divided(scene, 4));
    for (int n = 0; n < 60; ++n) {
      scene.obstacles[0].velocity = {0.4 * std::cos(0.1 * n), 0, -0.2};
      scene.obstacles[0].shape.translation += 0.01 * scene.obstacles[0].velocity;
      for (Gas* const gas : {equal.get(), tree.get()}) {
        gas->set_obstacles(scene.obstacles);
        ASSERT_TRUE(gas->advance(
            {.duration = 0.01, .time = 0.01 * n, .gravity = {0, 0, -9.81}, .pushes = {}}));
      }
    }
    const double smoke = sum(read(*equal, Field::smoke));
    EXPECT_NEAR(sum(read(*tree, Field::smoke)), smoke, 0.03 * smoke) << dimensions;
    EXPECT_NEAR(tree->kinetic_energy(), equal->kinetic_energy(), 0.03 * equal->kinetic_energy());
    EXPECT_LT(difference(read(*equal, Field::smoke), read(*tree, Field::smoke)), 0.1) << dimensions;
  }
}

// The largest of a field's values in the finest cells that are all above a height.
float largest_above(const Gas& gas, Field field, double height) {
  const std::vector<float> values = read(gas, field);
  const CellLattice& lattice = gas.lattice();
  const double first = std::ceil(height / lattice.edges.z());
  const std::size_t row = values.size() / static_cast<std::size_t>(lattice.counts[2]);
  float largest = 0;
  for (std::size_t i = row * static_cast<std::size_t>(first); i < values.size(); ++i)
    largest = std::max(largest, std::abs(values[i]));
  return largest;
}

TEST(TreeSolids, hold_smoke_however_thin_they_are) {
  for (const int dimensions : {2, 3}) {
    for (const double thickness : {1e-4, 0.02, 0.1}) {
      scene::Scene scene =
          divided(parted_box(dimensions, dimensions == 2 ? 1.0 / 32 : 1.0 / 16, thickness), 4);
      scene.grid.adaptive->detail = 0.01;  // Else all cells at the plate would be small.
      const auto gas = make_gas(scene);
      run(*gas, 0, 0.05);  // It fills the cells that the plate cuts.
      const double smoke = sum(read(*gas, Field::smoke));
      run(*gas, 0.05, 1.2);
      EXPECT_NEAR(sum(read(*gas, Field::smoke)), smoke, 0.01 * smoke);
      EXPECT_EQ(largest_above(*gas, Field::smoke, 1.013 + thickness), 0) << thickness;
      EXPECT_GT(largest_above(*gas, Field::velocity, 1.013 + thickness), 0.1F);
    }
  }
}

// Larger cells at a thin plate have means of what is on its two sides: nobody may see them.
TEST(TreeSolids, are_out_of_sight_of_large_leaves_where_they_are_thin) {
  scene::Scene scene = divided(parted_box(3, 1.0 / 32, 1e-3), 4);
  scene.grid.adaptive->detail = 0.01;
  const auto gas = make_gas(scene);
  run(*gas, 0, 0.3);
  const octree::Tree<3>& tree = step_of<3>(*gas).tree();
  std::size_t leaf_count = 0;
  for (std::size_t k = 1; k < tree.level_count(); ++k) {
    const double edge = std::ldexp(1.0 / 32, static_cast<int>(k));
    const double way = (scene.grid.cfl + 1) / 32;
    const auto& level = tree.level(k);
    for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
      level.leaves(tile).for_each([&](std::size_t i) {
        const Cell<3> cell = level.tiles.cell(tile * grid::tile_size<3> + i);
        const double lower = cell[2] * edge, upper = lower + edge;
        const bool is_above = lower > 1.013;
        EXPECT_GT(is_above ? lower - way - edge - 1.014 : 1.013 - upper - way - edge, 0);
        ++leaf_count;
      });
    }
  }
  EXPECT_GT(leaf_count, 1000U);
}

TEST(TreeSolids, make_rooms_of_their_own) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = divided(parted_box(dimensions, 1.0 / 16, 0.1), 4);
    scene.gas->sources.pop_back();
    const auto gas = make_gas(scene);
    run(*gas, 0, 0.5);
    EXPECT_GT(largest_above(*gas, Field::velocity, 0), 0.1F);
    EXPECT_LT(largest_above(*gas, Field::velocity, 1.113), 1e-7F);
  }
}

TEST(TreeSolids, have_large_cells_inside_and_nothing_in_them) {
  scene::Scene scene = divided(plume(3, 1.0 / 32), 4);
  scene.grid.sides[2][1] = scene::Side::wall;
  scene.gas->sources.clear();
  scene.gas->regions = {{test::box({-1, -1, -1}, {2, 2, 3}), {}}};
  scene.gas->regions[0].content.smoke = 1;
  scene.obstacles = {obstacle(test::sphere({0.5, 0.5, 1}, 0.4))};
  const auto gas = make_gas(scene);
  run(*gas, 0, 0.1);
  const TreeGasStep<3>& step = step_of<3>(*gas);
  EXPECT_GT(step.tree().leaf_of(0, {16, 16, 32}).level, 0U) << "its middle";
  EXPECT_EQ(step.tree().leaf_of(0, {16, 16, 19}).level, 0U) << "its lower end";
  const std::vector<float> smoke = read(*gas, Field::smoke);
  const auto at = [&](std::size_t z) { return smoke[(z * 32 + 16) * 32 + 16]; };
  EXPECT_EQ(at(32), 0);
  EXPECT_EQ(at(20), 0);
  EXPECT_EQ(at(17), 1);
}

TEST(TreeSolids, give_the_same_bits_on_two_threads_and_restored) {
  for (const int dimensions : {2, 3}) {
    const scene::Scene start = divided(plume_at_ball(dimensions, 1.0 / 32), 4);
    const auto state_after = [&](int threads, bool is_restored) {
      std::vector<std::byte> state;
      parallel::ThreadLimit limit(threads);
      limit.run([&] {
        scene::Scene scene = start;
        auto gas = make_gas(scene);
        for (int n = 0; n < 24; ++n) {
          if (n == 12 && is_restored) {
            ByteWriter kept;
            gas->save(kept);
            const std::vector<std::byte> bytes = std::move(kept).take();
            gas = make_gas(start);
            gas->set_obstacles(scene.obstacles);
            ByteReader in(bytes);
            ASSERT_TRUE(gas->restore(in) && in.is_at_end());
          }
          scene.obstacles[0].velocity = {n > 18 ? 0 : 0.3, 0, 0};
          scene.obstacles[0].shape.translation += 0.02 * scene.obstacles[0].velocity;
          gas->set_obstacles(scene.obstacles);
          ASSERT_TRUE(gas->advance(
              {.duration = 0.02, .time = 0.02 * n, .gravity = {0, 0, -9.81}, .pushes = {}}));
        }
        ByteWriter out;
        gas->save(out);
        state = std::move(out).take();
      });
      return state;
    };
    const std::vector<std::byte> one = state_after(1, false);
    EXPECT_TRUE(one == state_after(2, false));
    EXPECT_TRUE(one == state_after(2, true));
  }
}

}  // namespace
}  // namespace sluice::fluid::adaptive
