// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace sluice::fluid::grid {

/// The part of a tent function, two cells wide about 0, that is beyond `distance` [cells].
[[nodiscard]] inline double tent_beyond(double distance) {
  const double near = std::max(0.0, 1 - std::abs(distance));
  return distance > 0 ? 0.5 * near * near : 1 - 0.5 * near * near;
}

}  // namespace sluice::fluid::grid
