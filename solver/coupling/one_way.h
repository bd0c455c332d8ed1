// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "solver/coupling/method.h"
#include "solver/coupling/solid_step.h"

namespace sluice::coupling {

/// One-way coupling, [Yang2023] 2.2.1: fluid moves as if there were no solids, through them, and
/// takes them along: each vertex, of the surface area A, feels k A w (u - v), where k is the
/// scene's drag, u the fluid's new velocity at the vertex, and w how wet it is there: the density
/// of the grid over that of the lightest fluid, at most 1.
///
/// v is the velocity that results from the force, implicitly, so that any k is stable and a large
/// one gives a light solid the fluid's velocity: solved for vertex by vertex, without elasticity,
/// where a solid deforms; by the six equations of a rigid body. Solids meet each other, themselves
/// and walls as in SolidStep.
class OneWay final : public Method {
 public:
  OneWay(const scene::Scene& scene, const solid::DeformableSystem& solids);

  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const override {
    return solids_.longest_substep(solids);
  }
  [[nodiscard]] std::string what_shortens_substeps(
      const solid::DeformableSystem& solids) const override {
    return solids_.what_shortens_substeps(solids);
  }
  [[nodiscard]] bool is_worth_halving() const noexcept override {
    return solids_.is_worth_halving();
  }
  void begin_frame() override { solids_.begin_frame(); }
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::Fluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  void measure_flow(const fluid::ParticleFluid& fluid, const solid::DeformableSystem& solids);
  void drag_vertices(double h, const Vec3& gravity, const solid::DeformableSystem& solids);
  void drag_rigid_body(double h, const Vec3& gravity, const solid::DeformableSystem& solids,
                       const solid::RigidMember& member);

  SolidStep solids_;
  double drag_;               ///< [Pa s/m]
  double lightest_density_;   ///< [kg/m^3] of the fluids
  std::vector<double> area_;  ///< [m^2] of the surface, by vertex
  std::vector<double> grip_;  ///< [N s/m] k A w, by vertex
  std::vector<Vec3> flow_;    ///< [m/s] u, by vertex
  std::vector<Vec3> forces_;  ///< [N] by vertex
};

}  // namespace sluice::coupling
