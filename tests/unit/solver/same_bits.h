// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::test {

/// That a scene has the same bits where it is saved after `first` frames and goes on from that, and
/// on two threads.
inline void expect_same_bits(const scene::Scene& scene, int first, int more) {
  const auto one = make_simulation(scene, 1);
  advance(*one, first);
  const auto restored = save_and_restore(*one, scene, 1);
  EXPECT_EQ(all_values(*restored), all_values(*one));
  advance(*one, more);
  advance(*restored, more);
  const auto values = all_values(*one);
  EXPECT_EQ(all_values(*restored), values);
  const auto two = make_simulation(scene, 2);
  advance(*two, first + more);
  EXPECT_EQ(all_values(*two), values);
}

}  // namespace sluice::test
