// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/coupling/method.h"
#include "solver/coupling/rigid_in_liquid.h"
#include "solver/coupling/solids_in_pressure.h"
#include "solver/coupling/surface_guard.h"
#include "solver/fluid/abilities.h"
#include "solver/fluid/particle_fluid.h"

namespace sluice::coupling {

/// Elastic bodies in a gas or an incompressible liquid, by the map of their boundary [Imamura2008]:
/// the fluid ends where the grid's lines cross their outlines, or in three dimensions their
/// surfaces, at the velocity that these have there; it acts on the bodies by pressure and viscous
/// stress, and they act on it by the same forces.
///
/// The fluid goes first, with the bodies where they are going, and with their response to impulses
/// in the step (elastic_response.h), so that pressure and bodies are solved for at once: stable
/// also where bodies are lighter than the fluid they displace. A liquid's particles are then held
/// off the bodies' ways, which no body feels. Then the bodies go, under the impulses of the fluid,
/// by the scene's solid solver, with contact as in SolidStep, also with particles that are caught
/// between them. The changes by that step (contact, and elasticity beyond the linear) reach the
/// fluid in the next step.
///
/// Rigid bodies in a liquid are in the same system (rigid_in_liquid.h); they, which yield to no
/// particle, have the last word on where particles go.
///
/// With Exchange::weak there is no response: the fluid takes the bodies to move on as they do.
class BoundaryMap final : public Method {
 public:
  using Exchange = SolidsInPressure::Exchange;

  BoundaryMap(const scene::Scene& scene, const solid::DeformableSystem& solids, Exchange exchange);

  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const override;
  [[nodiscard]] std::string what_shortens_substeps(
      const solid::DeformableSystem& solids) const override {
    return elastic_.solid_step().what_shortens_substeps(solids);
  }
  [[nodiscard]] bool is_worth_halving() const noexcept override {
    return rigid_.has_value() || elastic_.solid_step().is_worth_halving();
  }
  void begin_frame() override;
  void renumber_particles(std::span<const std::uint32_t> former_rows) override;
  void place_solids(const solid::DeformableSystem& solids, fluid::Fluid& fluid) override;
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::Fluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  void add_outlines(const scene::Scene& scene, const solid::DeformableSystem& solids);
  void add_surfaces(const scene::Scene& scene, const solid::DeformableSystem& solids);
  void immerse(double h, const ExternalActions& actions, const solid::DeformableSystem& solids,
               fluid::MovesSolids& fluid);
  std::optional<Error> hold_off(double h, const ExternalActions& actions,
                                const solid::DeformableSystem& solids, SurfaceGuard& guard,
                                fluid::ParticleFluid& particles, const StepNotes& notes,
                                SubstepReport& report);
  void expect_rigid(const solid::DeformableSystem& solids, const RigidInLiquid& rigid);
  [[nodiscard]] ExternalActions with_rigid(const ExternalActions& actions,
                                           const solid::DeformableSystem& solids);

  SolidsInPressure elastic_;
  std::optional<SurfaceGuard> guard_;   // For liquids.
  std::optional<RigidInLiquid> rigid_;  // For liquids with rigid bodies.
  // The parts of fluid::ImmersedSolids.
  std::vector<EdgeIndices> rim_;
  std::vector<std::uint8_t> sticks_;
  std::vector<TriangleIndices> triangles_;
  std::vector<fluid::ImmersedSolids::Surface> surfaces_;
  std::vector<solid::Anchor> anchors_;  // Anchors of the substep on deformable bodies.
};

}  // namespace sluice::coupling
