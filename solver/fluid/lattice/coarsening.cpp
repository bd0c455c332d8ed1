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

template void coarsen<2>(const std::array<Along, 2>&, float*) noexcept;
template void coarsen<3>(const std::array<Along, 3>&, float*) noexcept;

}  // namespace sluice::fluid::grid
