// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solver/fluid/immersed_solids.h"
#include "solver/integrator/step_hessian.h"
#include "solver/linalg/sparse_cholesky.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/spring_potential.h"
#include "solver/types.h"

namespace sluice::coupling {

/// Returns theta of the rule (solid::ThetaRule) for solids in the fluid's pressure. With 0.55 a
/// motion that steps do not resolve loses a part 0.18 in each; one with 20 steps a radian loses a
/// part 0.0025 of its amplitude a radian. But the light vertices of a sheet that folds get faster
/// by the rule, as the sheet's stiffness turns with it: with sheets it is implicit Euler.
[[nodiscard]] inline double theta_of(const scene::Scene& scene) {
  return scene::are_cloths_slices(scene) || scene.cloths.empty() ? 0.55 : 1;
}

/// The linear response of deformable solids in an implicit step (solid::ThetaRule), at its start:
/// one step of Newton's method, A dx = -g with A = M / (theta h)^2 + the Hessian of their energies.
/// So an impulse changes velocities by A^-1 / (theta h)^2 times it: by 1 / M where h is short for
/// the elasticity, and by little where that holds a vertex. Contact has no part in it.
class ElasticResponse final : public fluid::ImpulseResponse {
 public:
  /// Refers to the elements of `solids`, which are stepped by the rule `theta`.
  ElasticResponse(const solid::DeformableSystem& solids, double theta);

  /// Prepares the step of `h` seconds from `solids` under gravity and anchors.
  void begin(double h, const Vec3& gravity, std::span<const solid::Anchor> anchors,
             const solid::DeformableSystem& solids);

  /// The rule of the step, valid until the next one.
  [[nodiscard]] solid::ThetaRule rule() const noexcept { return {theta_, elastic_forces_}; }
  /// [m], [m/s] The end of the step without any impulse, by vertex.
  [[nodiscard]] std::span<const Vec3> ends() const noexcept { return ends_; }
  [[nodiscard]] std::span<const Vec3> velocities() const noexcept { return velocities_; }

  void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) override;
  void attach(std::span<const Mat3> masses) override;
  [[nodiscard]] bool answers(std::size_t vertex) const override;
  /// [kg] Masses of attach(), by vertex; empty without.
  [[nodiscard]] std::span<const Mat3> attached() const noexcept { return attached_; }
  /// [s] How far a vertex ends the step from ends(), for each m/s by which its velocity changes.
  [[nodiscard]] double way_per_change() const noexcept { return theta_ * h_; }

 private:
  double theta_;
  solid::SpringPotential springs_;
  std::vector<const solid::Potential*> potentials_;
  integrator::StepHessian hessian_;
  linalg::SparseCholesky<double> cholesky_;
  bool is_factored_ = false;
  double h_ = 0;
  solid::InertialTerm term_;
  std::vector<Vec3> elastic_forces_;  ///< [N] by vertex, at the start
  std::vector<Vec3> ends_, velocities_, gradient_;
  std::vector<Mat3> attached_;     ///< [kg] by vertex, or empty
  std::vector<double> with_them_;  ///< The Hessian's entries, with attached masses.
};

}  // namespace sluice::coupling
