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
  /// Gradient that may be left, over the forces that take all points from rest at x^n to targets.
  double relative_residual = 1e-3;
  int max_iterations = 30;       ///< Iterations of Newton's method with one set of pairs.
  double sticking_speed = 1e-3;  ///< [m/s] Creep of sticking contacts. Smaller is slower.
};

/// A step of everything that moves: the vertices of solids, then particles. All spans are by point.
struct IpcProblem {
  double h;                                  ///< [s]
  std::span<const Vec3> x_n;                 ///< [m] Start; nothing touches there.
  std::span<const double> inertia;           ///< [N/m] m / h^2; infinite for held points.
  std::span<const Vec3> targets;             ///< [m] y; the ends of held points.
  const Walls* walls = nullptr;              ///< Null where there are none.
  std::span<const WallMargin> margins = {};  ///< Empty without walls.
};

struct IpcReport {
  int iteration_count = 0;         ///< Iterations of Newton's method.
  int round_count = 0;             ///< Sets of pairs that were minimised over.
  double residual = 0;             ///< Final residual, as IpcSettings defines it.
  double stiffness = 0;            ///< [N/m] kappa of the barrier, at the end
  double held_part = 1;            ///< Part of their way that held points and obstacles went.
  std::int64_t contact_count = 0;  ///< Pairs that push.
};

/// Incremental potential contact, [Li2020], [Yang2023] Algorithm 4:
///     E(x) = inertia + elastic energy + barrier + friction
/// is minimised by projected Newton (integrator/projected_newton.h), each line search beginning at
/// the step that first contact along it allows. Every iterate touches nothing, and is reached on a
/// way through such states from x^n; that way is crooked.
///
/// Barriers are between points and triangles, edges and edges (pair_search.h), and keep points off
/// walls (wall_potential.h). Pairs are found for all places within a reach of the iterate, and line
/// searches end there; a round that gets there, or to its number of iterations, is followed by
/// another from its end. Held points and obstacles start each round by going as much of their way
/// as the points in it leave, and so push these before them; where that gets them nowhere, they
/// stay short of their targets. Friction is lagged at x^n, and once more at the solution. The
/// barrier's stiffness is the mean diagonal of inertia and elasticity of the points that can move,
/// and is raised fourfold while gaps end below a thousandth of their range; nothing of this is kept
/// from step to step.
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

  /// [N] By point, at the end of the last `minimise`: the forces of barrier and friction by pairs,
  /// and those by walls.
  [[nodiscard]] std::span<const Vec3> pair_forces() const noexcept { return pair_forces_; }
  [[nodiscard]] std::span<const Vec3> wall_forces() const noexcept { return wall_forces_; }

 private:
  /// The friction of all pairs and touches that pressed when it was lagged.
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
  // State of the step:
  double stiffness_ = 0;  ///< [N/m] of the barrier
  double held_part_ = 0;  ///< Part gone of the ways of held points and obstacles.
  Lagged lagged_;
  // State of the round:
  std::vector<PairGroup> groups_;
  std::vector<WallTouch> touches_;
  std::vector<Vec3> center_, held_targets_, direction_;
  std::vector<Vec3> pair_forces_, wall_forces_;
};

}  // namespace sluice::coupling
