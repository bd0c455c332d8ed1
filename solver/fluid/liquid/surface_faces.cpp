// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/surface_faces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/extrapolation.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/collector.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t surface_faces_grain = 8;  // Tiles.

// [cells] How long a chain of cells with particles is at most: in viscous liquid, and in liquid
// that rests. With one, 20 of 116 scenes as in RandomRest had more than 1 mm/s left after 10 s, and
// 11 with two.
constexpr std::uint8_t dragged_layers = 3, resting_layers = 2;

// [cells] Particles at the surface are among faces of the empty cells around theirs, too.
constexpr int dragged_beyond = 2;

// [of what gravity adds in a substep] Particles rest on the liquid next to them if their velocity
// differs from its velocity by less than `resting`, and fly if by more than `flying`.
constexpr float resting = 3, flying = 4;

// Parts of a cell of liquid without particles that let what is above it hang, and fall.
constexpr float hanging = 0.4F, falling = 0.6F;

// Cells that are not in a chain to the liquid, with particles and without, and faces next to them.
constexpr std::uint8_t is_flying = 254, is_empty = 255;

// By cell: 0 in the liquid, the number of cells to it along a chain of cells with particles,
// `is_flying` or `is_empty`.
template <int D>
class Chains {
 public:
  Chains(const ParticleCells<D>& cells, const MacGrid<D>& grid, std::uint8_t layers)
      : cells_(cells), grid_(grid), layers_(layers) {
    cell_.resize(grid.tiles.array_size());
    for (std::size_t cell = 0; cell < cell_.size(); ++cell)
      cell_[cell] = grid.distance[cell] < 0 ? 0 : is_empty;
    for (const std::size_t tile : cells.occupied) {
      for (std::size_t cell = tile * tile_size<D>; cell < (tile + 1) * tile_size<D>; ++cell) {
        if (cell_[cell] == is_empty && cells.first[cell] < cells.first[cell + 1])
          cell_[cell] = is_flying;
      }
    }
    for (std::uint8_t layer = 1; layer <= layers; ++layer)
      add(layer);
  }

  // Carries the liquid's velocity along `axis` on to the faces of all cells in chains, and of empty
  // ones within `beyond` cells of them. `reached` becomes 1 on those and the liquid's own.
  void carry_on(int axis, int beyond, Array<float>& velocity, Array<std::uint8_t>& reached) {
    const Array<float>& open = grid_.open[static_cast<std::size_t>(axis)];
    face_.resize(cell_.size());
    reached.assign(cell_.size(), 0);
    for_each_tile(grid_.tiles, [&](std::size_t tile) {
      std::array<std::uint8_t, padded_size<D>> cell;
      Surroundings<D>(grid_.tiles, tile).load(cell_.data(), cell.data());
      for (std::size_t i = 0; i < tile_size<D>; ++i) {
        const std::size_t here = padded_index<D>(local_cell<D>(i)), face = tile * tile_size<D> + i;
        face_[face] = std::min(cell[here], cell[here - padded_stride<D>(axis)]);
        reached[face] = face_[face] == 0 && open[face] > 0 ? 1 : 0;
      }
    });
    for (std::uint8_t layer = 1; layer <= layers_; ++layer) {
      extrapolate<D>(grid_.tiles, 1, velocity, reached);
      for (std::size_t face = 0; face < reached.size(); ++face)
        reached[face] = face_[face] <= layer ? reached[face] : 0;
    }
    extrapolate<D>(grid_.tiles, beyond, velocity, reached);
    for (std::size_t face = 0; face < reached.size(); ++face)
      reached[face] = face_[face] == is_flying ? 0 : reached[face];
  }

 private:
  void add(std::uint8_t layer) {
    collector_.collect(
        static_cast<std::int64_t>(cells_.occupied.size()), surface_faces_grain,
        [&](std::int64_t begin, std::int64_t end, std::vector<std::size_t>& found) {
          std::array<std::uint8_t, padded_size<D>> cell;
          for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
            const std::size_t tile = cells_.occupied[t];
            if (grid_.is_full[tile] != 0) continue;
            Surroundings<D>(grid_.tiles, tile).load(cell_.data(), cell.data());
            for (std::size_t i = 0; i < tile_size<D>; ++i) {
              const std::size_t index = tile * tile_size<D> + i;
              const std::size_t here = padded_index<D>(local_cell<D>(i));
              if (cell[here] != is_flying) continue;
              for (int axis = 0; axis < D; ++axis) {
                if (cell[here - padded_stride<D>(axis)] != layer - 1 &&
                    cell[here + padded_stride<D>(axis)] != layer - 1)
                  continue;
                found.push_back(index);
                break;
              }
            }
          }
        },
        found_);
    for (const std::size_t cell : found_)
      cell_[cell] = layer;
  }

  const ParticleCells<D>& cells_;
  const MacGrid<D>& grid_;
  std::uint8_t layers_;
  Array<std::uint8_t> cell_, face_;
  parallel::Collector<std::size_t> collector_;
  std::vector<std::size_t> found_;
};

// How much is missing in the liquid below a face of its skin.
template <int D>
float missing_below(const MacGrid<D>& grid, std::size_t face, std::size_t axis, bool is_up) {
  Cell<D> cell = grid.tiles.cell(face);
  for (int layer = 0; layer <= resting_layers; ++layer) {
    if (layer > 0 || is_up) cell[axis] -= is_up ? 1 : -1;
    const std::size_t below = grid.tiles.find_cell(cell);
    if (grid.distance[below] < 0)
      return grid.room[below] < least_room ? 0 : 1 - grid.density[below] / grid.room[below];
  }
  return 0;
}

float ramp(float value, float low, float high) {
  return std::clamp((value - low) / (high - low), 0.0F, 1.0F);
}

}  // namespace

template <int D>
void find_known(const MacGrid<D>& grid, const typename MacGrid<D>::template Faces<float>& weights,
                KnownFaces<D>& known) {
  for (std::size_t axis = 0; axis < D; ++axis)
    known[axis].assign(grid.tiles.array_size(), 0);
  for_each_tile(grid.tiles, [&](std::size_t tile) {
    std::array<float, padded_size<D>> distance;
    Surroundings<D>(grid.tiles, tile).load(grid.distance.data(), distance.data());
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        const std::size_t face = tile * tile_size<D> + cell;
        const std::size_t here = padded_index<D>(local_cell<D>(cell));
        const bool is_wet = distance[here] < 0 || distance[here - padded_stride<D>(axis)] < 0;
        known[a][face] = grid.open[a][face] > 0 && (is_wet || weights[a][face] > 0) ? 1 : 0;
      }
    }
  });
}

template <int D>
void drag_skin(const ParticleCells<D>& cells, MacGrid<D>& grid, KnownFaces<D>& known) {
  Chains<D> chains(cells, grid, dragged_layers);
  Array<std::uint8_t> reached;
  for (std::size_t axis = 0; axis < D; ++axis) {
    Array<float> of_liquid = grid.velocity[axis];
    chains.carry_on(static_cast<int>(axis), dragged_beyond, of_liquid, reached);
    for (std::size_t face = 0; face < reached.size(); ++face) {
      if (reached[face] == 0) continue;
      grid.velocity[axis][face] = of_liquid[face];
      known[axis][face] = 1;
    }
  }
}

template <int D>
void rest_skin(const ParticleCells<D>& cells, const Vec<D>& fall, const KnownFaces<D>& known,
               MacGrid<D>& grid) {
  if (fall.isZero(0)) return;
  Eigen::Index down = 0;
  fall.cwiseAbs().maxCoeff(&down);
  const auto vertical = static_cast<std::size_t>(down);
  Chains<D> chains(cells, grid, resting_layers);
  Array<std::uint8_t> reached;
  for (std::size_t axis = 0; axis < D; ++axis) {
    Array<float> of_liquid = grid.velocity[axis];
    chains.carry_on(static_cast<int>(axis), 0, of_liquid, reached);
    for (std::size_t face = 0; face < reached.size(); ++face) {
      if (reached[face] == 0 || known[axis][face] == 0) continue;
      float& velocity = grid.velocity[axis][face];
      const float other = velocity - of_liquid[face];
      if (other == 0) continue;
      // Without a jump from the one to the other, which would make much of rounding.
      float own = ramp(std::abs(other) / fall.norm(), resting, flying);
      if (axis == vertical && own < 1) {
        const float missing = missing_below(grid, face, axis, fall[down] < 0);
        own = std::max(own, ramp(missing, hanging, falling));
      }
      velocity = of_liquid[face] + own * other;
    }
  }
}

template void find_known<2>(const MacGrid<2>&, const MacGrid<2>::Faces<float>&, KnownFaces<2>&);
template void find_known<3>(const MacGrid<3>&, const MacGrid<3>::Faces<float>&, KnownFaces<3>&);
template void drag_skin<2>(const ParticleCells<2>&, MacGrid<2>&, KnownFaces<2>&);
template void drag_skin<3>(const ParticleCells<3>&, MacGrid<3>&, KnownFaces<3>&);
template void rest_skin<2>(const ParticleCells<2>&, const Vec<2>&, const KnownFaces<2>&,
                           MacGrid<2>&);
template void rest_skin<3>(const ParticleCells<3>&, const Vec<3>&, const KnownFaces<3>&,
                           MacGrid<3>&);

}  // namespace sluice::fluid::grid
