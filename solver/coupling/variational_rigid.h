// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solver/coupling/admm_ipc.h"
#include "solver/coupling/method.h"
#include "solver/coupling/particle_guard.h"
#include "solver/coupling/predictor.h"
#include "solver/coupling/rigid_step.h"
#include "solver/wrench.h"

namespace sluice::coupling {

/// Rigid bodies in an incompressible liquid by one system for the pressure and the motions that it
/// gives the bodies, [Batty2007] 4: stable whatever they weigh. Bodies meet each other and walls as
/// in AdmmIpc, after pressure. Particles are held off them before that, which is felt by particles
/// alone, and no force (particle_guard.h): what liquid does to bodies is in the pressure.
///
/// What rests on the floor does not move, though pressure by itself would have it sink in every
/// substep: what contact does to a body is expected again in the next one. It is what would hold it
/// at most, twice its weight, so that an impact does not come twice, and a body that is light for
/// its pressure is not thrown by a contact that has gone. A body that the step filter has stopped,
/// for water that is shut in between it and a wall, stays for a substep: pressure that has it go on
/// would drive the water faster in each.
class VariationalRigid final : public Method {
 public:
  VariationalRigid(const scene::Scene& scene, const solid::DeformableSystem& solids);

  /// As that of AdmmIpc; and in which no body goes further than half its radius: steps are as long
  /// as the flow allows, and a body that goes through all that it could meet has no way out of it.
  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const override;
  [[nodiscard]] std::string what_shortens_substeps(
      const solid::DeformableSystem& solids) const override {
    return solids_.what_shortens_substeps(solids);
  }
  /// A body that pressure throws further than that.
  [[nodiscard]] bool is_worth_halving() const noexcept override { return true; }
  void begin_frame() override { solids_.begin_frame(); }
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  [[nodiscard]] bool has_blown_up(const ExternalActions& actions,
                                  const solid::DeformableSystem& solids) const;
  void pull(double h, std::span<const solid::Anchor> anchors,
            const solid::DeformableSystem& solids);
  void immerse(double h, double time, const solid::DeformableSystem& solids,
               fluid::ParticleFluid& fluid);
  /// For a substep.
  [[nodiscard]] bool is_held(std::size_t body) const { return kept_[body].stopped != 0; }
  void press(double h, const ExternalActions& actions, const solid::DeformableSystem& solids,
             const fluid::ParticleFluid& fluid);
  void keep_contact(double h, const Vec3& gravity, const solid::DeformableSystem& solids,
                    fluid::ParticleFluid& fluid);

  Predictor predictor_;
  AdmmIpc solids_;
  ParticleGuard guard_;
  Walls walls_;
  RigidStep free_;                         // Without contact.
  std::vector<Wrench> pulls_;              // [N] of anchors, by body
  std::vector<Wrench> pressure_;           // [N] by body, with those
  std::vector<fluid::KeptContact> kept_;   // By body.
  std::vector<solid::RigidState> starts_;  // Of the substep.
  std::vector<solid::Pose> ends_;          // Where free_ takes the bodies.
  solid::InertialTerm term_;               // Of free_.
};

}  // namespace sluice::coupling
