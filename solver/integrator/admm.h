// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "solver/integrator/admm_stages.h"
#include "solver/integrator/anderson.h"
#include "solver/integrator/convergence.h"
#include "solver/integrator/integrator.h"
#include "solver/integrator/projection_matrix.h"
#include "solver/integrator/spring_step.h"

namespace sluice::integrator {

/// The iteration that all ADMM integrators share, over x and the duals of the elements.
class AdmmIteration {
 public:
  AdmmIteration(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  /// Solves a step; `solve_global(r)` turns r into x' - x in place (AdmmStages). With
  /// `accelerated`, the iteration's fixed point is sought by Anderson's method.
  StepReport run(const StepProblem& problem, const StoppingRule& rule, bool accelerated,
                 const std::function<void(std::span<Vec3>)>& solve_global, std::span<Vec3> x);

  /// Goes on from `x` and the duals of `stages()`, begun before, as iterate number `iteration`.
  StepReport go_on(const StepProblem& problem, const StoppingRule& rule, Convergence& convergence,
                   int iteration, bool accelerated,
                   const std::function<void(std::span<Vec3>)>& solve_global, std::span<Vec3> x);

  [[nodiscard]] AdmmStages& stages() { return stages_; }

 private:
  void read_state(std::span<const Vec3> x, std::span<double> state);
  void write_state(std::span<const double> state, std::span<Vec3> x);

  AdmmStages stages_;
  Anderson anderson_;
  std::vector<Vec3> gradient_, correction_, scratch_;
  std::vector<double> state_, image_;  ///< x, then the duals; empty unless accelerated.
};

/// Implicit steps by ADMM with a factored global step. [Overby2017]
class Admm final : public Integrator {
 public:
  Admm(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  ProjectionMatrix matrix_;
  AdmmIteration iteration_;
};

/// Implicit steps by consensus ADMM, whose global step is a division by a diagonal: no matrices.
/// [Yang2023] 2.1.4, 4.1, with the diagonal of consensus_admm.h.
///
/// Springs alone, not accelerated, are iterated in float down to a residual of 1e-4 (SpringStep),
/// and in double from there. The residual is then measured every tenth iteration: it costs as much
/// as one.
class ConsensusAdmmIntegrator final : public Integrator {
 public:
  /// With `accelerated`, the iteration is accelerated by Anderson's method.
  ConsensusAdmmIntegrator(std::span<const solid::Potential* const> potentials,
                          std::size_t vertex_count, bool accelerated);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  /// The state of springs alone, iterated in float.
  struct InFloat {
    InFloat(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);
    void begin(const StepProblem& problem, const AdmmStages& stages, std::span<const Vec3> x_n);
    /// Takes a local, a dual and a global step, `count` times.
    void iterate(int count);

    SpringStep state;
    LaneVector gradient;      ///< [N] of the iteration at hand
    LaneVector change;        ///< [m] of u in the iteration before
    Floats inverse_diagonal;  ///< [m/N] 0 at held vertices.
  };

  bool iterate_in_float(const StepProblem& problem, const StoppingRule& rule,
                        Convergence& convergence, StepReport& report, std::span<Vec3> x);

  AdmmIteration iteration_;
  bool is_accelerated_;
  std::unique_ptr<InFloat> in_float_;  ///< Null unless all are springs, not accelerated.
};

}  // namespace sluice::integrator
