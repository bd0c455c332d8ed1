// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "solver/fluid/mpm/particle_batch.h"
#include "solver/simd/particle_lanes.h"

/// The rows of nodes along z that scatter_kernel.h and gather_kernel.h work on.
namespace sluice::fluid {

/// Registers for the nodes of a row that a particle uses. A quadratic spline has three nodes: the
/// weight of the fourth is 0.
template <int width>
constexpr int row_parts = 16 / width;

/// Returns where part q of row (i, j) begins in a tile, in floats from the first node of a support.
template <int support, int width>
[[gnu::always_inline]] constexpr std::ptrdiff_t row_place(std::ptrdiff_t i, std::ptrdiff_t j,
                                                          std::ptrdiff_t q) noexcept {
  constexpr std::ptrdiff_t edge = Tile<support>::edge;
  return 4 * (i * edge + j) * edge + q * width;
}

/// The rows that a particle of a cell uses: row i support + j is that of nodes (i, j, ...).
template <typename Spline, int width>
using Rows = FloatLanes<width>[Spline::support * Spline::support][row_parts<width>];

/// Offsets of part q's nodes from node 1, in cells.
template <int width>
[[gnu::always_inline]] inline FloatLanes<width> node_offsets(int q) noexcept {
  if constexpr (width == 8) {
    return q == 0 ? Float8{-1, -1, -1, -1, 0, 0, 0, 0} : Float8{1, 1, 1, 1, 2, 2, 2, 2};
  } else {
    return Float16{-1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  }
}

/// a + k b, for a k that the unrolled loop knows.
template <typename T>
[[gnu::always_inline]] inline T plus_times(T a, int k, T b) noexcept {
  return k == 0 ? a : k == 1 ? a + b : k == -1 ? a - b : a + static_cast<float>(k) * b;
}

}  // namespace sluice::fluid
