// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/integrator/convergence.h"
#include "solver/integrator/lane_vector.h"
#include "solver/integrator/spring_lanes.h"

namespace sluice::integrator {

/// The result of testing an iterate in float.
enum class FloatVerdict {
  go_on,
  stopped,   ///< By the rule, converged or not.
  too_fine,  ///< The residual is as small as float can tell: double has to go on.
};

/// One implicit step of springs alone, in single precision, as a function of displacements u from a
/// reference: the predictor, or a later iterate. Shared by the methods that iterate in float.
///
/// Forces are good to float's rounding of themselves (SpringLanes); the residual is bounded from
/// below by the rounding of u times stiffness, so that where u grows large against the steps that
/// it takes, `rebase` goes on from the iterate as the reference.
class SpringStep {
 public:
  /// Every potential is a SpringPotential (asserted).
  SpringStep(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  /// Whether every potential is a SpringPotential.
  [[nodiscard]] static bool serves(std::span<const solid::Potential* const> potentials);

  /// Takes the predictor as the reference, and u at the problem's start, or 0.
  void begin(const StepProblem& problem);
  /// Takes `x` as the reference, and u = 0.
  void rebase(const StepProblem& problem, std::span<const Vec3> x);
  /// Whether `change`, the latest of u, is so small against u that rounding hides much of it.
  [[nodiscard]] bool needs_rebase(const LaneVector& change) const;

  /// Writes the part of the gradient that is not the springs'.
  void start_gradient(LaneVector& out) const;
  /// Computes the gradient of the step's energy at u [N]; 0 at held vertices.
  void compute_gradient();
  /// Computes it too, keeps the springs' Hessian, and returns the step's energy [J].
  double compute_gradient_and_energy();

  /// [J] Returns the step's energy where the gradient was computed last; u must be there still.
  [[nodiscard]] double energy() const;

  /// Tests the gradient computed last, as that of the iterate number `iteration`.
  [[nodiscard]] FloatVerdict check(int iteration, Convergence& convergence, StepReport& report);
  [[nodiscard]] Convergence convergence(const StepProblem& problem,
                                        const StoppingRule& rule) const {
    return {problem, rule, element_stiffness_};
  }

  /// Adds length step to u.
  void move(float length, const LaneVector& step);
  /// change = -inverse_diagonal gradient; u += change, at the vertices from `first` up to `last`,
  /// whole lanes; and starts `gradient` there again.
  void step_by_diagonal(std::size_t first, std::size_t last,
                        std::span<const float> inverse_diagonal, LaneVector& gradient,
                        LaneVector& change);
  void write_positions(std::span<Vec3> x) const;
  [[nodiscard]] double dot(const LaneVector& a, const LaneVector& b) const;

  [[nodiscard]] std::size_t vertex_count() const { return vertex_count_; }
  [[nodiscard]] std::size_t end() const { return end_; }  ///< Number of vertices, in whole lanes.

  SpringLanes springs;
  LaneVector u;             ///< [m]
  LaneVector gradient;      ///< [N]
  Floats inertia, is_free;  ///< [N/m] 0 at held vertices; 1 or, at these, 0.

 private:
  void finish_gradient();

  std::size_t vertex_count_, end_;
  std::vector<Vec3> reference_;
  LaneVector force_;                ///< [N] independent of u; 0 at held vertices
  bool has_forces_ = false;         ///< Whether any force may not be 0.
  double element_stiffness_;        ///< See Convergence.
  double force_scale_ = 0;          ///< [N] Gradient norm at the start, or the rule's.
  double energy_at_reference_ = 0;  ///< [J] without that of springs
  double spring_energy_ = 0;        ///< [J] where the gradient was computed last
};

}  // namespace sluice::integrator
