// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/diffusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t diffusion_grain = 8;  // Tiles.

// [cells] Nearer, the drag of a surface, one over this, would only make the system harder to solve.
constexpr float least_way = 0.02F;

}  // namespace

template <int D>
SolveReport Diffusion<D>::apply(float number, const scene::PressureSettings& settings,
                                const SolidFaces<D>& solids, ElasticInGas<D>* elastic,
                                const typename MacGrid<D>::template Faces<std::uint8_t>& live,
                                bool has_changed, MacGrid<D>& grid) {
  if (has_changed || number != number_) components_ = {};
  number_ = number;
  SolveReport report{0, 0, true};
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (components_[a] == nullptr)
      components_[a] = make_component(solids, elastic, live[a], grid, axis);
    const Component& component = *components_[a];
    const SolveReport of_axis = solve(*components_[a], settings, grid.tiles, grid.velocity[a]);
    if (!component.held.empty()) give_back(component, axis, grid, *elastic);
    report.iterations += of_axis.iterations;
    report.residual = std::max(report.residual, of_axis.residual);
    report.converged = report.converged && of_axis.converged;
  }
  return report;
}

// The live faces that elastic solids hold back.
template <int D>
auto Diffusion<D>::find_held(const ElasticInGas<D>* elastic, const Array<std::uint8_t>& live,
                             const Tiles<D>& tiles, int axis) const -> std::vector<Held> {
  std::vector<Held> held;
  if (elastic == nullptr || elastic->is_empty()) return held;
  for (const Cell<D>& face : elastic->faces_near(axis)) {
    const std::size_t index = tiles.find_cell(face);
    if (live[index] == 0) continue;
    if (const auto by = elastic->find_meeting(face, axis)) held.push_back({index, *by, 0});
  }
  return held;
}

template <int D>
auto Diffusion<D>::make_component(const SolidFaces<D>& solids, const ElasticInGas<D>* elastic,
                                  const Array<std::uint8_t>& live, const MacGrid<D>& grid,
                                  int axis) const -> std::unique_ptr<Component> {
  const Tiles<D>& tiles = grid.tiles;
  Array<float> driven(tiles.array_size(), 0);
  // [cells] from obstacles that the flow sticks to, and their velocities.
  Array<float> away(tiles.array_size(), 0), dragging(tiles.array_size(), 0);
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles.count()), diffusion_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::size_t face = static_cast<std::size_t>(begin) * tile_size<D>;
                                face < static_cast<std::size_t>(end) * tile_size<D>; ++face) {
                             away[face] = solids.distance_to_sticky(
                                 face / tile_size<D>, tiles.cell(face), axis, dragging[face]);
                           }
                         });
  std::vector<Held> held = find_held(elastic, live, tiles, axis);
  Array<std::uint32_t> holder(tiles.array_size(), 0);  // By face: 1 + its place there; 0 for none.
  for (std::size_t n = 0; n < held.size(); ++n)
    holder[held[n].face] = static_cast<std::uint32_t>(n) + 1;
  PoissonSystem<D> system(tiles, number_, [&](std::size_t tile, Couplings<D>& couplings) {
    const std::size_t first = tile * tile_size<D>;
    if (std::find(live.begin() + static_cast<std::ptrdiff_t>(first),
                  live.begin() + static_cast<std::ptrdiff_t>(first + tile_size<D>),
                  1) == live.begin() + static_cast<std::ptrdiff_t>(first + tile_size<D>)) {
      return TileKind::empty;
    }
    const Surroundings<D> around(tiles, tile);
    std::array<std::uint8_t, padded_size<D>> is_live;
    std::array<float, padded_size<D>> distance;
    around.load(live.data(), is_live.data());
    around.load(away.data(), distance.data());
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const std::size_t here = padded_index<D>(local_cell<D>(cell));
      if (is_live[here] == 0) continue;
      const Cell<D> face = tiles.cell(first + cell);
      const auto drag = [&](const Drag& by) {
        couplings.fixed[cell] += number_ * by.weight;
        driven[first + cell] += number_ * by.weight * by.velocity;
      };
      couplings.fixed[cell] = 1;
      const std::uint32_t place = holder[first + cell];
      Held* const elastic_by = place > 0 ? &held[place - 1] : nullptr;
      const auto hold_by_elastic = [&](float weight) {
        drag({weight, elastic_by->by.velocity});
        elastic_by->weight += weight;
      };
      if (elastic_by != nullptr && elastic_by->by.of_corner > 0)
        hold_by_elastic(std::min(elastic_by->by.of_corner, 1 / least_way));
      for (std::size_t side = 0; side < side_count<D>; ++side) {
        const std::size_t step = padded_stride<D>(static_cast<int>(side / 2));
        const std::size_t next = side % 2 == 0 ? here - step : here + step;
        // [cells] To an obstacle, never further than to the next velocity, which is inside.
        float way = std::numeric_limits<float>::infinity();
        if (!(distance[here] > 0)) {
          way = 0;
        } else if (!(distance[next] > 0)) {
          way = distance[here] / (distance[here] - distance[next]);
        }
        const float to_elastic = elastic_by == nullptr      ? 2.0F
                                 : elastic_by->by.is_inside ? 0.0F
                                                            : elastic_by->by.ways[side];
        if (to_elastic <= 1 && to_elastic < way) {
          hold_by_elastic(1 / std::max(to_elastic, least_way));
        } else if (way <= 1) {
          drag({1 / std::max(way, least_way), dragging[first + cell]});
        } else if (is_live[next] != 0) {
          couplings.next[side][cell] = number_;
        } else {
          drag(solids.drag_of_wall(face, axis, side));
        }
      }
    }
    return TileKind::general;
  });
  return std::make_unique<Component>(std::move(system), std::move(driven), std::move(held));
}

// Gives elastic solids what the flow has lost to them. A face has as much of the gas's momentum as
// it is open: of what a cut face takes over from one that is open, the rest goes to the solid.
template <int D>
void Diffusion<D>::give_back(const Component& component, int axis, const MacGrid<D>& grid,
                             ElasticInGas<D>& elastic) const {
  const Array<float>& velocity = grid.velocity[static_cast<std::size_t>(axis)];
  const Array<float>& open = grid.open[static_cast<std::size_t>(axis)];
  for (const Held& held : component.held) {
    const float here = velocity[held.face], part = open[held.face];
    float lost = part * held.weight * (here - held.by.velocity);
    const auto* const weights = component.system.general(held.face / tile_size<D>);
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      if (!(weights->next(side, held.face % tile_size<D>) > 0)) continue;
      Cell<D> cell = grid.tiles.cell(held.face);
      cell[side / 2] += side % 2 == 0 ? -1 : 1;
      const std::size_t next = grid.tiles.find_cell(cell);
      if (part < open[next]) lost += (open[next] - part) * (velocity[next] - here);
    }
    elastic.drag(held.by.place, axis, static_cast<double>(number_ * lost));
  }
}

// For the change of the velocity, which is what the tolerance is of.
template <int D>
SolveReport Diffusion<D>::solve(Component& component, const scene::PressureSettings& settings,
                                const Tiles<D>& tiles, Array<float>& velocity) {
  const PoissonSystem<D>& system = component.system;
  source_.assign(tiles.array_size(), 0);
  change_.resize(tiles.array_size());
  const std::span<const std::uint32_t> solved = system.solved_tiles();
  parallel::parallel_for(
      0, static_cast<std::int64_t>(solved.size()), diffusion_grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<float, padded_size<D>> around;
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          const std::size_t tile = solved[t];
          Surroundings<D>(tiles, tile).load(velocity.data(), around.data());
          const auto* const weights = system.general(tile);
          for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
            if (!(weights->inverse_diagonal(cell) > 0)) continue;
            const std::size_t here = padded_index<D>(local_cell<D>(cell));
            const auto value = static_cast<double>(around[here]);
            const std::size_t index = tile * tile_size<D> + cell;
            double sum = static_cast<double>(component.driven[index]) -
                         (static_cast<double>(weights->fixed(cell)) - 1) * value;
            for (std::size_t side = 0; side < side_count<D>; ++side) {
              const std::size_t step = padded_stride<D>(static_cast<int>(side / 2));
              const std::size_t next = side % 2 == 0 ? here - step : here + step;
              sum += static_cast<double>(weights->next(side, cell)) *
                     (static_cast<double>(around[next]) - value);
            }
            source_[index] = sum;
          }
        }
      });
  const SolveReport report = solver_.solve(system, component.preconditioner, source_,
                                           settings.tolerance, settings.max_iterations, change_);
  parallel::parallel_for(0, static_cast<std::int64_t>(solved.size()), diffusion_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto t = static_cast<std::size_t>(begin);
                                t < static_cast<std::size_t>(end); ++t) {
                             const std::size_t first = solved[t] * tile_size<D>;
                             for (std::size_t face = first; face < first + tile_size<D>; ++face)
                               velocity[face] += static_cast<float>(change_[face]);
                           }
                         });
  return report;
}

template class Diffusion<2>;
template class Diffusion<3>;

}  // namespace sluice::fluid::grid
