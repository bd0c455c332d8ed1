// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "solver/scene/visitable.h"

namespace sluice::scene {

/// The time during which something acts.
struct TimeSpan {
  double start = 0;                                       ///< [s]
  double stop = std::numeric_limits<double>::infinity();  ///< [s] excluded

  [[nodiscard]] bool has(double time) const { return start <= time && time < stop; }
};

template <Of<TimeSpan> Self, typename Visit>
void visit_fields(Self& span, Visit&& visit) {
  auto& [start, stop] = span;
  visit(start, stop);
}

}  // namespace sluice::scene
