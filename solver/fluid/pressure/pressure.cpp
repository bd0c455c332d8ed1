// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/pressure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "solver/fluid/pressure/evening.h"
#include "solver/fluid/pressure/fast_poisson.h"
#include "solver/fluid/pressure/incomplete_cholesky.h"
#include "solver/fluid/pressure/jacobi.h"
#include "solver/fluid/pressure/liquid_system.h"
#include "solver/fluid/pressure/multigrid.h"
#include "solver/fluid/pressure/uniform_box.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {

namespace {

constexpr std::int64_t pressure_grain = 8;  // Tiles.

// Prime factors of a number of cells: transforms of larger ones gain little on multigrid. There and
// back, lines of 512 x 512 cells take 0.2 ms, of 509 x 509 cells 8 ms, and a solve by multigrid 15.
constexpr std::size_t most_factor = 127;

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
  system_ = std::make_unique<PoissonSystem<D>>(liquid_system(grid));
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
  find_excess<D>(grid, *system_, spacing, source_);
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
  subtract_gradient(*system_, change_, part * cell_size / h, most_evening_way, grid);
}

template class PressureSolver<2>;
template class PressureSolver<3>;

}  // namespace sluice::fluid::grid
