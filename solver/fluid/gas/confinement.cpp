// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/confinement.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/simd/vectors.h"

namespace sluice::fluid::grid {

using namespace simd;

namespace {

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
  for_each_tile(grid.tiles, [&](std::size_t tile) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      const TileView<D> force(grid.tiles, force_[axis].data(), tile);
      for (std::size_t index = 0; index < tile_size<D>; index += 8) {
        const std::size_t face = tile * tile_size<D> + index;
        const Float8 before = force.next(index)[2 * axis];
        float* const velocity = grid.velocity[axis].data() + face;
        const Float8 pushed = load8(velocity) + 0.5F * (force.here(index) + before);
        store8(velocity, mask8(live_faces[axis].data() + face) ? pushed : load8(velocity));
      }
    }
  });
}

// At cells' middles, from velocities averaged there of the cells next to them.
template <int D>
void Confinement<D>::find_vorticity(const Array<std::uint8_t>& live_cells, const MacGrid<D>& grid) {
  for (Array<float>& component : vorticity_)
    component.resize(grid.tiles.array_size(), 0);
  magnitude_.resize(grid.tiles.array_size(), 0);
  for_each_tile(grid.tiles, [&](std::size_t tile) {
    constexpr std::size_t margin = 2;  // The upper face of the cell after.
    std::array<std::array<float, padded_size<D, margin>>, D> velocity;
    const Surroundings<D> around(grid.tiles, tile);
    for (std::size_t axis = 0; axis < D; ++axis)
      around.template load<margin>(grid.velocity[axis].data(), velocity[axis].data());
    for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
      const std::size_t index = tile * tile_size<D> + cell;
      const Int8 is_live = mask8(live_cells.data() + index);
      const Cell<D> local = local_cell<D>(cell);
      std::size_t here = 0;
      for (int axis = D - 1; axis >= 0; --axis) {
        const auto place = static_cast<std::size_t>(local[static_cast<std::size_t>(axis)]);
        here += (place + margin) * padded_stride<D, margin>(axis);
      }
      // The slope of the component `of` along another axis, per cell.
      const auto slope = [&](int of, int along) {
        const std::size_t upper = padded_stride<D, margin>(of);
        const std::size_t step = padded_stride<D, margin>(along);
        const float* const v = velocity[static_cast<std::size_t>(of)].data() + here;
        return 0.25F * (load8(v + step) + load8(v + step + upper) - load8(v - step) -
                        load8(v + upper - step));
      };
      Float8 squared{};
      for (std::size_t turn = 0; turn < turns; ++turn) {
        const int i = D == 3 ? static_cast<int>(turn + 1) % 3 : 0;
        const int j = D == 3 ? static_cast<int>(turn + 2) % 3 : 1;
        const Float8 omega = slope(j, i) - slope(i, j);
        store8(vorticity_[turn].data() + index, is_live ? omega : Float8{});
        squared += omega * omega;
      }
      store8(magnitude_.data() + index, is_live ? square_root(squared) : Float8{});
    }
  });
}

template <int D>
void Confinement<D>::find_force(float factor, const Array<std::uint8_t>& live_cells,
                                const Tiles<D>& tiles) {
  for (Array<float>& component : force_)
    component.resize(tiles.array_size(), 0);
  for_each_tile(tiles, [&](std::size_t tile) {
    const TileView<D> magnitude(tiles, magnitude_.data(), tile);
    for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
      const std::size_t index = tile * tile_size<D> + cell;
      const Int8 is_live = mask8(live_cells.data() + index);
      const std::array<Float8, side_count<D>> next = magnitude.next(cell);
      std::array<Float8, D> n;
      Float8 squared{};
      for (std::size_t axis = 0; axis < D; ++axis) {
        n[axis] = 0.5F * (next[2 * axis + 1] - next[2 * axis]);
        squared += n[axis] * n[axis];
      }
      const Float8 scale = factor / (square_root(squared) + least_gradient);
      const auto omega = [&](std::size_t turn) { return load8(vorticity_[turn].data() + index); };
      const auto store = [&](std::size_t axis, Float8 force) {
        store8(force_[axis].data() + index, is_live ? force : Float8{});
      };
      if constexpr (D == 3) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const std::size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
          store(axis, scale * (n[i] * omega(j) - n[j] * omega(i)));
        }
      } else {
        store(0, scale * n[1] * omega(0));
        store(1, -scale * n[0] * omega(0));
      }
    }
  });
}

template class Confinement<2>;
template class Confinement<3>;

}  // namespace sluice::fluid::grid
