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

/// Of the rule (solid::ThetaRule) that solids which deform are stepped by on the fluid's grid. With
/// 0.55, what a step does not resolve loses a part 0.18 in each; a motion with 20 steps a radian a
/// part 0.0025 of its amplitude in one. But the light vertices of a sheet that folds get faster by
/// it, as its stiffness turns with it: those have implicit Euler.
[[nodiscard]] inline double theta_of(const scene::Scene& scene) {
  return scene::are_cloths_slices(scene) || scene.cloths.empty() ? 0.55 : 1;
}

/// How solids that deform answer in an implicit step (solid::ThetaRule), linearised where it
/// starts: one step of Newton's method, A dx = -g with A = M / (theta h)^2 + the Hessian of their
/// energies. So a velocity changes by A^-1 / (theta h)^2 times an impulse: 1 / M where h is short
/// for the elasticity, and little where that holds it. Contact is not in it.
class ElasticResponse final : public fluid::ImpulseResponse {
 public:
  /// Refers to the elements of `solids`, which are stepped by the rule `theta`.
  ElasticResponse(const solid::DeformableSystem& solids, double theta);

  /// For the step of `h` seconds from `solids` under gravity and anchors.
  void begin(double h, const Vec3& gravity, std::span<const solid::Anchor> anchors,
             const solid::DeformableSystem& solids);

  /// Of the step, until the next one.
  [[nodiscard]] solid::ThetaRule rule() const noexcept { return {theta_, elastic_forces_}; }
  /// [m], [m/s] By vertex: how the step ends if no impulses come.
  [[nodiscard]] std::span<const Vec3> ends() const noexcept { return ends_; }
  [[nodiscard]] std::span<const Vec3> velocities() const noexcept { return velocities_; }

  void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) override;
  void attach(std::span<const Mat3> masses) override;
  [[nodiscard]] bool answers(std::size_t vertex) const override;
  /// [kg] By vertex, of attach(); empty without.
  [[nodiscard]] std::span<const Mat3> attached() const noexcept { return attached_; }
  /// [s] Times a change of a velocity: that of where the step ends.
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
  std::vector<double> with_them_;  ///< The Hessian's entries.
};

}  // namespace sluice::coupling
