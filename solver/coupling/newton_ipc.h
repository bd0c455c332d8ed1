// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "solver/contact/contact_pair.h"
#include "solver/contact/friction.h"
#include "solver/coupling/pair_search.h"
#include "solver/integrator/integrator.h"
#include "solver/result.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/spring_potential.h"
#include "solver/types.h"

namespace sluice::coupling {

struct NewtonIpcSettings {
  /// [m] Gap from which contact pushes; well below the lengths of edges, or a body pushes itself.
  double range = 1e-3;
  double friction = 0;           ///< Coulomb coefficient of everything, >= 0.
  double sticking_speed = 1e-3;  ///< [m/s] What sticks may creep at. Smaller is slower.
  /// Of the gradient, over the forces that take all vertices from rest at x^n to the targets.
  double relative_residual = 1e-3;
  int max_iterations = 200;  ///< Of Newton's method, a step.
};

struct NewtonIpcReport {
  int iteration_count = 0;     ///< Of Newton's method.
  int round_count = 0;         ///< Sets of pairs that were minimised over.
  double residual = 0;         ///< As the settings have it, at the end.
  std::size_t pair_count = 0;  ///< Of the last round: those that could come into range.
  double smallest_gap = 0;     ///< [m] between these pairs, at the end; infinite without any
  double stiffness = 0;        ///< [N/m] kappa of the barrier, at the end
};

/// Steps solids in contact as one minimisation: incremental potential contact, [Yang2023] Algorithm
/// 4 without its fluid, [Li2020]:
///     E(x) = inertia + elastic energy + barrier + friction
/// by projected Newton (integrator/projected_newton.h), each line search beginning at what first
/// contact along it allows. From a state without intersections every iterate is one, and is reached
/// on a way through such states. That way is crooked; a step ends well only if nothing touches on
/// the straight one from x^n to x^{n+1} either, decided on the numbers stored: so that what watches
/// the states alone sees nothing cross. A fast body may need shorter steps for that.
///
/// Pairs are found for all places within a reach of the iterate, and line searches end there; a
/// round that gets there is followed by another from its end. Friction is lagged where a round
/// begins: at x^n, and once more at what comes of it. The barrier's stiffness is the mean m / h^2
/// of the vertices that can move, four times that and so on while gaps end below a thousandth of
/// the range: nothing is kept from step to step.
///
/// Momentum: contact and friction sum to 0 by pairs, so linear momentum is as exact as the
/// residual. Domain: rigid bodies count as held. Held vertices go straight to their targets; a step
/// in which they would meet something on the way fails. Same bits for any number of threads.
/// Buffers are kept between steps.
class NewtonIpc {
 public:
  /// Refers to the elements of `solids`, which are in their rest shape and stay where they are.
  NewtonIpc(const NewtonIpcSettings& settings, solid::DeformableSystem& solids);

  /// Advances `solids` by `h` seconds. On `solver_diverged` they are as they were, and the message
  /// says why.
  Result<NewtonIpcReport> step(double h, const Vec3& gravity, solid::DeformableSystem& solids);

 private:
  /// What a round ended with.
  struct Round {
    integrator::StepReport newton;
    bool is_at_reach;  ///< A line search was cut off where the pairs end.
  };

  [[nodiscard]] double first_stiffness() const;
  [[nodiscard]] double longest_way(std::span<const Vec3> x_n) const;
  [[nodiscard]] double force_scale(std::span<const Vec3> x_n) const;
  /// Whether nothing touches on the straight way from x^n to x_.
  [[nodiscard]] bool is_clear_way(std::span<const Vec3> x_n);
  Round minimise(double h, double reach, double stiffness, std::span<const Vec3> x_n,
                 const integrator::StoppingRule& rule);
  [[nodiscard]] double smallest_gap() const;

  NewtonIpcSettings settings_;
  solid::SpringPotential springs_;
  std::vector<solid::Potential*> elastic_;
  PairSearch search_;
  solid::InertialTerm term_;
  std::vector<contact::ContactPair> pairs_;
  std::vector<contact::FrictionPair> lagged_;
  std::vector<Vec3> x_, start_;
};

}  // namespace sluice::coupling
