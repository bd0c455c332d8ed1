// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/viscosity/viscosity.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/pressure/conjugate_gradients_iteration.h"
#include "solver/fluid/viscosity/viscous_multigrid.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t viscosity_grain = 4;  // Tiles.

// The largest eigenvalue of what a system has beside volumes, of full ones: see [Batty2008]'s
// matrix for velocities that change sign from face to face along all axes.
template <int D>
constexpr double largest_eigenvalue = 8 * D;

// Calls body(i, volume, velocity) for each face of a tile: its place in a vector.
template <int D, typename Body>
void for_each_face(const ViscousVolumes<D>& volumes, std::size_t tile, const Body& body) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t cell = tile * tile_size<D>; cell < (tile + 1) * tile_size<D>; ++cell)
      body(axis, cell, axis * volumes.tiles.array_size() + cell, volumes.faces[axis][cell]);
  }
}

// The root of the sum of term(i, volume)^2 over the liquid's faces.
template <int D, typename Term>
double norm(const ViscousSystem<D>& system, const Term& term) {
  const std::span<const std::uint32_t> tiles = system.solved_tiles();
  return std::sqrt(parallel::parallel_reduce(
      0, static_cast<std::int64_t>(tiles.size()), viscosity_grain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          for_each_face(system.volumes(), tiles[t],
                        [&](std::size_t, std::size_t, std::size_t i, float volume) {
                          if (!(volume > 0)) return;
                          const double value = term(i, static_cast<double>(volume));
                          sum += value * value;
                        });
        }
        return sum;
      },
      [](double a, double b) { return a + b; }));
}

// Whether a face that is a solid's has a velocity.
template <int D>
bool any_solid_moves(const ViscousVolumes<D>& volumes, const MacGrid<D>& grid) {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(grid.tiles.count()), viscosity_grain, false,
      [&](std::int64_t begin, std::int64_t end) {
        bool moves = false;
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          if (grid.is_clear[tile] != 0) continue;
          for_each_face(volumes, tile,
                        [&](std::size_t axis, std::size_t cell, std::size_t, float volume) {
                          moves = moves || (volume < 0 && grid.velocity[axis][cell] != 0);
                        });
        }
        return moves;
      },
      [](bool a, bool b) { return a || b; });
}

}  // namespace

template <int D>
SolveReport ViscositySolver<D>::apply(float number, double tolerance, int max_iterations,
                                      MacGrid<D>& grid) {
  if (largest_eigenvalue<D> * static_cast<double>(number) <= tolerance) return {0, 0, true};
  const ViscousSystem<D> system(find_volumes(grid), number);
  const ViscousVolumes<D>& volumes = system.volumes();
  velocity_.resize(system.vector_size());
  for_each_tile<D>(grid.tiles, [&](std::size_t tile) {
    for_each_face(volumes, tile,
                  [&](std::size_t axis, std::size_t cell, std::size_t i, float volume) {
                    velocity_[i] = volume == 0 ? 0.0F : grid.velocity[axis][cell];
                  });
  });
  source_.assign(system.vector_size(), 0);
  change_.resize(system.vector_size());
  // In the place of u the change u - u*, whose residual at 0 is what viscosity does at once.
  system.apply(velocity_, change_);
  for (const std::uint32_t tile : system.solved_tiles()) {
    for_each_face(volumes, tile, [&](std::size_t, std::size_t, std::size_t i, float volume) {
      if (volume > 0)
        source_[i] = static_cast<double>(volume) * static_cast<double>(velocity_[i]) - change_[i];
    });
  }
  const double at_start = norm(system, [&](std::size_t i, double) { return source_[i]; });
  double reference = norm(system, [&](std::size_t i, double volume) {
    return volume * static_cast<double>(velocity_[i]);
  });
  if (any_solid_moves(volumes, grid)) {
    Array<float> of_solids(velocity_);
    for_each_tile<D>(grid.tiles, [&](std::size_t tile) {
      for_each_face(volumes, tile, [&](std::size_t, std::size_t, std::size_t i, float volume) {
        if (volume > 0) of_solids[i] = 0;
      });
    });
    system.apply(of_solids, change_);
    reference = norm(system, [&](std::size_t i, double volume) {
      return volume * static_cast<double>(velocity_[i]) - change_[i];
    });
  }
  if (!(at_start > tolerance * reference)) {
    return {0, reference > 0 ? at_start / reference : 0, at_start <= tolerance * reference};
  }
  const double relative = reference / at_start;
  ViscousMultigrid<D> preconditioner(system);
  SolveReport report =
      solver_.solve(system, preconditioner, source_, tolerance * relative, max_iterations, change_);
  report.residual /= relative;
  for_each_tile<D>(grid.tiles, [&](std::size_t tile) {
    for_each_face(volumes, tile,
                  [&](std::size_t axis, std::size_t cell, std::size_t i, float volume) {
                    if (volume > 0) grid.velocity[axis][cell] += static_cast<float>(change_[i]);
                  });
  });
  return report;
}

template class ConjugateGradients<2, ViscousSystem<2>>;
template class ConjugateGradients<3, ViscousSystem<3>>;
template class ViscositySolver<2>;
template class ViscositySolver<3>;

}  // namespace sluice::fluid::grid
