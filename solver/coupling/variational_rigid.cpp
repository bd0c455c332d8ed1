// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/variational_rigid.h"

#include <algorithm>
#include <cstddef>

#include "solver/coupling/divergence.h"
#include "solver/coupling/fluid_step.h"

namespace sluice::coupling {

VariationalRigid::VariationalRigid(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : solids_(scene, solids), bodies_(scene, solids) {}

double VariationalRigid::longest_substep(const solid::DeformableSystem& solids) const {
  return std::min(solids_.longest_substep(solids), bodies_.longest_substep(solids));
}

Result<SubstepReport> VariationalRigid::step(double h, const ExternalActions& actions,
                                             solid::DeformableSystem& solids, fluid::Fluid* fluid,
                                             const StepNotes& notes) {
  constexpr auto role = SolidStep::FluidRole::is_carried;
  auto* const particles = fluid::as<fluid::ParticleFluid>(fluid);
  auto* const pressure = fluid::as<fluid::MovesRigidBodies>(fluid);
  const bool is_wet = particles != nullptr && pressure != nullptr && !solids.positions.empty();
  if (is_wet) bodies_.immerse(h, actions, solids, *pressure);
  if (auto error = advance_fluid(h, actions, {}, fluid, notes.timer)) return *error;
  if (!is_wet) {
    auto alone = solids_.step(h, actions, solids, particles, role, notes);
    if (alone) commit_fluid(fluid, notes.timer);
    return alone;
  }
  if (auto error = bodies_.press(h, solids, *pressure)) return *error;
  SubstepReport of_fluid;
  bodies_.hold_off(h, actions, solids, *particles, notes.timer, of_fluid);
  ExternalActions with_pressure = actions;
  with_pressure.anchors = {};
  with_pressure.wrenches = bodies_.wrenches();
  auto solved = solids_.step(h, with_pressure, solids, particles, role, notes);
  if (!solved) return solved;
  if (bodies_.have_blown_up(actions.gravity, solids)) {
    return diverged(solids.bodies[static_cast<std::size_t>(solids.rigid_bodies.front().body)].name,
                    "contact threw it or another body out; a smaller max_substep_seconds may help");
  }
  SubstepReport& report = solved.value();
  report.smallest_gap = std::min(report.smallest_gap, of_fluid.smallest_gap);
  report.contact_count += of_fluid.contact_count;
  bodies_.keep_contact(h, actions.gravity, solids, solids_.rigid_step(), *pressure);
  commit_fluid(fluid, notes.timer);
  return solved;
}

}  // namespace sluice::coupling
