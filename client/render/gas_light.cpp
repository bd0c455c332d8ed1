// SPDX-License-Identifier: Apache-2.0
#include "client/render/gas_light.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "client/render/tiles.h"

namespace sluice::render {

std::vector<float> gas_before_light(const CellLattice& lattice, std::span<const float> density,
                                    const Float3& to_light, int thread_count) {
  // Cells that light crosses in a metre, along each axis.
  std::array<float, 3> rate{};
  std::size_t along = 0;  // The axis along which that is most: layers are across it.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    rate[axis] = to_light[static_cast<int>(axis)] / static_cast<float>(lattice.edges[axis]);
    if (std::abs(rate[axis]) > std::abs(rate[along])) {
      along = axis;
    }
  }
  const std::size_t u = (along + 1) % 3;
  const std::size_t v = (along + 2) % 3;
  const float layer = 1 / std::abs(rate[along]);  // Metres of light's way in a layer.
  const std::array<std::ptrdiff_t, 3> strides{
      1, lattice.counts[0], std::ptrdiff_t{lattice.counts[0]} * lattice.counts[1]};
  const int count = lattice.counts[along];
  const int step = rate[along] > 0 ? 1 : -1;

  std::vector<float> gas(density.size());
  // From cell (i, j) of a layer to (i + shift_u, j + shift_v) of the one before.
  const float shift_u = rate[u] * layer;
  const float shift_v = rate[v] * layer;
  const int floor_u = static_cast<int>(std::floor(shift_u));
  const int floor_v = static_cast<int>(std::floor(shift_v));
  const std::array<float, 2> weight_u{1 - (shift_u - static_cast<float>(floor_u)),
                                      shift_u - static_cast<float>(floor_u)};
  const std::array<float, 2> weight_v{1 - (shift_v - static_cast<float>(floor_v)),
                                      shift_v - static_cast<float>(floor_v)};
  for (int n = 0; n < count; ++n) {
    const int k = step > 0 ? count - 1 - n : n;
    for_each_piece(lattice.counts[v], thread_count, [&](int j) {
      for (int i = 0; i < lattice.counts[u]; ++i) {
        const auto cell =
            static_cast<std::size_t>(k * strides[along] + i * strides[u] + j * strides[v]);
        float sum = 0.5F * layer * density[cell];
        for (std::size_t corner = 0; n > 0 && corner < 4; ++corner) {
          const int a = i + floor_u + static_cast<int>(corner & 1U);
          const int b = j + floor_v + static_cast<int>(corner >> 1U);
          if (a < 0 || b < 0 || a >= lattice.counts[u] || b >= lattice.counts[v]) {
            continue;  // Light came in by the side.
          }
          const auto before = static_cast<std::size_t>((k + step) * strides[along] +
                                                       a * strides[u] + b * strides[v]);
          sum += weight_u[corner & 1U] * weight_v[corner >> 1U] *
                 (gas[before] + 0.5F * layer * density[before]);
        }
        gas[cell] = sum;
      }
    });
  }
  return gas;
}

}  // namespace sluice::render
