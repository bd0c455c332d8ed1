// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

namespace sluice::codec {

/// Calls `loop` with the number of components, as a compile-time constant if it is 1 or 3: then
/// loops over rows keep their sums in registers and vectorise (three times as fast).
template <typename Loop>
decltype(auto) with_component_count(int component_count, const Loop& loop) {
  switch (component_count) {
    case 1:
      return loop(std::integral_constant<std::size_t, 1>());
    case 3:
      return loop(std::integral_constant<std::size_t, 3>());
    default:
      return loop(static_cast<std::size_t>(component_count));
  }
}

}  // namespace sluice::codec
