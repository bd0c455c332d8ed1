// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/fluid/pressure/immersed.h"
#include "solver/fluid/pressure/poisson.h"
#include "solver/fluid/pressure/preconditioner.h"

namespace sluice::fluid::grid {

/// How a solve went.
struct SolveReport {
  int iterations = 0;
  double residual = 0;     ///< |b - A x| / |b|, 2-norms; 0 for b = 0
  bool converged = false;  ///< Whether the residual is at most the tolerance.
};

/// The preconditioned conjugate gradient method [Hestenes1952] for a PoissonSystem, or another
/// system whose vectors are `components` arrays of its tiles, one behind the other. Keeps its
/// vectors between calls: 20 bytes an unknown. Other systems instantiate it from
/// conjugate_gradients_iteration.h.
///
/// x and the residual are in double, so that the residual that is reported is that of x: float
/// would lose it where pressure is large and its differences small. Directions and preconditioners
/// are in float, which costs no accuracy. Same bits for any number of threads.
template <int D, typename System = PoissonSystem<D>>
class ConjugateGradients {
 public:
  /// Solves A x = b from x = 0, and leaves b - A x in the place of b; b is 0 where there is no
  /// unknown. A semidefinite system must have b in its range, to rounding. Ends after
  /// `max_iterations` with the x so far; also where b, and so the residual, is not finite.
  SolveReport solve(const System& system, Preconditioner& preconditioner, std::span<double> b,
                    double tolerance, int max_iterations, std::span<double> x);

 private:
  Array<double> image_;
  Array<float> scaled_residual_, preconditioned_, direction_;
};

extern template class ConjugateGradients<2>;
extern template class ConjugateGradients<3>;
extern template class ConjugateGradients<2, CoupledSystem<2>>;
extern template class ConjugateGradients<3, CoupledSystem<3>>;

}  // namespace sluice::fluid::grid
