// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/lattice/coarsening.h"

namespace sluice::fluid::grid {
namespace {

// For each kind of Along the parts of the fine values at -1, 0, 1 and 2.
constexpr std::array<std::array<float, 4>, 4> parts_along{
    {{0, 1, 0, 0}, {0, 0.5F, 0.5F, 0}, {0.25F, 0.5F, 0.25F, 0}, {0.125F, 0.375F, 0.375F, 0.125F}}};

}  // namespace

template <int D>
void coarsen(const std::array<Along, D>& along, float* values) noexcept {
  constexpr std::size_t edge = padded_edge<D>, half = half_tile_edge<D>;
  std::size_t lines = 1;
  for (int axis = D - 1; axis >= 0; --axis) {
    const std::size_t step = padded_stride<D>(axis);
    const auto& parts =
        parts_along[static_cast<std::size_t>(along[static_cast<std::size_t>(axis)])];
    for (std::size_t line = 0; line < lines; ++line) {
      for (std::size_t i = 0; i < half; ++i) {
        const float* const from = values + (line * edge + 2 * i) * step;
        float* const to = values + (line * half + i) * step;
        for (std::size_t s = 0; s < step; ++s) {
          to[s] = parts[0] * from[s] + parts[1] * from[step + s] + parts[2] * from[2 * step + s] +
                  parts[3] * from[3 * step + s];
        }
      }
    }
    lines *= half;
  }
}

template <int D>
void interpolate(const float* coarse, const Cell<D>& place, std::size_t own,
                 std::array<float, tile_size<D>>& values) noexcept {
  constexpr std::size_t edge = tile_edge<D>, half = half_tile_edge<D>, window = half + 2;
  constexpr std::size_t row_count = D == 3 ? window * window : window;
  std::array<float, row_count * edge> rows;
  const auto expand = [](const float* from, std::size_t step, bool is_own, float* to) {
    const float near = is_own ? 1.0F : 0.75F, before = is_own ? 0.0F : 0.25F;
    const float near_odd = is_own ? 0.5F : 0.75F, after = is_own ? 0.5F : 0.25F;
    for (std::size_t i = 0; i < half; ++i) {
      const float* const at = from + i * step;
      for (std::size_t s = 0; s < step; ++s) {
        to[2 * i * step + s] = before * at[s] + near * at[step + s];
        to[(2 * i + 1) * step + s] = near_odd * at[step + s] + after * at[2 * step + s];
      }
    }
  };
  for (std::size_t row = 0; row < row_count; ++row) {
    std::size_t first = static_cast<std::size_t>(place[0]), rest = row;
    for (std::size_t axis = 1; axis < D; ++axis) {
      first += (static_cast<std::size_t>(place[axis]) + rest % window) *
               padded_stride<D>(static_cast<int>(axis));
      rest /= window;
    }
    expand(coarse + first, 1, own == 0, rows.data() + row * edge);
  }
  if constexpr (D == 2) {
    expand(rows.data(), edge, own == 1, values.data());
  } else {
    std::array<float, window * edge * edge> slabs;
    for (std::size_t slab = 0; slab < window; ++slab)
      expand(rows.data() + slab * window * edge, edge, own == 1, slabs.data() + slab * edge * edge);
    expand(slabs.data(), edge * edge, own == 2, values.data());
  }
}

template void coarsen<2>(const std::array<Along, 2>&, float*) noexcept;
template void coarsen<3>(const std::array<Along, 3>&, float*) noexcept;
template void interpolate<2>(const float*, const Cell<2>&, std::size_t,
                             std::array<float, tile_size<2>>&) noexcept;
template void interpolate<3>(const float*, const Cell<3>&, std::size_t,
                             std::array<float, tile_size<3>>&) noexcept;

}  // namespace sluice::fluid::grid
