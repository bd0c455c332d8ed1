// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solver/coupling/admm_ipc.h"
#include "solver/coupling/elastic_response.h"
#include "solver/coupling/method.h"

namespace sluice::coupling {

/// Elastic bodies in a gas in two dimensions, by the map of their boundary [Imamura2008]: the gas
/// ends where the grid's lines cross their outlines, at the velocity that they have there, and what
/// it does to them, pressure and viscous stress, is what they do to it.
///
/// Gas goes first, with the bodies where they are going; and with what impulses would do to them in
/// the step (elastic_response.h), so that pressure and bodies are solved for at once: stable also
/// where bodies are lighter than what they displace. Then bodies, under the impulses of the gas, by
/// the scene's solid solver, with contact as in AdmmIpc. What that changes (contact, and elasticity
/// beyond the linear) the gas hears of in the next step.
///
/// Weak: the same without the answer; bodies are taken to move on as they do.
class BoundaryMap final : public Method {
 public:
  enum class Exchange { at_once, weak };

  BoundaryMap(const scene::Scene& scene, const solid::DeformableSystem& solids, Exchange exchange);

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
  void immerse(double h, const ExternalActions& actions, const solid::DeformableSystem& solids,
               fluid::Gas& gas) override;
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  Exchange exchange_;
  Vec3 lower_, upper_;  // [m] of the domain, which bodies do not leave.
  AdmmIpc solids_;
  ElasticResponse response_;
  std::vector<EdgeIndices> rim_;      // ImmersedSolids::rim
  std::vector<std::uint8_t> sticks_;  // By its edges.
  const fluid::Gas* gas_ = nullptr;   // Of the substep.
  std::vector<Vec3> expected_;        // [m] by vertex
  std::vector<Vec3> forces_;          // [N] by vertex
};

}  // namespace sluice::coupling
