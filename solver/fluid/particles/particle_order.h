// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/particles/particles.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

/// Writes into `to` the values `from` in `order`: to[i] = from[order[i]].
template <typename T>
void put_in_order(std::span<const std::uint32_t> order, const std::vector<T>& from,
                  std::vector<T>& to) {
  constexpr std::int64_t grain = 16384;
  parallel::parallel_for(0, static_cast<std::int64_t>(order.size()), grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto i = static_cast<std::size_t>(first);
                                i < static_cast<std::size_t>(last); ++i) {
                             to[i] = from[order[i]];
                           }
                         });
}

/// Moves the particles into `order`. `targets` serve as scratch and lose their values. Needs 40
/// bytes a particle more while it runs, 64 where there are `elastic`.
void put_in_order(std::span<const std::uint32_t> order, Particles& particles);

/// Moves `values`, one for each particle, into `order`.
template <typename T>
void put_in_order(std::span<const std::uint32_t> order, std::vector<T>& values) {
  std::vector<T> ordered(values.size());
  put_in_order(order, values, ordered);
  values.swap(ordered);
}

/// Removes the particles `gone`, ascending; others fill their places. Returns the new index of each
/// particle, or no_row for one that is gone.
std::vector<std::uint32_t> remove(std::span<const std::uint32_t> gone, Particles& particles);

}  // namespace sluice::fluid
