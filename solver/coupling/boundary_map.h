// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/coupling/elastic_response.h"
#include "solver/coupling/method.h"
#include "solver/coupling/rigid_in_liquid.h"
#include "solver/coupling/solid_step.h"
#include "solver/coupling/surface_guard.h"

namespace sluice::coupling {

/// Elastic bodies in a gas or an incompressible liquid, by the map of their boundary [Imamura2008]:
/// the fluid ends where the grid's lines cross their outlines, or in three dimensions their
/// surfaces, at the velocity that they have there, and what it does to them, pressure and viscous
/// stress, is what they do to it.
///
/// The fluid goes first, with the bodies where they are going; and with what impulses would do to
/// them in the step (elastic_response.h), so that pressure and bodies are solved for at once:
/// stable also where bodies are lighter than what they displace. A liquid's particles are then held
/// off the bodies' ways, which no body feels. Then bodies, under the impulses of the fluid, by the
/// scene's solid solver, with contact as in SolidStep, also with particles that are caught between
/// them. What that changes (contact, and elasticity beyond the linear) the fluid hears of in the
/// next step.
///
/// Rigid bodies in a liquid are in the same system (rigid_in_liquid.h); they, which yield to no
/// particle, have the last word on where particles go.
///
/// Weak: the same without the answer; bodies are taken to move on as they do.
class BoundaryMap final : public Method {
 public:
  enum class Exchange { at_once, weak };

  BoundaryMap(const scene::Scene& scene, const solid::DeformableSystem& solids, Exchange exchange);

  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const override;
  [[nodiscard]] std::string what_shortens_substeps(
      const solid::DeformableSystem& solids) const override {
    return solids_.what_shortens_substeps(solids);
  }
  [[nodiscard]] bool is_worth_halving() const noexcept override {
    return rigid_.has_value() || solids_.is_worth_halving();
  }
  void begin_frame() override;
  void renumber_particles(std::span<const std::uint32_t> former_rows) override;
  void immerse(double h, const ExternalActions& actions, const solid::DeformableSystem& solids,
               fluid::Gas& gas) override;
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  void add_outlines(const scene::Scene& scene, const solid::DeformableSystem& solids);
  void add_surfaces(const scene::Scene& scene, const solid::DeformableSystem& solids);
  [[nodiscard]] fluid::ImmersedSolids immersed(double h, const ExternalActions& actions,
                                               const solid::DeformableSystem& solids);
  void expect(double h, const solid::DeformableSystem& solids, std::span<const Vec3> velocities);
  void expect_rigid(const RigidInLiquid& bodies, const solid::DeformableSystem& solids);
  Result<SubstepReport> step_solids(double h, const ExternalActions& actions,
                                    std::span<const Vec3> impulses, solid::DeformableSystem& solids,
                                    fluid::ParticleFluid* fluid, const StepNotes& notes);

  Exchange exchange_;
  Vec3 lower_, upper_;  // [m] of the domain, which bodies do not leave.
  SolidStep solids_;
  ElasticResponse response_;
  // Of liquids.
  std::optional<SurfaceGuard> guard_;
  std::optional<RigidInLiquid> rigid_;
  // Of ImmersedSolids.
  std::vector<EdgeIndices> rim_;
  std::vector<std::uint8_t> sticks_;
  std::vector<TriangleIndices> triangles_;
  std::vector<fluid::ImmersedSolids::Surface> surfaces_;
  const fluid::Gas* gas_ = nullptr;  // Of the substep.
  std::vector<Vec3> expected_;       // [m] by vertex
  std::vector<Vec3> forces_;         // [N] by vertex
  std::vector<solid::Anchor> anchors_;
};

}  // namespace sluice::coupling
