// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/integrator/admm_stages.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/spring.h"
#include "solver/types.h"

namespace sluice::integrator {

/// One implicit step of springs and other elements by consensus ADMM: a matrix-free, Jacobi-like
/// iteration in stages that can be called apart, so that contact can enter between them. [Yang2023]
/// 2.1.4, 4.1; [Overby2017]. The rest is about springs, which are most of what cloth is and have a
/// kernel of their own; other elements come by `AdmmStages`, whose majorising diagonal is the same
/// for a spring.
///
/// Minimises   sum_i inertia_i / 2 |x_i - target_i|^2 + sum_e U_e(x_a - x_b) - sum_i f_i . x_i,
/// U_e = k/2 (|d| - l0)^2, f_i a constant force (contact's; 0 without).
///
/// Each spring holds copies of its two ends and a vertex must agree with the copies of all its
/// springs. Eliminating the copies (their mean has no energy, their difference is z_e) leaves, with
/// weights w = k and scaled duals u:
///     local    z_e = prox of U_e at p = D_e x + u_e:  (w |p| + k l0) / (w + k)  p/|p|
///     dual     u_e += D_e x - z_e                  [numerics: (2.23), (3.6) mix the scalings]
///     global   (inertia_i + 2 sum w) x_i' = inertia_i target_i + f_i
///                                           + sum_e w (x_i + x_j +- (z_e - u_e))
/// Deviation from (4.2): there the diagonal has sum k and no x_i on the right. That iteration is a
/// plain Jacobi sweep and diverges on stiff bipartite meshes, such as grids; the factor 2 is what
/// consensus gives, and the matrix of the sweep then dominates that of the energy, so the iteration
/// is stable for any stiffness.
///
/// Start: duals at the forces of x^n, u_e = gradient U_e(x^n) / w, and the iterate at the explicit
/// prediction x = target + inertia^-1 (f - gradient Psi(x^n)): exact for smooth motion, and the
/// sweeps damp the rest quickly as long as 2 sum w / inertia stays below some 50.
///
/// Same bits for any number of threads. No allocation after construction.
class ConsensusAdmm {
 public:
  /// `others` are the elements that are no springs; they must outlive this.
  ConsensusAdmm(std::span<const solid::Spring> springs,
                std::span<const solid::Potential* const> others, std::size_t vertex_count);

  /// Starts a step at the positions `x_n`; writes the first iterate to `x`. `forces` [N], expected
  /// f by vertex, or empty.
  void begin(std::span<const Vec3> x_n, const solid::InertialTerm& term,
             std::span<const Vec3> forces, std::span<Vec3> x);

  /// Local and dual step at the iterate `x`. Returns sum_e w |D_e x - z_e|^2, [J]: the primal
  /// residual squared.
  double local_and_dual_step(std::span<const Vec3> x);

  /// Global step: from the iterate `x` to `x_next`. `forces` [N], one a vertex, or empty.
  void global_step(std::span<const Vec3> x, const solid::InertialTerm& term,
                   std::span<const Vec3> forces, std::span<Vec3> x_next) const;

  /// sum_i diagonal_i |a_i - b_i|^2 over the vertices that are not held, [J].
  double squared_change(std::span<const Vec3> a, std::span<const Vec3> b,
                        const solid::InertialTerm& term);

  /// inertia_i + stiffness_sum(i): how hard the global step's answer resists a force on vertex i,
  /// [N/m].
  [[nodiscard]] double diagonal(std::size_t vertex, const solid::InertialTerm& term) const {
    return term.inertia[vertex] + stiffness_sum(vertex);
  }
  /// [N/m] 2 sum w of the springs at a vertex, and the stiffness sum of other elements there; the
  /// latter as of `begin`.
  [[nodiscard]] double stiffness_sum(std::size_t vertex) const {
    return others_.empty() ? of_springs_[vertex]
                           : of_springs_[vertex] + elements_.stiffness_sum(vertex);
  }

 private:
  struct Neighbour {
    std::int32_t spring, other;
  };

  std::vector<solid::Spring> springs_;
  std::vector<std::int32_t> first_neighbour_;  ///< By vertex, and the end.
  std::vector<Neighbour> neighbours_;          ///< By vertex, then spring.
  std::vector<double> of_springs_;             ///< [N/m] 2 sum w, by vertex
  std::vector<Vec3> dual_;                     ///< u_e
  std::vector<Vec3> pull_;                     ///< w (z_e - u_e)
  std::vector<const solid::Potential*> others_;
  AdmmStages elements_;  ///< Stages of the other elements.
  std::vector<Vec3> gradient_;
  std::vector<double> chunk_sums_;
};

}  // namespace sluice::integrator
