// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace sluice::fluid::grid {

/// A point's weights on a row of values, which are at whole numbers.
struct DeltaWeights {
  std::int32_t first;            ///< Where the first weight is.
  std::array<double, 3> weight;  ///< >= 0
};

/// The discrete delta function of three points [Roma1999] (21) around `x` [cells]. Weights sum up
/// to 1 and their first moment is x, both to rounding; they change continuously with x; and their
/// squares sum up to 1/2 everywhere, so that what a point gets back of what it gives does not
/// depend on where between the cells it is.
[[nodiscard]] inline DeltaWeights delta_weights(double x) noexcept {
  const double nearest = std::round(x), r = x - nearest;  // In [-1/2, 1/2].
  const double middle = (1 + std::sqrt(1 - 3 * r * r)) / 3;
  // The two others have the rest, of which r is the difference: (5 - 3 |s| - sqrt(1 - 3 (1 -
  // |s|)^2)) / 6 at s = r - 1 and r + 1, by the two sums.
  const double rest = 1 - middle;
  return {static_cast<std::int32_t>(nearest) - 1, {0.5 * (rest - r), middle, 0.5 * (rest + r)}};
}

}  // namespace sluice::fluid::grid
