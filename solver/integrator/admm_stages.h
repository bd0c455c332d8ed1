// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/integrator/step_problem.h"
#include "solver/solid/vertex_gather.h"
#include "solver/types.h"

namespace sluice::integrator {

/// ADMM on one implicit step, for any elements, in stages that can be called apart, so that contact
/// can enter between them. [Overby2017]
///
/// Minimises E over x and copies z_e of D_e x, with scaled duals u_e [numerics: (2.23), (3.6) mix
/// the scalings]:
///     local   z_e = argmin U_e(z) + w_e / 2 |z - (D_e x + u_e)|^2
///     dual    u_e += D_e x - z_e
///     global  A (x' - x) = r := inertia (y - x) + f + sum_e w_e G_e^T (z_e - u_e - D_e x)
/// A is the caller's: diag(inertia) + sum_e w_e G_e^T G_e, factored, is ADMM; its majoriser
/// `diagonal` is consensus ADMM without matrices (consensus_admm.h says the same of springs, where
/// the diagonal is inertia + 2 sum w).
///
/// Elements pass through their stages in blocks that stay in cache; only duals are kept of them.
/// Same bits for any number of threads.
class AdmmStages {
 public:
  AdmmStages(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  /// Starts a step at x^n: z_e near D_e x^n, and u such that w_e u_e is the gradient of U_e at z_e.
  /// Reads the weights, which may be others from step to step.
  void begin(std::span<const Vec3> x_n);

  /// Local and dual step at the iterate `x`. Returns sum_e w_e |D_e x - z_e|^2 [J], the primal
  /// residual squared.
  double local_and_dual_step(std::span<const Vec3> x);

  /// [N] The elements' part of r at a vertex that is not held.
  [[nodiscard]] const Vec3& pull(std::size_t vertex) const { return pull_[vertex]; }

  /// Writes r [N], 0 at held vertices.
  void write_global_residual(const StepProblem& problem, std::span<const Vec3> x,
                             std::span<Vec3> r) const;

  /// [N/m] The elements' part of the diagonal that majorises A, at a vertex: sum_e w_e sum_b
  /// |(G_e^T G_e)_ab|. (By rows, it dominates the matrix: Gershgorin.) It is that of the last
  /// `begin`.
  [[nodiscard]] double stiffness_sum(std::size_t vertex) const { return stiffness_[vertex].x(); }

  /// The duals of all elements one after the other: with x, the state of the iteration.
  [[nodiscard]] std::span<double> duals() { return u_; }

 private:
  struct Group {
    const solid::Potential* potential;
    std::size_t k, r;    ///< Vertices and rows of an element.
    std::size_t offset;  ///< Place of its first dual.
    solid::VertexGather gather;
    std::vector<double> weights;  ///< Weights summed in `stiffness_`.
  };

  [[nodiscard]] bool has_other_weights() const;
  void sum_stiffness();
  double local_and_dual_step(const Group& group, std::span<const Vec3> x);

  std::vector<Group> groups_;
  std::vector<Vec3> stiffness_;  ///< By vertex, in coordinate x.
  std::vector<Vec3> pull_;       ///< By vertex.
  std::vector<double> u_;
  std::vector<double> residuals_;  ///< Squared residuals by chunk of elements: scratch.
};

}  // namespace sluice::integrator
