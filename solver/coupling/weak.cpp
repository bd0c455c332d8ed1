// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/weak.h"

#include <algorithm>
#include <cstddef>

#include "solver/coupling/divergence.h"

namespace sluice::coupling {

Weak::Weak(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : predictor_(scene, solids),
      solids_(scene, solids),
      guard_(scene, solids),
      predicted_(solids.positions.size()) {}

void Weak::begin_frame() {
  guard_.begin_frame();
  solids_.begin_frame();
}

Result<SubstepReport> Weak::step(double h, const ExternalActions& actions,
                                 solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
                                 const StepNotes& notes) {
  if (fluid == nullptr || solids.positions.empty())
    return solids_.step(h, actions, solids, fluid, notes);
  if (auto error = predictor_.advance_fluid(h, actions, {solids.positions, solids.triangles},
                                            *fluid, notes.timer))
    return *error;
  for (std::size_t i = 0; i < predicted_.size(); ++i)
    predicted_[i] = solids.positions[i] + h * solids.velocities[i];
  SubstepReport of_fluid;
  const std::int64_t bad =
      guard_.hold_off(h, actions, solids, predicted_, *fluid, notes.timer, of_fluid);
  if (bad >= 0) return diverged(predictor_.name_of(*fluid, bad), thrown_out);
  ExternalActions with_pressure = actions;
  with_pressure.forces = guard_.forces();
  auto solved =
      solids_.step_solids(h, with_pressure, solids, fluid, AdmmIpc::FluidRole::is_carried, notes);
  if (!solved) return solved;
  SubstepReport& report = solved.value();
  report.iteration_count += of_fluid.iteration_count;
  report.residual = larger_or_nan(report.residual, of_fluid.residual);
  guard_.finish(solids, *fluid, report);
  guard_.report_forces(h, notes, report);
  fluid->commit();
  if (notes.timer != nullptr) notes.timer->finish(Stage::fluid_sorting);
  return solved;
}

}  // namespace sluice::coupling
