// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::determinism_test {
namespace {

void step(MpmFluid& fluid, const scene::Scene& scene, int count) {
  for (int n = 0; n < count; ++n) {
    fluid.advance_velocities(fluid.stable_substep(), scene.gravity);
    fluid.commit();
  }
}

struct Case {
  const char* name;
  scene::Scene scene;
};
class Determinism : public testing::TestWithParam<Case> {};

// 200 steps at 2 m/s and more: some reorderings of the particles are among them.
constexpr int step_count = 200;

TEST_P(Determinism, the_same_bits_on_one_two_and_three_threads) {
  const scene::Scene scene = GetParam().scene;
  std::vector<std::byte> expected;
  for (const int threads : {1, 2, 3}) {
    parallel::ThreadLimit limit(threads);
    std::vector<std::byte> state;
    limit.run([&] {
      MpmFluid fluid(scene);
      step(fluid, scene, step_count);
      state = fluid.save();
    });
    if (threads == 1) expected = state;
    ASSERT_EQ(state.size(), expected.size());
    EXPECT_EQ(std::memcmp(state.data(), expected.data(), state.size()), 0) << threads;
  }
}

TEST_P(Determinism, a_restored_fluid_goes_on_bit_for_bit) {
  const scene::Scene scene = GetParam().scene;
  MpmFluid undisturbed(scene);
  for (const int at : {0, 1, 77}) {
    MpmFluid fluid(scene);
    step(fluid, scene, at);
    const auto snapshot = fluid.save();
    auto restored = MpmFluid::restore(scene, snapshot);
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(restored.value().save(), snapshot);
    step(fluid, scene, step_count);
    step(restored.value(), scene, step_count);
    EXPECT_EQ(restored.value().save(), fluid.save()) << at;
  }
}

TEST_P(Determinism, internal_order_changes_and_rows_follow) {
  const scene::Scene scene = GetParam().scene;
  MpmFluid fluid(scene);
  const std::vector<std::uint32_t> before(fluid.rows().begin(), fluid.rows().end());
  step(fluid, scene, step_count);
  EXPECT_NE(std::memcmp(before.data(), fluid.rows().data(), 4 * before.size()), 0)
      << "no reordering: the tests above miss it";
  std::vector<Vec3f> by_row(fluid.positions().size());
  fluid.gather_rows(fluid.positions(), by_row);
  for (std::size_t i = 0; i < by_row.size(); ++i) {
    EXPECT_EQ(by_row[fluid.rows()[i]], fluid.positions()[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, Determinism,
    testing::Values(Case{"quadratic", test::dam_break(scene::Kernel::quadratic)},
                    Case{"cubic", test::dam_break(scene::Kernel::cubic)},
                    Case{"one_of_each_material", test::one_of_each_material()}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(Snapshot, damaged_bytes_are_refused) {
  const auto scene = test::tank({0.2, 0.2, 0.2}, 0.02, test::box({0, 0, 0}, {0.1, 0.1, 0.1}));
  const auto good = MpmFluid(scene).save();
  ASSERT_TRUE(MpmFluid::restore(scene, good));
  const auto refused = [&](std::vector<std::byte> bytes) {
    const auto result = MpmFluid::restore(scene, bytes);
    return !result && result.error().code == ErrorCode::invalid_snapshot &&
           !result.error().message.empty();
  };
  for (const std::size_t size : {0, 7, 8, 16, 20, 28, 100}) {
    EXPECT_TRUE(refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  }
  EXPECT_TRUE(refused({good.begin(), good.end() - 1}));
  auto longer = good;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(refused(longer));
  auto other_magic = good;
  other_magic[0] ^= std::byte{1};
  EXPECT_TRUE(refused(other_magic));
  auto huge = good;  // The count of the only fluid: 2^63 particles less.
  huge[23] ^= std::byte{0x80};
  EXPECT_TRUE(refused(huge));
  auto two_of_one_id = good;
  const std::size_t end = good.size() - 12;  // After materials: a distance, and no reactions.
  const std::size_t ids = end - std::size_t{5} * 1000;  // An id and a material each.
  std::memcpy(&two_of_one_id[ids], &two_of_one_id[ids + 4], 4);
  EXPECT_TRUE(refused(two_of_one_id));
  auto no_fluid = good;
  no_fluid[end - 1] = std::byte{1};
  EXPECT_TRUE(refused(no_fluid));
  auto two_fluids = scene;
  two_fluids.fluids.push_back(scene.fluids[0]);
  EXPECT_FALSE(MpmFluid::restore(two_fluids, good));
}

}  // namespace
}  // namespace sluice::fluid::determinism_test
