// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "solver/fluid/lattice/cell.h"

namespace sluice::fluid::grid {

/// Calls visit(cell) for all cells of a box that has some, from `begin` on to before `end`; x
/// fastest.
template <int D, typename Visit>
void for_each_in_box(const Cell<D>& begin, const Cell<D>& end, const Visit& visit) {
  Cell<D> at = begin;
  for (bool more = true; more;) {
    visit(at);
    more = false;
    for (std::size_t axis = 0; axis < D && !more; ++axis) {
      more = ++at[axis] < end[axis];
      if (!more) at[axis] = begin[axis];
    }
  }
}

}  // namespace sluice::fluid::grid
