// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/lattice/coarsening.h"

namespace sluice::fluid::grid {
namespace {

// For each kind of Along the parts of the fine values at -1, 0, 1 and 2.
constexpr std::array<std::array<float, 4>, 4> parts_along{
    {{0, 1, 0, 0}, {0, 0.5F, 0.5F, 0}, {0.25F, 0.5F, 0.25F, 0}, {0.125F, 0.375F, 0.375F, 0.125F}}};

// How fine values are made of the coarse ones along an axis, from `margin` before the place on to
// `margin` behind it: the one at the place, and the one half a coarse cell on; those are a quarter
// of one before and behind it where values are in the middles of cells.
template <std::size_t margin>
struct Expansion {
  static constexpr std::size_t width = 2 * margin + 1;
  using Parts = std::array<float, width>;
  std::array<Parts, 2> by_node, by_cell;
};

constexpr Expansion<1> by_lines{{{{0, 1, 0}, {0, 0.5F, 0.5F}}},
                                {{{0.25F, 0.75F, 0}, {0, 0.75F, 0.25F}}}};
// The cubics through four values, at and between the middle two.
constexpr Expansion<2> by_cubics{{{{0, 0, 1, 0, 0}, {0, -0.0625F, 0.5625F, 0.5625F, -0.0625F}}},
                                 {{{-0.0390625F, 0.2734375F, 0.8203125F, -0.0546875F, 0},
                                   {0, -0.0546875F, 0.8203125F, 0.2734375F, -0.0390625F}}}};

// From coarse values of a tile padded by `margin`.
template <int D, std::size_t margin>
void expand_all(const Expansion<margin>& expansion, const float* coarse, const Cell<D>& place,
                std::size_t own, std::array<float, tile_size<D>>& values) {
  constexpr std::size_t edge = tile_edge<D>, half = half_tile_edge<D>, window = half + 2 * margin;
  constexpr std::size_t row_count = D == 3 ? window * window : window;
  std::array<float, row_count * edge> rows;
  const auto expand = [&](const float* from, std::size_t step, bool is_own, float* to) {
    const auto& parts = is_own ? expansion.by_node : expansion.by_cell;
    for (std::size_t i = 0; i < edge; ++i) {
      const float* const at = from + i / 2 * step;
      const auto& of = parts[i % 2];
      for (std::size_t s = 0; s < step; ++s) {
        float sum = of[0] * at[s];
        for (std::size_t n = 1; n < Expansion<margin>::width; ++n)
          sum += of[n] * at[n * step + s];
        to[i * step + s] = sum;
      }
    }
  };
  for (std::size_t row = 0; row < row_count; ++row) {
    std::size_t first = static_cast<std::size_t>(place[0]), rest = row;
    for (std::size_t axis = 1; axis < D; ++axis) {
      first += (static_cast<std::size_t>(place[axis]) + rest % window) *
               padded_stride<D, margin>(static_cast<int>(axis));
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
  expand_all<D>(by_lines, coarse, place, own, values);
}

template <int D>
void interpolate_cubic(const float* coarse, const Cell<D>& place, std::size_t own,
                       std::array<float, tile_size<D>>& values) noexcept {
  expand_all<D>(by_cubics, coarse, place, own, values);
}

template void coarsen<2>(const std::array<Along, 2>&, float*) noexcept;
template void coarsen<3>(const std::array<Along, 3>&, float*) noexcept;
template void interpolate<2>(const float*, const Cell<2>&, std::size_t,
                             std::array<float, tile_size<2>>&) noexcept;
template void interpolate<3>(const float*, const Cell<3>&, std::size_t,
                             std::array<float, tile_size<3>>&) noexcept;
template void interpolate_cubic<2>(const float*, const Cell<2>&, std::size_t,
                                   std::array<float, tile_size<2>>&) noexcept;
template void interpolate_cubic<3>(const float*, const Cell<3>&, std::size_t,
                                   std::array<float, tile_size<3>>&) noexcept;

}  // namespace sluice::fluid::grid
