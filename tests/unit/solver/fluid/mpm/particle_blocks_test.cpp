// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/particle_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "solver/fluid/lattice/key_index.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/kernel.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::particle_blocks_test {
namespace {

TEST(KeyIndex, agrees_with_a_map_as_it_grows) {
  KeyIndex index;
  EXPECT_EQ(index.find(7), KeyIndex::none);
  std::map<std::uint64_t, std::uint32_t> expected;
  std::mt19937_64 generator(3);
  for (std::uint32_t n = 0; n < 20000; ++n) {
    const std::uint64_t key = generator() % 10000;
    const std::uint32_t got = index.find_or_insert(key, n);
    EXPECT_EQ(got, expected.emplace(key, n).first->second);
  }
  for (std::uint64_t key = 0; key < 10000; ++key) {
    const auto found = expected.find(key);
    EXPECT_EQ(index.find(key), found == expected.end() ? KeyIndex::none : found->second);
  }
  index.clear();
  EXPECT_EQ(index.find(expected.begin()->first), KeyIndex::none);
}

std::vector<Vec3f> random_positions(std::size_t count) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<float> uniform(0.01F, 0.99F);
  std::vector<Vec3f> positions(count + 1, Vec3f::Zero());
  for (Vec3f& x : positions)
    x = Vec3f(uniform(generator), uniform(generator), uniform(generator));
  return positions;
}

TEST(ParticleBlocks, sorts_particles_by_block_then_cell_then_index_for_any_number_of_threads) {
  const auto scene = test::tank({1, 1, 1}, 0.05, test::box({0, 0, 0}, {1, 1, 1}));
  const GridFrame frame(scene);
  const std::size_t count = 100'000;  // Several chunks.
  const auto positions = random_positions(count);
  using Spline = BSpline<scene::Kernel::quadratic>;

  std::vector<std::tuple<std::uint64_t, int, std::uint32_t>> expected;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Float4 X = frame.from_world(load4(positions[i].data()));
    const Int4 base = frame.base<Spline>(X), in_block = base % block_edge;
    expected.emplace_back(frame.block_key(base),
                          (in_block[0] * block_edge + in_block[1]) * block_edge + in_block[2], i);
  }
  std::sort(expected.begin(), expected.end());

  for (const int threads : {1, 3}) {
    parallel::ThreadLimit limit(threads);
    ParticleBlocks blocks;
    limit.run([&] { assign_blocks(frame, scene::Kernel::quadratic, positions, count, blocks); });
    ASSERT_EQ(blocks.order.size(), count);
    std::uint32_t next = 0;
    for (const ParticleBlock& block : blocks.blocks) {
      ASSERT_EQ(block.first, next);
      for (; next < block.last; ++next) {
        ASSERT_EQ(std::get<0>(expected[next]), block.key);
        ASSERT_EQ(std::get<2>(expected[next]), blocks.order[next]);
      }
    }
    EXPECT_EQ(next, count);
  }
}

// Every node of a grid = what the tiles around it have there, summed one by one.
template <int support>
void expect_sums_of_tiles(scene::Kernel kernel) {
  const auto scene = test::tank({1, 1, 1}, 0.05, test::box({0, 0, 0}, {1, 1, 1}));
  const GridFrame frame(scene);
  ParticleBlocks blocks;
  assign_blocks(frame, kernel, random_positions(60), 60, blocks);
  Grid grid;
  grid.activate(frame, blocks.blocks);
  grid.make_scattered<support>();
  std::map<std::array<int, 3>, float> expected;
  constexpr int edge = Tile<support>::edge;
  float number = 1;  // Whole numbers: no order of summing matters.
  for (std::size_t b = 0; b < blocks.blocks.size(); ++b) {
    const auto base = frame.block_base(blocks.blocks[b].key);
    for (int n = 0; n < Tile<support>::node_count; ++n) {
      number = number < 1000 ? number + 1 : 1;
      grid.scattered<support>(b).nodes[static_cast<std::size_t>(n)] = Float4{number, -number, 0, 1};
      expected[{base[0] + n / (edge * edge), base[1] + n / edge % edge, base[2] + n % edge}] +=
          number;
    }
  }
  grid.sum_scattered<support>({});
  for (std::size_t block = 0; block < grid.block_count(); ++block) {
    const auto base = frame.block_base(grid.keys()[block]);
    for (int n = 0; n < block_nodes; ++n) {
      const auto found = expected.find({base[0] + n / 16, base[1] + n / 4 % 4, base[2] + n % 4});
      const float sum = found == expected.end() ? 0 : found->second;
      const Float4& node = grid.nodes(block)[static_cast<std::size_t>(n)];
      ASSERT_EQ(node[0], sum) << block << ' ' << n;
      ASSERT_EQ(node[1], -sum);
      if (found != expected.end()) expected.erase(found);
    }
  }
  EXPECT_TRUE(expected.empty());
}

TEST(Grid, nodes_are_the_sums_of_what_blocks_scatter) {
  expect_sums_of_tiles<3>(scene::Kernel::quadratic);
  expect_sums_of_tiles<4>(scene::Kernel::cubic);
}

TEST(GridFrame, wild_positions_stay_in_the_table) {
  const auto scene = test::tank({1, 0.5, 0.3}, 0.05, test::box({0, 0, 0}, {1, 1, 1}));
  const GridFrame frame(scene);
  using Spline = BSpline<scene::Kernel::quadratic>;
  for (const float wild : {-1e30F, -3.0F, 3.0F, 1e30F, std::numeric_limits<float>::quiet_NaN()}) {
    const Int4 base = frame.base<Spline>(frame.from_world(Float4{wild, wild, wild, 0}));
    const auto back = frame.block_base(frame.block_key(base));
    for (int a = 0; a < 3; ++a) {
      const auto u = static_cast<std::size_t>(a);
      EXPECT_GE(base[a], 0);
      EXPECT_LE(base[a], frame.wall_upper[u]);
      EXPECT_EQ(back[u], base[a] / block_edge * block_edge);
    }
  }
}

TEST(GridFrame, the_upper_wall_is_the_last_plane_inside_the_domain) {
  auto scene = test::tank({0.6, 0.61, 0.619}, 0.02, test::box({0, 0, 0}, {1, 1, 1}));
  const GridFrame frame(scene);
  for (int a = 0; a < 3; ++a)
    EXPECT_FLOAT_EQ(frame.upper[a], 0.6F);
}

}  // namespace
}  // namespace sluice::fluid::particle_blocks_test
