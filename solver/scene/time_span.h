// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace sluice::scene {

/// When something acts.
struct TimeSpan {
  double start = 0;                                       ///< [s]
  double stop = std::numeric_limits<double>::infinity();  ///< [s] excluded

  [[nodiscard]] bool has(double time) const { return start <= time && time < stop; }
};

}  // namespace sluice::scene
