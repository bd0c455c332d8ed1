// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "solver/parallel/thread_limit.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::test {

/// That the fluid of a scene is the same, bit for bit, on one and two threads, and if it is saved
/// and restored on the way; `run(fluid)` moves it on.
template <typename Fluid, typename Run>
void expect_same_bits(const scene::Scene& scene, const Run& run) {
  const auto state_after = [&](int threads, bool is_restored) {
    std::vector<std::byte> state;
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      Fluid fluid(scene);
      run(fluid);
      if (is_restored) {
        auto restored = Fluid::restore(scene, fluid.save());
        ASSERT_TRUE(restored);
        fluid = std::move(restored).value();
      }
      run(fluid);
      state = fluid.save();
    });
    return state;
  };
  const std::vector<std::byte> one = state_after(1, false);
  EXPECT_TRUE(one == state_after(2, false));
  EXPECT_TRUE(one == state_after(2, true));
}

}  // namespace sluice::fluid::test
