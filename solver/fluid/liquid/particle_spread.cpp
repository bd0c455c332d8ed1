// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/particle_spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t particle_spread_grain = 4;  // Tiles.

// Pairs that are nearer than this part of the seeds' spacing are moved apart. Balls of that
// diameter, one for each particle, fill 0.38 of the liquid, discs 0.64: far less than the most that
// can be packed without order (0.64, 0.84), so that all of them find a place.
constexpr float least_spacing = 0.9F;

// The part of what a pair lacks of that distance that is made good in a substep, for both of its
// particles together.
constexpr float spread_part = 0.8F;

// How far aside of the line between them the ways of a pair lead, irregularly, times the difference
// of two numbers from -1 to 1. Without that, the layers of a lattice that is drawn out across them
// stay layers, as all that pushes a particle lies in its own.
constexpr float aside = 0.35F;

// [cells] The most that a particle is moved by in a substep.
constexpr float most_way = 0.1F;

// [cells] along an axis, from air to cells whose particles are looked at, at most.
constexpr std::int64_t depth = 2;

// Particles around a cell: their places [cells] from its lower corner, and swirl() there, an array
// for each axis.
template <int D>
struct NearPlaces {
  std::array<std::vector<float>, D> along, swirl;

  void clear() {
    for (std::size_t axis = 0; axis < D; ++axis) {
      along[axis].clear();
      swirl[axis].clear();
    }
  }
};

// Something irregular from -1 to 1 along each axis, but smooth, so that rounding changes it by
// little, and the same in every cell.
template <int D>
std::array<float, D> swirl(const Vec<D>& within) {
  constexpr std::array<int, 3> waves{2, 5, 3};  // In a cell, along the axis itself and the next.
  std::array<float, D> out;
  for (std::size_t axis = 0; axis < D; ++axis) {
    float phase = 0;
    for (std::size_t a = 0; a < D; ++a)
      phase += static_cast<float>(waves[(a + 3 - axis) % 3]) * within[static_cast<int>(a)];
    out[axis] = std::sin(2 * std::numbers::pi_v<float> * phase);
  }
  return out;
}

// Appends those particles of a cell, which is `offset` cells from the one that places count from,
// that are within `least` of that one.
template <int D>
void add_places(const CellFrame<D>& frame, const ParticleCells<D>& cells, std::size_t cell,
                const Cell<D>& offset, float least, const Particles& particles,
                NearPlaces<D>& places) {
  const Cell<D> at = cells.tiles.cell(cell);
  for (std::uint32_t n = cells.first[cell]; n < cells.first[cell + 1]; ++n) {
    Vec<D> X = frame.coordinates(particles.positions[cells.order[n]], at);
    const std::array<float, D> of_place = swirl<D>(X);
    for (std::size_t axis = 0; axis < D; ++axis)
      X[static_cast<int>(axis)] += static_cast<float>(offset[axis]);
    if ((X.array() < -least).any() || (X.array() > 1 + least).any()) continue;
    for (std::size_t axis = 0; axis < D; ++axis) {
      places.along[axis].push_back(X[static_cast<int>(axis)]);
      places.swirl[axis].push_back(of_place[axis]);
    }
  }
}

// [cells] The way that a particle in the cell, at X, has to go from all in `places`. It is one of
// them itself, but pushes itself nowhere.
template <int D>
Vec<D> way_apart(const NearPlaces<D>& places, const Vec<D>& X, float least) {
  constexpr float tiny = 1e-3F;  // Nearer pairs count as this part of `least` apart.
  const std::array<float, D> here = swirl<D>(X);
  std::array<float, D> sum{};
  for (std::size_t n = 0; n < places.along[0].size(); ++n) {
    std::array<float, D> between;
    float squared = 0;
    for (std::size_t axis = 0; axis < D; ++axis) {
      between[axis] = X[static_cast<int>(axis)] - places.along[axis][n];
      squared += between[axis] * between[axis];
    }
    if (squared >= least * least) continue;
    const float distance = std::max(std::sqrt(squared), tiny * least);
    const float lack = least - distance;
    for (std::size_t axis = 0; axis < D; ++axis) {
      const float turned = here[axis] - places.swirl[axis][n];
      sum[axis] += lack * (between[axis] / distance + aside * turned);
    }
  }
  Vec<D> way;
  for (std::size_t axis = 0; axis < D; ++axis)
    way[static_cast<int>(axis)] = 0.5F * spread_part * sum[axis];
  const float length = way.norm();
  return length > most_way ? Vec<D>(most_way / length * way) : way;
}

// Whether a cell has air so near along an axis. Room that solids fill is no air.
template <int D>
bool is_near_surface(const Tiles<D>& tiles, const MacGrid<D>& grid, std::size_t cell) {
  const Cell<D> here = tiles.cell(cell);
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::int64_t way = -depth; way <= depth; ++way) {
      Cell<D> at = here;
      at[axis] += static_cast<typename Cell<D>::value_type>(way);
      const std::size_t other = tiles.find_cell(at);
      if (other < tiles.count() * tile_size<D> && grid.distance[other] >= 0 &&
          grid.room[other] > least_room)
        return true;
    }
  }
  return false;
}

}  // namespace

template <int D>
void spread_particles(const CellFrame<D>& frame, const ParticleCells<D>& cells,
                      const MacGrid<D>& grid, const Screens<D>& screens, float spacing,
                      Particles& particles) {
  const Tiles<D>& tiles = cells.tiles;
  const float least = least_spacing * spacing;
  Array<std::uint8_t> is_seen(tiles.array_size(), 0);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(cells.occupied.size()), particle_spread_grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          const std::size_t first = cells.occupied[t] * tile_size<D>;
          for (std::size_t cell = first; cell < first + tile_size<D>; ++cell) {
            if (cells.first[cell] != cells.first[cell + 1] && screens.near(cell).empty() &&
                is_near_surface<D>(tiles, grid, cell))
              is_seen[cell] = 1;
          }
        }
      });
  const auto is_looked_at = [&](std::size_t cell) {
    return cell < tiles.count() * tile_size<D> && is_seen[cell] != 0;
  };
  parallel::parallel_for(
      0, static_cast<std::int64_t>(cells.occupied.size()), particle_spread_grain,
      [&](std::int64_t begin, std::int64_t end) {
        NearPlaces<D> places;
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          const std::size_t first = cells.occupied[t] * tile_size<D>;
          for (std::size_t cell = first; cell < first + tile_size<D>; ++cell) {
            if (!is_looked_at(cell)) continue;
            const Cell<D> here = tiles.cell(cell);
            places.clear();
            Cell<D> from, to;
            from.fill(-1);
            to.fill(2);
            for_each_in_box<D>(from, to, [&](const Cell<D>& offset) {
              Cell<D> at = here;
              for (std::size_t axis = 0; axis < D; ++axis)
                at[axis] += offset[axis];
              const std::size_t other = tiles.find_cell(at);
              if (is_looked_at(other))
                add_places<D>(frame, cells, other, offset, least, particles, places);
            });
            for (std::uint32_t n = cells.first[cell]; n < cells.first[cell + 1]; ++n) {
              const std::uint32_t i = cells.order[n];
              const Vec<D> X = frame.coordinates(particles.positions[i], here);
              const Vec<D> way = frame.cell_size * way_apart<D>(places, X, least);
              for (int axis = 0; axis < D; ++axis)
                particles.targets[i][world_axis<D>(axis)] += way[axis];
            }
          }
        }
      });
}

template void spread_particles<2>(const CellFrame<2>&, const ParticleCells<2>&, const MacGrid<2>&,
                                  const Screens<2>&, float, Particles&);
template void spread_particles<3>(const CellFrame<3>&, const ParticleCells<3>&, const MacGrid<3>&,
                                  const Screens<3>&, float, Particles&);

}  // namespace sluice::fluid::grid
