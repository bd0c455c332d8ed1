// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/friction.h"
#include "solver/coupling/contact_surfaces.h"
#include "solver/coupling/pair_search.h"
#include "solver/coupling/wall_potential.h"
#include "solver/coupling/walls.h"
#include "solver/integrator/integrator.h"
#include "solver/result.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/spring_potential.h"
#include "solver/types.h"

namespace sluice::coupling {

struct IpcSettings {
  /// Of the gradient, over the forces that take all points from rest at x^n to the targets.
  double relative_residual = 1e-3;
  int max_iterations = 30;       ///< Of Newton's method with one set of pairs.
  double sticking_speed = 1e-3;  ///< [m/s] What sticks may creep at. Smaller is slower.
};

/// A step of everything that moves: the vertices of solids, then particles. All spans by point.
struct IpcProblem {
  double h;                                  ///< [s]
  std::span<const Vec3> x_n;                 ///< [m] Touches nothing.
  std::span<const double> inertia;           ///< [N/m] m / h^2; infinite for what is held.
  std::span<const Vec3> targets;             ///< [m] y; where held points go.
  const Walls* walls = nullptr;              ///< Null where there are none.
  std::span<const WallMargin> margins = {};  ///< Empty without walls.
};

struct IpcReport {
  int iteration_count = 0;         ///< Of Newton's method.
  int round_count = 0;             ///< Sets of pairs that were minimised over.
  double residual = 0;             ///< As the settings have it, at the end.
  double stiffness = 0;            ///< [N/m] kappa of the barrier, at the end
  double held_part = 1;            ///< How far what is held, and obstacles, have got of their way.
  std::int64_t contact_count = 0;  ///< Pairs that push.
};

/// Incremental potential contact, [Li2020], [Yang2023] Algorithm 4:
///     E(x) = inertia + elastic energy + barrier + friction
/// is minimised by projected Newton (integrator/projected_newton.h), each line search beginning at
/// what first contact along it allows. Every iterate touches nothing, and is reached on a way
/// through such states from x^n; that way is crooked.
///
/// Barriers are between points and triangles, edges and edges (pair_search.h), and keep points off
/// walls (wall_potential.h). Pairs are found for all places within a reach of the iterate, and line
/// searches end there; a round that gets there, or to its number of iterations, is followed by
/// another from its end. What is held, and obstacles, start each round with as much of their way as
/// what is in it leaves, so that they push it before them; where that gets them nowhere they stay
/// short of their targets. Friction is lagged at x^n, and once more at what comes of it. The
/// barrier's stiffness is the mean diagonal of inertia and elasticity of the points that can move,
/// four times that and so on while gaps end below a thousandth of their range: nothing is kept from
/// step to step.
///
/// Momentum: contact and friction sum to 0 by pairs, so linear momentum is as exact as the
/// residual. Same bits for any number of threads. Buffers are kept between steps.
class IpcSolve {
 public:
  /// Refers to the elements of `solids`, which are in their rest shape and stay where they are, and
  /// to `surfaces`.
  IpcSolve(const IpcSettings& settings, const ContactSurfaces& surfaces,
           solid::DeformableSystem& solids);

  /// Sets `x` to the end of the step. On `solver_diverged`, which says why, it is good for nothing.
  Result<IpcReport> minimise(const IpcProblem& problem, std::vector<Vec3>& x);

  /// [N] By point, at the end of the last `minimise`: what the barrier and friction of pairs push
  /// with, and those of walls.
  [[nodiscard]] std::span<const Vec3> pair_forces() const noexcept { return pair_forces_; }
  [[nodiscard]] std::span<const Vec3> wall_forces() const noexcept { return wall_forces_; }

 private:
  /// All pairs and touches that pressed somewhere, as friction keeps them.
  struct Lagged {
    std::vector<contact::FrictionPair> pairs;
    std::vector<WallFrictionTouch> walls;

    [[nodiscard]] bool is_empty() const { return pairs.empty() && walls.empty(); }
  };

  [[nodiscard]] double first_stiffness(const IpcProblem& problem) const;
  void find(const IpcProblem& problem, std::span<const Vec3> x, double reach);
  [[nodiscard]] bool advance_held(const IpcProblem& problem, double reach, std::span<Vec3> x);
  void lag(const IpcProblem& problem, std::span<const Vec3> x);
  integrator::StepReport run_round(const IpcProblem& problem, double reach,
                                   const integrator::StoppingRule& rule, std::span<Vec3> x);
  [[nodiscard]] bool has_narrow_gaps(std::span<const Vec3> x) const;
  [[nodiscard]] std::int64_t count_contacts(std::span<const Vec3> x) const;
  void measure_forces(const IpcProblem& problem, std::span<const Vec3> x);

  IpcSettings settings_;
  solid::SpringPotential springs_;
  std::vector<solid::Potential*> elastic_;
  double range_;  ///< [m] contact distance
  PairSearch search_;
  // Of the step.
  double stiffness_ = 0;  ///< [N/m] of the barrier
  double held_part_ = 0;  ///< Of the ways of what is held, and of obstacles.
  Lagged lagged_;
  // Of the round.
  std::vector<PairGroup> groups_;
  std::vector<WallTouch> touches_;
  std::vector<Vec3> center_, held_targets_, direction_;
  std::vector<Vec3> pair_forces_, wall_forces_;
};

}  // namespace sluice::coupling
