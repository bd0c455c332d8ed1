// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "solver/coupling/method.h"
#include "solver/coupling/solid_step.h"
#include "solver/coupling/surface_guard.h"

namespace sluice::coupling {

/// Weak (partitioned) coupling, [Yang2023] 2.2.2: in a substep fluid moves first, along solids that
/// it takes to move on at the velocities they have; then the solids, pressed by the forces that
/// held particles off them: the sum of the particles' contact forces is the integral (2.32) of
/// pressure over the surface. Solids meet each other, themselves and walls as in SolidStep, and the
/// step filter keeps everything from crossing.
///
/// Each side hears of the other a step late. Where the fluid that a solid moves is heavier than the
/// solid, the force on the solid is more than its inertia undoes, and the motion grows from step to
/// step: the known limit of partitioned methods. Momentum is still exchanged in equal parts.
class Weak final : public Method {
 public:
  Weak(const scene::Scene& scene, const solid::DeformableSystem& solids);

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
  void begin_frame() override;
  void renumber_particles(std::span<const std::uint32_t> former_rows) override {
    guard_.renumber_particles(former_rows);
  }
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::Fluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  SolidStep solids_;
  SurfaceGuard guard_;
  std::vector<Vec3> predicted_;  ///< [m] by vertex
};

}  // namespace sluice::coupling
