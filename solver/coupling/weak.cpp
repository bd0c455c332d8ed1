// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/weak.h"

#include <algorithm>
#include <cstddef>

#include "solver/coupling/divergence.h"
#include "solver/coupling/fluid_step.h"
#include "solver/fluid/particle_fluid.h"

namespace sluice::coupling {

Weak::Weak(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : solids_(scene, solids), guard_(scene, solids), predicted_(solids.positions.size()) {}

void Weak::begin_frame() {
  guard_.begin_frame();
  solids_.begin_frame();
}

Result<SubstepReport> Weak::step(double h, const ExternalActions& actions,
                                 solid::DeformableSystem& solids, fluid::Fluid* fluid,
                                 const StepNotes& notes) {
  constexpr auto role = SolidStep::FluidRole::is_carried;
  if (auto error =
          advance_fluid(h, actions, {solids.positions, solids.triangles}, fluid, notes.timer))
    return *error;
  auto* const particles = fluid::as<fluid::ParticleFluid>(fluid);
  if (particles == nullptr || solids.positions.empty()) {
    auto alone = solids_.step(h, actions, solids, particles, role, notes);
    if (alone) commit_fluid(fluid, notes.timer);
    return alone;
  }
  for (std::size_t i = 0; i < predicted_.size(); ++i)
    predicted_[i] = solids.positions[i] + h * solids.velocities[i];
  SubstepReport of_fluid;
  const std::int64_t bad =
      guard_.hold_off(h, actions, solids, predicted_, *particles, notes.timer, of_fluid);
  if (bad >= 0) return diverged(particles->name_of(bad), thrown_out);
  ExternalActions with_pressure = actions;
  with_pressure.forces = guard_.forces();
  auto solved = solids_.step(h, with_pressure, solids, particles, role, notes);
  if (!solved) return solved;
  SubstepReport& report = solved.value();
  report.iteration_count += of_fluid.iteration_count;
  report.residual = larger_or_nan(report.residual, of_fluid.residual);
  guard_.finish(solids, *particles, report);
  guard_.report_forces(h, notes, report);
  commit_fluid(fluid, notes.timer);
  return solved;
}

}  // namespace sluice::coupling
