// SPDX-License-Identifier: Apache-2.0
// A gas on a tree of cells. Oracles: the gas on equal cells, conservation, the same made another
// way.
#include "solver/fluid/adaptive/tree_gas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/abilities.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/adaptive/plume.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::adaptive {
namespace {

using test::box;
using test::sphere;

TEST(TreeGas, is_the_gas_on_equal_cells_where_all_are_equal) {
  for (const int dimensions : {2, 3}) {
    for (const scene::Advection advection : {scene::Advection::cubic, scene::Advection::maccormack,
                                             scene::Advection::semi_lagrangian}) {
      scene::Scene scene = plume(dimensions, dimensions == 2 ? 1.0 / 64 : 1.0 / 24);
      scene.gas->advection = advection;
      scene.gas->vorticity_confinement = 0.2;
      const auto equal = make_gas(scene), tree = make_gas(divided(scene, 1));
      run(*equal, 0, 0.5);
      run(*tree, 0, 0.5);
      EXPECT_NEAR(tree->kinetic_energy(), equal->kinetic_energy(), 1e-5 * equal->kinetic_energy());
      EXPECT_LT((tree->momentum() - equal->momentum()).norm(),
                1e-5 * std::sqrt(equal->kinetic_energy()));
      expect_same_frames(*equal, *tree);
    }
  }
}

TEST(TreeGas, rises_as_on_equal_cells_with_a_fraction_of_them) {
  for (const int dimensions : {2, 3}) {
    const scene::Scene scene = plume(dimensions, dimensions == 2 ? 1.0 / 128 : 1.0 / 48);
    const auto equal = make_gas(scene), tree = make_gas(divided(scene, 5));
    run(*equal, 0, 0.7);
    run(*tree, 0, 0.7);
    EXPECT_NEAR(tree->kinetic_energy(), equal->kinetic_energy(), 0.03 * equal->kinetic_energy());
    EXPECT_LT(difference(read(*equal, Field::smoke), read(*tree, Field::smoke)), 0.15);
    const std::size_t leaves = dimensions == 2 ? step_of<2>(*tree).tree().leaf_count()
                                               : step_of<3>(*tree).tree().leaf_count();
    EXPECT_LT(static_cast<double>(leaves),
              0.25 * static_cast<double>(equal->lattice().cell_count()));
  }
}

// In a closed box with smoke that nothing takes away.
TEST(TreeGas, keeps_smoke) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = divided(plume(dimensions, dimensions == 2 ? 1.0 / 64 : 1.0 / 32), 4);
    scene.grid.sides[2][1] = scene::Side::wall;
    scene.gas->sources.clear();
    scene::GasRegion region;
    region.shape = sphere({0.5, scene.domain_upper.y() / 2, 0.4}, 0.2);
    region.content.smoke = 1;
    region.content.temperature = 320;
    scene.gas->regions = {region};
    const auto equal = make_gas([&] {
      scene::Scene of_equal = scene;
      of_equal.grid.adaptive.reset();
      return of_equal;
    }());
    const auto tree = make_gas(scene);
    const double before = sum(read(*tree, Field::smoke));
    EXPECT_NEAR(before, sum(read(*equal, Field::smoke)), 1e-3 * before);
    run(*equal, 0, 1);
    run(*tree, 0, 1);
    // Semi-Lagrangian values are not conserved on equal cells either.
    const double lost = std::abs(sum(read(*equal, Field::smoke)) - before);
    EXPECT_NEAR(sum(read(*tree, Field::smoke)), before, 2 * lost + 0.01 * before);
  }
}

TEST(TreeGas, at_rest_stays_at_rest) {
  scene::Scene scene = divided(plume(3, 0.05), 3);
  scene.gas->sources[0].content.temperature.reset();
  scene.gas->vorticity_confinement = 1;
  const auto gas = make_gas(scene);
  run(*gas, 0, 0.2);
  EXPECT_EQ(gas->kinetic_energy(), 0);
  for (const float pressure : read(*gas, Field::pressure))
    EXPECT_EQ(pressure, 0);
}

// Through an inlet and an open side, with cells of all sizes between: as fast everywhere. The sides
// of the domain cut large cells.
TEST(TreeGas, flows_through_evenly) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = divided(plume(dimensions, 1.0 / 32), 4);
    scene.domain_upper.x() = 1.1;
    scene.domain_upper.z() = 1.9;
    scene.gas->sources.clear();
    scene.grid.adaptive->finest = {sphere({0.4, scene.domain_upper.y() / 2, 0.7}, 0.1)};
    scene.grid.side_velocities[2][0].velocity = {0, 0, 2};
    scene.gas->velocity = {0, 0, 2};
    const auto gas = make_gas(scene);
    run(*gas, 0, 0.3);
    const std::vector<float> velocity = read(*gas, Field::velocity);
    for (std::size_t i = 0; i < velocity.size(); ++i)
      ASSERT_NEAR(velocity[i], i % 3 == 2 ? 2 : 0, 1e-5);
  }
}

TEST(TreeGas, has_the_smallest_cells_where_told) {
  scene::Scene scene = divided(plume(3, 1.0 / 32), 4);
  scene.gas->sources.clear();
  scene.grid.adaptive->finest = {box({0.25, 0.25, 0.5}, {0.5, 0.5, 0.75})};
  const auto gas = make_gas(scene);
  const auto& tree = step_of<3>(*gas).tree();
  EXPECT_GE(tree.leaf_count(0), 512U);
  for (std::int32_t z = 16; z < 24; ++z) {
    for (std::int32_t x = 8; x < 16; ++x)
      EXPECT_EQ(tree.leaf_of(0, {x, 12, z}).level, 0U);
  }
  EXPECT_EQ(tree.leaf_of(0, {28, 28, 60}).level, 3U);
}

// Also beside cells that the sides of the domain cut, and with far more levels than it has room
// for.
TEST(TreeGas, has_leaves_that_differ_by_one_level_from_those_they_touch) {
  for (const int levels : {5, 12}) {
    scene::Scene scene = divided(plume(3, 1.0 / 32), levels);
    scene.domain_upper = {1.2, 0.9, 1.95};
    const auto gas = make_gas(scene);
    run(*gas, 0, 0.3);
    const auto& tree = step_of<3>(*gas).tree();
    for (std::int32_t z = 0; z < tree.size()[2]; ++z) {
      for (std::int32_t y = 0; y < tree.size()[1]; ++y) {
        for (std::int32_t x = 0; x < tree.size()[0]; ++x) {
          const Cell<3> here{x, y, z};
          for (std::size_t axis = 0; axis < 3; ++axis) {
            Cell<3> next = here;
            if (++next[axis] == tree.size()[axis]) continue;
            const std::size_t a = tree.leaf_of(0, here).level, b = tree.leaf_of(0, next).level;
            ASSERT_LE(std::max(a, b) - std::min(a, b), 1U) << x << " " << y << " " << z;
          }
        }
      }
    }
  }
}

TEST(TreeGas, has_no_more_cells_than_told_and_says_what_that_costs) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = divided(plume(dimensions, dimensions == 2 ? 1.0 / 128 : 1.0 / 32), 5);
    const auto all = make_gas(scene);
    run(*all, 0, 0.8);
    const auto count_of = [](const Gas& gas) {
      const auto counts = dynamic_cast<const DividesCells&>(gas).cell_counts();
      return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    };
    EXPECT_EQ(dynamic_cast<const DividesCells&>(*all).detail_lost(), 1);
    scene.grid.adaptive->max_cells = count_of(*all) / 2;
    const auto few = make_gas(scene);
    for (double time = 0; time < 0.8; time += 0.1) {
      run(*few, time, time + 0.1);
      EXPECT_LE(count_of(*few), *scene.grid.adaptive->max_cells);
    }
    EXPECT_GT(count_of(*few), *scene.grid.adaptive->max_cells / 3) << "all that it may have";
    EXPECT_GT(dynamic_cast<const DividesCells&>(*few).detail_lost(), 1.2);
    EXPECT_LT(dynamic_cast<const DividesCells&>(*few).detail_lost(), 30);
    const double smoke = sum(read(*all, Field::smoke));
    EXPECT_NEAR(sum(read(*few, Field::smoke)), smoke, 0.2 * smoke);
  }
}

TEST(TreeGas, tells_the_level_of_the_cell_that_each_smallest_one_is_in) {
  for (const int dimensions : {2, 3}) {
    // Its ends divide large cells.
    scene::Scene scene = divided(plume(dimensions, 1.0 / 27), 4);
    const auto gas = make_gas(scene);
    run(*gas, 0, 0.3);
    const std::vector<float> levels = read(*gas, Field::cell_level);
    std::vector<std::int64_t> counts(4);
    for (const float level : levels)
      ++counts.at(static_cast<std::size_t>(level));
    const auto expected = dynamic_cast<const DividesCells&>(*gas).cell_counts();
    ASSERT_EQ(expected.size(), 4U);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_EQ(counts[k], expected[k] << (static_cast<std::size_t>(dimensions) * k)) << k;
    EXPECT_GT(counts[0], 0);
    EXPECT_GT(counts[2], 0);
  }
}

// Painted where cells are large until then.
TEST(TreeGas, is_painted_as_on_equal_cells) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = plume(dimensions, 1.0 / 32);
    scene.gas->sources.clear();
    Stroke stroke{{0.3, 0, 1.2}, {0.7, 0, 1.5}, 0.15, {}};
    stroke.from.y() = stroke.to.y() = scene.domain_upper.y() / 2;
    stroke.content.smoke = 1;
    stroke.content.velocity = Vec3(1, 0, 0);
    const auto equal = make_gas(scene), tree = make_gas(divided(scene, 5));
    for (Gas* const gas : {equal.get(), tree.get()}) {
      gas->set_strokes({&stroke, 1}, 0.1);
      run(*gas, 0, 0.1);
      gas->set_strokes({}, 0.1);
      run(*gas, 0.1, 0.3);
    }
    EXPECT_LT(difference(read(*equal, Field::smoke), read(*tree, Field::smoke)), 0.05);
    EXPECT_NEAR(tree->momentum().x(), equal->momentum().x(), 0.02 * equal->momentum().x());
  }
}

TEST(TreeGas, has_the_same_bits_on_two_threads_and_restored) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = divided(plume(dimensions, 1.0 / 32), 4);
    if (dimensions == 3) scene.grid.adaptive->max_cells = 6000;  // Fewer than it would have.
    const auto state_after = [&](int threads, bool is_restored) {
      std::vector<std::byte> state;
      parallel::ThreadLimit limit(threads);
      limit.run([&] {
        auto gas = make_gas(scene);
        run(*gas, 0, 0.4);
        if (is_restored) {
          ByteWriter kept;
          gas->save(kept);
          const std::vector<std::byte> bytes = std::move(kept).take();
          gas = make_gas(scene);
          ByteReader in(bytes);
          ASSERT_TRUE(gas->restore(in) && in.is_at_end());
        }
        run(*gas, 0.4, 0.8);
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

TEST(TreeGas, refuses_bytes_that_do_not_fit) {
  const scene::Scene scene = divided(plume(2, 1.0 / 16), 3);
  const auto gas = make_gas(scene);
  ByteWriter out;
  gas->save(out);
  std::vector<std::byte> bytes = std::move(out).take();
  bytes.resize(bytes.size() / 2);
  ByteReader in(bytes);
  EXPECT_FALSE(make_gas(scene)->restore(in));
}

}  // namespace
}  // namespace sluice::fluid::adaptive
