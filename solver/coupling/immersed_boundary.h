// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solver/coupling/method.h"
#include "solver/coupling/solids_in_pressure.h"
#include "solver/fluid/abilities.h"

namespace sluice::coupling {

/// Elastic bodies in a gas that fills all of the domain, also where they are: the immersed boundary
/// method [Peskin2002]. The part of the method that happens on the fluid's grid is in
/// solver/fluid/immersed/immersed_points.h.
///
/// In each element of the bodies there are points, closer together than the grid's cells, where gas
/// and body move together; in a body with a volume, those next to its surface are left out, as the
/// gas that a point holds reaches as far as its weights do. The gas goes first, with the bodies
/// where they are going; the forces at the points are solved for with the pressure and with the
/// bodies' response to impulses in the step (elastic_response.h). Then the bodies go, under those
/// forces, by the scene's solid solver, with contact as in SolidStep; the changes by that step
/// reach the gas in the next one.
class ImmersedBoundary final : public Method {
 public:
  ImmersedBoundary(const scene::Scene& scene, const solid::DeformableSystem& solids);

  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const override {
    return elastic_.solid_step().longest_substep(solids);
  }
  [[nodiscard]] std::string what_shortens_substeps(
      const solid::DeformableSystem& solids) const override {
    return elastic_.solid_step().what_shortens_substeps(solids);
  }
  [[nodiscard]] bool is_worth_halving() const noexcept override {
    return elastic_.solid_step().is_worth_halving();
  }
  void begin_frame() override { elastic_.solid_step().begin_frame(); }
  void place_solids(const solid::DeformableSystem& solids, fluid::Fluid& fluid) override;
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::Fluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  void immerse(double h, const ExternalActions& actions, const solid::DeformableSystem& solids,
               fluid::MovesSolids& fluid);

  SolidsInPressure elastic_;
  std::vector<fluid::SolidPoint> points_;
};

}  // namespace sluice::coupling
