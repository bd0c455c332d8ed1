// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/pressure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/pressure/fast_poisson.h"
#include "solver/fluid/pressure/incomplete_cholesky.h"
#include "solver/fluid/pressure/jacobi.h"
#include "solver/fluid/pressure/multigrid.h"
#include "solver/fluid/pressure/uniform_box.h"
#include "solver/parallel/parallel_for.h"
#include "solver/simd/eight_doubles.h"

namespace sluice::fluid::grid {

using namespace simd;

namespace {

constexpr std::int64_t pressure_grain = 8;  // Tiles.

// [cells] Liquid is at least so deep around the middle of its cell. It is the distance that has a
// least value and not the way along an axis: one that is raised along gravity but not aside of it
// says that liquid is higher than it is, and the surface next to that takes the difference for a
// cliff. Still water whose level was at the middles of cells, where rounding decides what is
// liquid, had 3 mm/s after a second in an empty tank, and a film of half a cell 12 mm/s; now they
// have 0.04 and 0.4.
constexpr float least_depth = 1e-3F;

// A density that is off by more than this part of the density at rest is not made good at once.
constexpr float most_excess = 0.5F;

// Cells that evening out moves particles by, at most, in a substep. [cells]
constexpr float most_way = 0.25F;

// Prime factors of a number of cells: transforms of larger ones gain little on multigrid. There and
// back, lines of 512 x 512 cells take 0.2 ms, of 509 x 509 cells 8 ms, and a solve by multigrid 15.
constexpr std::size_t most_factor = 127;

constexpr double evening_tolerance = 0.05;
constexpr int most_evening_iterations = 10;

// The part of the way to the next cell's middle, in air, that is in liquid.
float way_to_surface(float liquid, float air) {
  const float inside = std::min(liquid, -least_depth);
  return inside / (inside - air);
}

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
bool is_uniform(const MacGrid<D>& grid, std::size_t tile) {
  if (grid.is_clear[tile] == 0 || grid.is_full[tile] == 0) return false;
  if (!grid.is_pure.empty() && grid.is_pure[tile] == 0) return false;
  for (std::size_t side = 0; side < side_count<D>; ++side) {
    const std::size_t next = grid.tiles.neighbours(tile)[side];
    if (next == grid.tiles.count() || !is_liquid_next_to(grid, next, side)) return false;
  }
  return true;
}

template <int D>
PoissonSystem<D> make_system(const MacGrid<D>& grid) {
  return PoissonSystem<D>(grid.tiles, 1.0F, [&](std::size_t tile, Couplings<D>& couplings) {
    if (is_uniform(grid, tile)) return TileKind::uniform;
    const float* const in_tile = grid.distance.data() + tile * tile_size<D>;
    if (std::none_of(in_tile, in_tile + tile_size<D>, [](float d) { return d < 0; }))
      return TileKind::empty;
    const Surroundings<D> around(grid.tiles, tile);
    std::array<float, padded_size<D>> distance;
    around.load(grid.distance.data(), distance.data());
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
        if (!(distance[here] < 0)) continue;
        for (std::size_t side = 0; side < 2; ++side) {
          const float weight = open[side == 0 ? here : here + padded_stride<D>(axis)];
          const float other =
              distance[side == 0 ? here - padded_stride<D>(axis) : here + padded_stride<D>(axis)];
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

// Minus what flows out of each cell of liquid.
template <int D>
void find_divergence(const MacGrid<D>& grid, const PoissonSystem<D>& system,
                     Array<double>& divergence) {
  divergence.resize(grid.tiles.array_size());
  const bool moves = !grid.solid_flow[0].empty();
  const std::span<const std::uint32_t> tiles = system.solved_tiles();
  parallel::parallel_for(
      0, static_cast<std::int64_t>(tiles.size()), pressure_grain,
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

// Adds what comes in by emitters, as far as there is room for it.
template <int D>
void add_inflow(const PoissonSystem<D>& system, const NullSpace<D>& null_space,
                std::span<float> inflow, Array<double>& source) {
  if (inflow.empty()) return;
  null_space.fit(source, inflow);
  for (const std::uint32_t tile : system.solved_tiles()) {
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const std::size_t index = tile * tile_size<D> + cell;
      if (inflow[index] > 0 && system.is_unknown(tile, cell))
        source[index] += static_cast<double>(inflow[index]);
    }
  }
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

// Takes `scale` times the difference of `potential` across them, at most `most` of that, times
// their lightness, off the velocities of all open faces next to liquid: the difference to the
// surface, where it is 0, of those between liquid and air.
template <int D>
void subtract_gradient(const PoissonSystem<D>& system, const Array<float>& potential, float scale,
                       float most, MacGrid<D>& grid) {
  const auto change = [&](float difference) {
    return scale * std::min(std::max(difference, -most), most);
  };
  parallel::parallel_for(
      0, static_cast<std::int64_t>(grid.tiles.count()), pressure_grain,
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
void to_floats(const Tiles<D>& tiles, const Array<double>& values, Array<float>& floats) {
  floats.resize(tiles.array_size());
  constexpr auto size = static_cast<std::int64_t>(tile_size<D>);
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles.array_size()), pressure_grain * size,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto i = static_cast<std::size_t>(begin);
                                i < static_cast<std::size_t>(end); ++i)
                             floats[i] = static_cast<float>(values[i]);
                         });
}

// Solids' velocities on closed faces.
template <int D>
void close_faces(MacGrid<D>& grid) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    parallel::parallel_for(
        0, static_cast<std::int64_t>(grid.tiles.count()), pressure_grain,
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

// The excess that is made good where a density is above that at rest by `over`, in a cell to which
// an obstacle leaves `room`: no excess that may come of where the obstacle cuts the lattice of
// particles, which are `spacing` cells apart, and no particle is drawn in. Both lifted water at
// rest and set it in motion: 2 to 100 mm/s in RandomRest, and at the edge of a plate particles were
// drawn into one point until the level had sunk by 10 %.
float to_make_good(float over, float room, float spacing) {
  return std::max(0.0F, over - spacing / 2 / room);
}

// How much too dense each cell is; inside, also how much too thin. At a surface a low density says
// where that is.
template <int D>
void find_excess(const MacGrid<D>& grid, const PoissonSystem<D>& system, float spacing,
                 Array<double>& excess) {
  excess.assign(grid.tiles.array_size(), 0);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(grid.tiles.count()), pressure_grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<float, padded_size<D>> distance;
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          Surroundings<D>(grid.tiles, tile).load(grid.distance.data(), distance.data());
          for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
            const std::size_t index = tile * tile_size<D> + cell;
            if (!system.is_unknown(tile, cell) || !(grid.room[index] > least_room)) continue;
            const float density = grid.density[index] / grid.room[index];
            const std::size_t here = padded_index<D>(local_cell<D>(cell));
            bool is_inside = true;
            for (int axis = 0; axis < D; ++axis) {
              is_inside = is_inside && distance[here - padded_stride<D>(axis)] < 0 &&
                          distance[here + padded_stride<D>(axis)] < 0;
            }
            const float over = is_cut(grid, index)
                                   ? to_make_good(density - 1, grid.room[index], spacing)
                                   : density - 1;
            const float least = is_inside ? -most_excess : 0.0F;
            // The part of a cell that solids take up takes nothing in.
            excess[index] =
                static_cast<double>(grid.room[index] * std::clamp(over, least, most_excess));
          }
        }
      });
}

// Whether its transforms are worth it: those along x are none.
template <int D>
bool is_fast(const UniformBox<D>& box) {
  for (std::size_t axis = 1; axis < D; ++axis) {
    if (largest_factor(static_cast<std::size_t>(box.count[axis])) > most_factor) return false;
  }
  return true;
}

// Where a fast solver will not do, multigrid does.
template <int D>
std::unique_ptr<Preconditioner> make_preconditioner(scene::Preconditioner kind,
                                                    const PoissonSystem<D>& system,
                                                    const Immersed<D>* solids) {
  const bool has_solids = solids != nullptr && !solids->is_empty();
  switch (kind) {
    case scene::Preconditioner::automatic:
    case scene::Preconditioner::fast_poisson:
      if (const auto box = has_solids ? std::nullopt : find_uniform_box(system)) {
        if (kind == scene::Preconditioner::fast_poisson || is_fast(*box))
          return std::make_unique<FastPoisson<D>>(system, *box);
      }
      break;
    case scene::Preconditioner::incomplete_cholesky:
      return std::make_unique<IncompleteCholesky<D>>(system);
    case scene::Preconditioner::jacobi:
      return std::make_unique<Jacobi<D>>(system);
    case scene::Preconditioner::multigrid:
      break;
  }
  if (solids == nullptr) return std::make_unique<Multigrid<D>>(system);
  return std::make_unique<Multigrid<D>>(system, solids->rigid_ties());
}

}  // namespace

template <int D>
SolveReport PressureSolver<D>::project(const scene::PressureSettings& settings, MacGrid<D>& grid,
                                       Immersed<D>* solids) {
  preconditioner_.reset();
  null_space_.reset();
  system_ = std::make_unique<PoissonSystem<D>>(make_system(grid));
  has_ties_ = solids != nullptr && !solids->is_empty();
  if (solids != nullptr) solids->tie(*system_);
  preconditioner_ = make_preconditioner<D>(settings.preconditioner, *system_, solids);
  if (has_ties_) {
    null_space_ = std::make_unique<NullSpace<D>>(*system_, solids->tied_cells());
  } else {
    null_space_ = std::make_unique<NullSpace<D>>(*system_);
  }
  return project_as_before(settings, grid, solids);
}

template <int D>
SolveReport PressureSolver<D>::project_as_before(const scene::PressureSettings& settings,
                                                 MacGrid<D>& grid, Immersed<D>* solids) {
  const SolveReport report = solve(settings, grid, solids);
  to_floats(grid.tiles, solution_, grid.pressure);
  subtract_gradient(*system_, grid.pressure, 1, std::numeric_limits<float>::infinity(), grid);
  close_faces(grid);
  return report;
}

template <int D>
SolveReport PressureSolver<D>::project_again(const scene::PressureSettings& settings,
                                             MacGrid<D>& grid, Immersed<D>* solids) {
  const SolveReport report = solve(settings, grid, solids);
  to_floats(grid.tiles, solution_, change_);
  for (std::size_t cell = 0; cell < change_.size(); ++cell)
    grid.pressure[cell] += change_[cell];
  subtract_gradient(*system_, change_, 1, std::numeric_limits<float>::infinity(), grid);
  close_faces(grid);
  return report;
}

template <int D>
SolveReport PressureSolver<D>::solve(const scene::PressureSettings& settings, MacGrid<D>& grid,
                                     Immersed<D>* solids) {
  find_divergence(grid, *system_, source_);
  solution_.resize(grid.tiles.array_size());
  if (has_ties_) solids->add_inflow(source_);
  add_inflow(*system_, *null_space_, inflow_, source_);
  null_space_->remove(source_);
  if (!has_ties_) {
    return solver_.solve(*system_, *preconditioner_, source_, settings.tolerance,
                         settings.max_iterations, solution_);
  }
  const SolveReport report =
      coupled_solver_.solve(CoupledSystem<D>(*system_, *solids), *preconditioner_, source_,
                            settings.tolerance, settings.max_iterations, solution_);
  solids->accelerate(solution_, grid);
  return report;
}

template <int D>
void PressureSolver<D>::even_out(float part, float h, float cell_size, float spacing,
                                 MacGrid<D>& grid) {
  find_excess(grid, *system_, spacing, source_);
  // The null space is that of the liquid alone: nothing here moves solids.
  if (has_ties_) {
    NullSpace<D>(*system_).remove(source_);
  } else {
    null_space_->remove(source_);
  }
  solver_.solve(*system_, *preconditioner_, source_, evening_tolerance, most_evening_iterations,
                solution_);
  to_floats(grid.tiles, solution_, change_);
  // Ways in cells to velocities.
  subtract_gradient(*system_, change_, part * cell_size / h, most_way, grid);
}

template class PressureSolver<2>;
template class PressureSolver<3>;

}  // namespace sluice::fluid::grid
