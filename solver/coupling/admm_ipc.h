// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "solver/coupling/method.h"
#include "solver/coupling/solid_step.h"

namespace sluice::coupling {

/// Steps solids and fluid together: ADMM-IPC, [Yang2023] Algorithm 5. The fluid goes first, to
/// where it would go without solids, parted at their surfaces; then solids and particles answer
/// each other's contact in one iteration (solid_step.h).
class AdmmIpc final : public Method {
 public:
  AdmmIpc(const scene::Scene& scene, const solid::DeformableSystem& solids);

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
  void renumber_particles(std::span<const std::uint32_t> former_rows) override {
    solids_.renumber_particles(former_rows);
  }
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::Fluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  SolidStep solids_;
};

}  // namespace sluice::coupling
