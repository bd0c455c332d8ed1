// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/fluid/viscosity/viscous_system.h"

namespace sluice::fluid::grid {

/// Implicit viscosity of a liquid with a free surface [Batty2008]; see ViscousSystem.
template <int D>
class ViscositySolver {
 public:
  /// Changes the velocities of open faces next to liquid. Closed faces must have the solid's
  /// velocity, as PressureSolver leaves it, or the pipe's, as Inlets::constrain() sets it. Needs
  /// all fields of `grid` that solid_faces.h and liquid_surface.h set, `grip` too.
  ///
  /// `number` is mu h / (density dx^2), about the square of how many cells momentum diffuses in a
  /// substep. Nothing is done if it changes at most `tolerance`. The residual is relative to the
  /// momentum of the liquid and of what solids give it: motion without strain needs no iteration.
  SolveReport apply(float number, double tolerance, int max_iterations, MacGrid<D>& grid);

 private:
  ConjugateGradients<D, ViscousSystem<D>> solver_;
  Array<float> velocity_;
  Array<double> source_, change_;
};

extern template class ConjugateGradients<2, ViscousSystem<2>>;
extern template class ConjugateGradients<3, ViscousSystem<3>>;
extern template class ViscositySolver<2>;
extern template class ViscositySolver<3>;

}  // namespace sluice::fluid::grid
