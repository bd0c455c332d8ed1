// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "solver/integrator/admm_stages.h"
#include "solver/integrator/anderson.h"
#include "solver/integrator/convergence.h"
#include "solver/integrator/integrator.h"
#include "solver/integrator/projection_matrix.h"

namespace sluice::integrator {

/// What all of ADMM's integrators iterate: x and the duals of the elements.
class AdmmIteration {
 public:
  AdmmIteration(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  /// Solves a step; `solve_global(r)` turns r into x' - x in place (AdmmStages). With
  /// `accelerated`, the iteration's fixed point is sought by Anderson's method.
  StepReport run(const StepProblem& problem, const StoppingRule& rule, bool accelerated,
                 const std::function<void(std::span<Vec3>)>& solve_global, std::span<Vec3> x);

  [[nodiscard]] const AdmmStages& stages() const { return stages_; }

 private:
  void read_state(std::span<const Vec3> x, std::span<double> state);
  void write_state(std::span<const double> state, std::span<Vec3> x);

  AdmmStages stages_;
  Anderson anderson_;
  std::vector<Vec3> gradient_, correction_, scratch_;
  std::vector<double> state_, image_;  ///< x, then the duals
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
class ConsensusAdmmIntegrator final : public Integrator {
 public:
  /// With `accelerated`, by Anderson's method.
  ConsensusAdmmIntegrator(std::span<const solid::Potential* const> potentials,
                          std::size_t vertex_count, bool accelerated);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  AdmmIteration iteration_;
  bool is_accelerated_;
};

}  // namespace sluice::integrator
