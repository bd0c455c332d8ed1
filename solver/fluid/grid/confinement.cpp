// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/grid/confinement.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/grid/padded.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t grain = 8;  // Tiles.

// [m/s a cell, a cell] Gradients below have no direction to speak of.
constexpr float least_gradient = 1e-12F;

}  // namespace

template <int D>
void Confinement<D>::apply(float strength, float h,
                           const typename MacGrid<D>::template Faces<std::uint8_t>& live_faces,
                           const Array<std::uint8_t>& live_cells, MacGrid<D>& grid) {
  find_vorticity(live_cells, grid);
  // Vorticities in m/s a cell: the factor dx is in them.
  find_force(strength * h, live_cells, grid.tiles);
  parallel::parallel_for(0, static_cast<std::int64_t>(grid.tiles.count()), grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           std::array<float, padded_size<D>> force;
                           for (auto tile = static_cast<std::size_t>(begin);
                                tile < static_cast<std::size_t>(end); ++tile) {
                             const Surroundings<D> around(grid.tiles, tile);
                             for (int axis = 0; axis < D; ++axis) {
                               const auto a = static_cast<std::size_t>(axis);
                               around.load(force_[a].data(), force.data());
                               for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
                                 const std::size_t face = tile * tile_size<D> + cell;
                                 if (live_faces[a][face] == 0) continue;
                                 const std::size_t here = padded_index<D>(local_cell<D>(cell));
                                 grid.velocity[a][face] +=
                                     0.5F * (force[here] + force[here - padded_stride<D>(axis)]);
                               }
                             }
                           }
                         });
}

// At cells' middles, from velocities averaged there of the cells next to them.
template <int D>
void Confinement<D>::find_vorticity(const Array<std::uint8_t>& live_cells, const MacGrid<D>& grid) {
  for (Array<float>& component : vorticity_)
    component.assign(grid.tiles.array_size(), 0);
  magnitude_.assign(grid.tiles.array_size(), 0);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(grid.tiles.count()), grain,
      [&](std::int64_t begin, std::int64_t end) {
        constexpr std::size_t margin = 2;  // The upper face of the cell after.
        std::array<std::array<float, padded_size<D, margin>>, D> velocity;
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          const Surroundings<D> around(grid.tiles, tile);
          for (std::size_t axis = 0; axis < D; ++axis)
            around.template load<margin>(grid.velocity[axis].data(), velocity[axis].data());
          for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
            const std::size_t index = tile * tile_size<D> + cell;
            if (live_cells[index] == 0) continue;
            const Cell<D> local = local_cell<D>(cell);
            std::size_t here = 0;
            for (int axis = D - 1; axis >= 0; --axis) {
              const auto place = static_cast<std::size_t>(local[static_cast<std::size_t>(axis)]);
              here += (place + margin) * padded_stride<D, margin>(axis);
            }
            // Of the component `of`, along another axis.
            const auto slope = [&](int of, int along) {
              const std::size_t upper = padded_stride<D, margin>(of);
              const std::size_t step = padded_stride<D, margin>(along);
              const auto& v = velocity[static_cast<std::size_t>(of)];
              return 0.25F * (v[here + step] + v[here + step + upper] - v[here - step] -
                              v[here - step + upper]);
            };
            float squared = 0;
            for (std::size_t turn = 0; turn < turns; ++turn) {
              const int i = D == 3 ? static_cast<int>(turn + 1) % 3 : 0;
              const int j = D == 3 ? static_cast<int>(turn + 2) % 3 : 1;
              const float omega = slope(j, i) - slope(i, j);
              vorticity_[turn][index] = omega;
              squared += omega * omega;
            }
            magnitude_[index] = std::sqrt(squared);
          }
        }
      });
}

template <int D>
void Confinement<D>::find_force(float factor, const Array<std::uint8_t>& live_cells,
                                const Tiles<D>& tiles) {
  for (Array<float>& component : force_)
    component.assign(tiles.array_size(), 0);
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles.count()), grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           std::array<float, padded_size<D>> magnitude;
                           for (auto tile = static_cast<std::size_t>(begin);
                                tile < static_cast<std::size_t>(end); ++tile) {
                             Surroundings<D>(tiles, tile).load(magnitude_.data(), magnitude.data());
                             for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
                               const std::size_t index = tile * tile_size<D> + cell;
                               if (live_cells[index] == 0) continue;
                               const std::size_t here = padded_index<D>(local_cell<D>(cell));
                               std::array<float, D> n;
                               float squared = 0;
                               for (int axis = 0; axis < D; ++axis) {
                                 const std::size_t step = padded_stride<D>(axis);
                                 float& slope = n[static_cast<std::size_t>(axis)];
                                 slope = 0.5F * (magnitude[here + step] - magnitude[here - step]);
                                 squared += slope * slope;
                               }
                               const float scale = factor / (std::sqrt(squared) + least_gradient);
                               if constexpr (D == 3) {
                                 for (std::size_t axis = 0; axis < 3; ++axis) {
                                   const std::size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
                                   force_[axis][index] = scale * (n[i] * vorticity_[j][index] -
                                                                  n[j] * vorticity_[i][index]);
                                 }
                               } else {
                                 force_[0][index] = scale * n[1] * vorticity_[0][index];
                                 force_[1][index] = -scale * n[0] * vorticity_[0][index];
                               }
                             }
                           }
                         });
}

template class Confinement<2>;
template class Confinement<3>;

}  // namespace sluice::fluid::grid
