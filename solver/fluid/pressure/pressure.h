// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/fluid/pressure/immersed.h"
#include "solver/fluid/pressure/null_space.h"
#include "solver/fluid/pressure/poisson.h"
#include "solver/fluid/pressure/preconditioner.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::grid {

/// Makes the velocity free of divergence: variational pressure [Batty2007], with a free surface
/// where pressure is 0 by the ghost fluid method [Enright2003].
///
/// With w the open part of a face, u its velocity and u_s that of the solid on it, the pressures p
/// (here times h / (density dx), in m/s) of the liquid's cells solve
///
///     sum over faces, outwards:  w (u - grad p) + (1 - w) u_s = 0.
/// Cells may have a source, which flows out of them. Where there is no room for it, it is cut to
/// what there is room for.
///
/// `solids` in the liquid move as pressure has them move, at once with it: u_s is the velocity that
/// they get (immersed.h).
///
/// The gradient on a face between liquid and air is that to the surface, which is at least
/// `least_depth` of a cell away.
template <int D>
class PressureSolver {
 public:
  PressureSolver() = default;
  PressureSolver(const PressureSolver&) = delete;  // Its members refer to its system.
  PressureSolver& operator=(const PressureSolver&) = delete;

  /// [m/s] Sets the inflow by emitters in each cell from now on, over the area of a face, >= 0;
  /// empty where there is none. project() may cut it, and it must live until the next call.
  void set_inflow(std::span<float> inflow) { inflow_ = inflow; }

  /// Needs all of `grid` but `pressure`, which it sets. Changes the velocity of faces that are open
  /// and next to liquid, and makes that of closed ones the solid's. Liquid that is shut in on all
  /// sides, without room for the fluid or solids that move in, gets what is nearest to a solution.
  /// `solids`, which may be null, have covered the grid.
  SolveReport project(const scene::PressureSettings& settings, MacGrid<D>& grid,
                      Immersed<D>* solids = nullptr);

  /// Repeats project() where nothing of `grid` has changed since but velocities.
  SolveReport project_as_before(const scene::PressureSettings& settings, MacGrid<D>& grid,
                                Immersed<D>* solids = nullptr);

  /// Repeats project() for velocities that have changed since, with the same solids and surface,
  /// and adds to the pressure instead of setting it.
  SolveReport project_again(const scene::PressureSettings& settings, MacGrid<D>& grid,
                            Immersed<D>* solids = nullptr);

  /// After project() at least: adds to the velocities those that would bring a density that is
  /// too high or, inside, too low to that at rest, by `part` of the way in `h` seconds. Particles
  /// are to be moved by them alone [Kugelstadt2021]: the sums of velocities along the way let
  /// volume drift. To a coarse tolerance: what is left is met in the next substep. `spacing`
  /// [cells] of the seeds: a solid that cuts through their lattice makes the cells there too dense
  /// or too thin by up to half of it, which is not made good.
  void even_out(float part, float h, float cell_size, float spacing, MacGrid<D>& grid);

 private:
  SolveReport solve(const scene::PressureSettings& settings, MacGrid<D>& grid, Immersed<D>* solids);

  std::unique_ptr<PoissonSystem<D>> system_;
  std::unique_ptr<NullSpace<D>> null_space_;
  std::unique_ptr<Preconditioner> preconditioner_;
  std::span<float> inflow_;
  bool has_ties_ = false;  // Whether solids move with the fluid.
  ConjugateGradients<D> solver_;
  ConjugateGradients<D, CoupledSystem<D>> coupled_solver_;
  Array<double> source_, solution_;
  Array<float> change_;  // The change by project_again() and even_out().
};

extern template class PressureSolver<2>;
extern template class PressureSolver<3>;

}  // namespace sluice::fluid::grid
