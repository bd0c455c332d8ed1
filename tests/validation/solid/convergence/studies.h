// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::solid {

/// An error at one step length or mesh size.
struct Sample {
  double size;   ///< h over the motion's period; or an element's length over the body's.
  double error;  ///< Relative: see Study.
};

/// How an error against theory falls as steps or elements get smaller.
struct Study {
  std::string name;
  double expected_order;
  std::vector<Sample> samples;  ///< Coarsest first.

  /// The slope between the samples `index` - 1 and `index` > 0, logarithmic.
  [[nodiscard]] double order(std::size_t index) const;
};

/// The rules in time on bodies that swing. The error is the distance from where theory has
/// them, in the norm of positions and velocities over the angular frequency, over the amplitude.
[[nodiscard]] std::vector<Study> time_studies();

/// Linear tets and triangles. The error is that of displacements in L2, over their norm, but for
/// the frequency of a bar, where it is that of the frequency.
[[nodiscard]] std::vector<Study> space_studies();

}  // namespace sluice::solid
