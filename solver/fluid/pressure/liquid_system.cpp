// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/liquid_system.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/parallel_for.h"
#include "solver/simd/eight_doubles.h"

namespace sluice::fluid::grid {

using namespace simd;

namespace {

constexpr std::int64_t liquid_system_grain = 8;  // Tiles.

// [cells] Liquid is at least so deep around the middle of its cell. It is the distance that has a
// least value and not the way along an axis: one that is raised along gravity but not aside of it
// says that liquid is higher than it is, and the surface next to that takes the difference for a
// cliff. Still water whose level was at the middles of cells, where rounding decides what is
// liquid, had 3 mm/s after a second in an empty tank, and a film of half a cell 12 mm/s; now they
// have 0.04 and 0.4.
constexpr float least_depth = 1e-3F;

// Whether the cells of a tile that are next to one on its `side` are all liquid.
template <int D>
bool is_liquid_next_to(const MacGrid<D>& grid, std::size_t tile, std::size_t side) {
  if (grid.is_full[tile] != 0) return true;
  const float* const distance = grid.distance.data() + tile * tile_size<D>;
  const std::int32_t layer = side % 2 == 0 ? tile_edge<D> - 1 : 0;
  for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
    if (local_cell<D>(cell)[side / 2] == layer && !(distance[cell] < 0)) return false;
  }
  return true;
}

template <int D>
bool has_interior(const MacGrid<D>& grid, std::size_t tile) {
  return !grid.has_interior.empty() && grid.has_interior[tile] != 0;
}

template <int D>
bool is_uniform(const MacGrid<D>& grid, std::size_t tile) {
  if (has_interior(grid, tile)) return false;
  if (grid.is_clear[tile] == 0 || grid.is_full[tile] == 0) return false;
  if (!grid.is_pure.empty() && grid.is_pure[tile] == 0) return false;
  for (std::size_t side = 0; side < side_count<D>; ++side) {
    const std::size_t next = grid.tiles.neighbours(tile)[side];
    if (next == grid.tiles.count() || !is_liquid_next_to(grid, next, side) ||
        has_interior(grid, next))
      return false;
  }
  return true;
}

// The cells in and around a tile that are the interior's; 0 where there is none.
template <int D>
class InteriorAround {
 public:
  InteriorAround(const MacGrid<D>& grid, const Surroundings<D>& around) {
    if (grid.is_interior.empty()) {
      is_in_.fill(0);
    } else {
      around.load(grid.is_interior.data(), is_in_.data());
    }
  }
  [[nodiscard]] bool has(std::size_t padded) const { return is_in_[padded] != 0; }

 private:
  std::array<std::uint8_t, padded_size<D>> is_in_;
};

// Minus what flows out of each cell of a tile whose cells' faces are all open.
template <int D>
void find_open_divergence(const MacGrid<D>& grid, std::size_t tile, double* out) {
  std::array<Double8, tile_size<D> / 8> inflow;
  for (std::size_t axis = 0; axis < D; ++axis) {
    const TileView<D> around(grid.tiles, grid.velocity[axis].data(), tile);
    for (std::size_t i = 0; i < inflow.size(); ++i)
      inflow[i] =
          inflow[i] + (Double8(around.here(8 * i)) - Double8(around.next(8 * i)[2 * axis + 1]));
  }
  std::memcpy(out, inflow.data(), sizeof inflow);
}

// The same as subtract_gradient(), for a tile with liquid all around.
template <int D>
void subtract_open_gradient(const Array<float>& potential, std::size_t tile, float scale,
                            float most, MacGrid<D>& grid) {
  const TileView<D> around(grid.tiles, potential.data(), tile);
  for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
    const Float8 here = around.here(cell);
    const auto next = around.next(cell);
    for (std::size_t axis = 0; axis < D; ++axis) {
      const Float8 difference = here - next[2 * axis];
      const Float8 above = difference > -most ? difference : Float8{} - most;
      const Float8 change = scale * (above < most ? above : Float8{} + most);
      float* const velocity = grid.velocity[axis].data() + tile * tile_size<D> + cell;
      store8(velocity, load8(velocity) - change);
    }
  }
}

// Whether a face of a tile without unknowns may be next to one: those on lower sides of its cells.
template <int D>
bool touches_unknowns(const PoissonSystem<D>& system, std::size_t tile) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    const std::size_t before = system.tiles().neighbours(tile)[2 * axis];
    if (before != system.tiles().count() && !system.is_empty(before)) return true;
  }
  return false;
}

}  // namespace

float way_to_surface(float liquid, float air) {
  const float inside = std::min(liquid, -least_depth);
  return inside / (inside - air);
}

template <int D>
PoissonSystem<D> liquid_system(const MacGrid<D>& grid) {
  return PoissonSystem<D>(grid.tiles, 1.0F, [&](std::size_t tile, Couplings<D>& couplings) {
    if (is_uniform(grid, tile)) return TileKind::uniform;
    const float* const in_tile = grid.distance.data() + tile * tile_size<D>;
    if (std::none_of(in_tile, in_tile + tile_size<D>, [](float d) { return d < 0; }))
      return TileKind::empty;
    const Surroundings<D> around(grid.tiles, tile);
    std::array<float, padded_size<D>> distance;
    around.load(grid.distance.data(), distance.data());
    const InteriorAround<D> interior(grid, around);
    std::array<float, padded_size<D>> open, lightness;
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      around.load(grid.open[a].data(), open.data());
      if (!grid.lightness[a].empty()) {
        around.load(grid.lightness[a].data(), lightness.data());
        for (std::size_t face = 0; face < padded_size<D>; ++face)
          open[face] *= lightness[face];
      }
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        const std::size_t here = padded_index<D>(local_cell<D>(cell));
        if (!(distance[here] < 0) || interior.has(here)) continue;
        for (std::size_t side = 0; side < 2; ++side) {
          const float weight = open[side == 0 ? here : here + padded_stride<D>(axis)];
          const std::size_t next =
              side == 0 ? here - padded_stride<D>(axis) : here + padded_stride<D>(axis);
          if (interior.has(next)) continue;
          const float other = distance[next];
          if (other < 0) {
            couplings.next[2 * a + side][cell] = weight;
          } else {
            couplings.fixed[cell] += weight / way_to_surface(distance[here], other);
          }
        }
      }
    }
    return TileKind::general;
  });
}

template <int D>
void find_divergence(const MacGrid<D>& grid, const PoissonSystem<D>& system,
                     Array<double>& divergence) {
  divergence.resize(grid.tiles.array_size());
  const bool moves = !grid.solid_flow[0].empty();
  const std::span<const std::uint32_t> tiles = system.solved_tiles();
  parallel::parallel_for(
      0, static_cast<std::int64_t>(tiles.size()), liquid_system_grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<float, padded_size<D>> velocity, open, solid;
        std::array<double, padded_size<D>> flow;
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          const std::size_t tile = tiles[t];
          double* const out = divergence.data() + tile * tile_size<D>;
          if (system.general(tile) == nullptr) {
            find_open_divergence(grid, tile, out);
            continue;
          }
          std::fill_n(out, tile_size<D>, 0.0);
          const Surroundings<D> around(grid.tiles, tile);
          for (int axis = 0; axis < D; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            around.load(grid.velocity[a].data(), velocity.data());
            around.load(grid.open[a].data(), open.data());
            for (std::size_t face = 0; face < padded_size<D>; ++face)
              flow[face] = static_cast<double>(open[face]) * static_cast<double>(velocity[face]);
            if (moves) {
              around.load(grid.solid_flow[a].data(), solid.data());
              for (std::size_t face = 0; face < padded_size<D>; ++face)
                flow[face] += static_cast<double>(solid[face]);
            }
            for (std::size_t row = 0; row < tile_size<D>; row += tile_edge<D>) {
              const double* const here = flow.data() + padded_index<D>(local_cell<D>(row));
              for (std::size_t i = 0; i < tile_edge<D>; ++i)
                out[row + i] += here[i] - here[i + padded_stride<D>(axis)];
            }
          }
          for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
            if (!system.is_unknown(tile, cell)) out[cell] = 0;
          }
        }
      });
}

template <int D>
void subtract_gradient(const PoissonSystem<D>& system, const Array<float>& potential, float scale,
                       float most, MacGrid<D>& grid) {
  const auto change = [&](float difference) {
    return scale * std::min(std::max(difference, -most), most);
  };
  parallel::parallel_for(
      0, static_cast<std::int64_t>(grid.tiles.count()), liquid_system_grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<float, padded_size<D>> distance, value;
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          if (system.general(tile) == nullptr) {
            subtract_open_gradient(potential, tile, scale, most, grid);
            continue;
          }
          if (system.is_empty(tile) && !touches_unknowns(system, tile)) continue;
          const Surroundings<D> around(grid.tiles, tile);
          around.load(potential.data(), value.data());
          around.load(grid.distance.data(), distance.data());
          const InteriorAround<D> interior(grid, around);
          for (int axis = 0; axis < D; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            float* const velocity = grid.velocity[a].data() + tile * tile_size<D>;
            const float* const open = grid.open[a].data() + tile * tile_size<D>;
            const float* const lightness = grid.lightness[a].empty()
                                               ? nullptr
                                               : grid.lightness[a].data() + tile * tile_size<D>;
            for (std::size_t row = 0; row < tile_size<D>; row += tile_edge<D>) {
              const std::size_t first = padded_index<D>(local_cell<D>(row));
              for (std::size_t i = 0; i < tile_edge<D>; ++i) {
                if (!(open[row + i] > 0)) continue;
                const float times = lightness == nullptr ? 1 : lightness[row + i];
                const std::size_t here = first + i, before = here - padded_stride<D>(axis);
                if (interior.has(here) || interior.has(before)) continue;
                const bool is_liquid = distance[here] < 0, was_liquid = distance[before] < 0;
                if (is_liquid && was_liquid) {
                  velocity[row + i] -= times * change(value[here] - value[before]);
                } else if (is_liquid) {
                  velocity[row + i] -=
                      times *
                      change(value[here] / way_to_surface(distance[here], distance[before]));
                } else if (was_liquid) {
                  velocity[row + i] +=
                      times *
                      change(value[before] / way_to_surface(distance[before], distance[here]));
                }
              }
            }
          }
        }
      });
}

template <int D>
void close_faces(MacGrid<D>& grid) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    parallel::parallel_for(
        0, static_cast<std::int64_t>(grid.tiles.count()), liquid_system_grain,
        [&](std::int64_t begin, std::int64_t end) {
          for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
               ++tile) {
            if (grid.is_clear[tile] != 0) continue;
            for (std::size_t face = tile * tile_size<D>; face < (tile + 1) * tile_size<D>; ++face) {
              if (grid.open[axis][face] > 0) continue;
              grid.velocity[axis][face] =
                  grid.solid_flow[axis].empty() ? 0.0F : grid.solid_flow[axis][face];
            }
          }
        });
  }
}

template PoissonSystem<2> liquid_system<2>(const MacGrid<2>&);
template PoissonSystem<3> liquid_system<3>(const MacGrid<3>&);
template void find_divergence<2>(const MacGrid<2>&, const PoissonSystem<2>&, Array<double>&);
template void find_divergence<3>(const MacGrid<3>&, const PoissonSystem<3>&, Array<double>&);
template void subtract_gradient<2>(const PoissonSystem<2>&, const Array<float>&, float, float,
                                   MacGrid<2>&);
template void subtract_gradient<3>(const PoissonSystem<3>&, const Array<float>&, float, float,
                                   MacGrid<3>&);
template void close_faces<2>(MacGrid<2>&);
template void close_faces<3>(MacGrid<3>&);

}  // namespace sluice::fluid::grid
