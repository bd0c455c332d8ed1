// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/variational_rigid.h"

#include <algorithm>
#include <cstddef>

#include "solver/coupling/divergence.h"

namespace sluice::coupling {

VariationalRigid::VariationalRigid(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : predictor_(scene, solids),
      solids_(scene, solids),
      bodies_(scene, solids),
      guard_(scene, solids),
      walls_(scene) {}

double VariationalRigid::longest_substep(const solid::DeformableSystem& solids) const {
  return std::min(solids_.longest_substep(solids), bodies_.longest_substep(solids));
}

Result<SubstepReport> VariationalRigid::step(double h, const ExternalActions& actions,
                                             solid::DeformableSystem& solids,
                                             fluid::ParticleFluid* fluid, const StepNotes& notes) {
  if (fluid == nullptr || solids.positions.empty())
    return solids_.step(h, actions, solids, fluid, notes);
  bodies_.immerse(h, actions, solids, *fluid);
  if (auto error = predictor_.advance_fluid(h, actions, {}, *fluid, notes.timer)) return *error;
  if (auto error = bodies_.press(h, solids, *fluid)) return *error;
  walls_.move(actions.obstacles, h);
  const ParticleGuard::Report held =
      guard_.hold_off(h, solids, {bodies_.ends(), bodies_.carried()}, walls_, *fluid);
  if (notes.timer != nullptr) notes.timer->finish(Stage::coupling);
  ExternalActions with_pressure = actions;
  with_pressure.anchors = {};
  with_pressure.wrenches = bodies_.wrenches();
  auto solved =
      solids_.step_solids(h, with_pressure, solids, fluid, AdmmIpc::FluidRole::is_carried, notes);
  if (!solved) return solved;
  if (bodies_.have_blown_up(actions.gravity, solids)) {
    return diverged(solids.bodies[static_cast<std::size_t>(solids.rigid_bodies.front().body)].name,
                    "contact threw it or another body out; a smaller max_substep_seconds may help");
  }
  SubstepReport& report = solved.value();
  report.smallest_gap = std::min(report.smallest_gap, held.smallest_gap);
  report.contact_count += held.contact_count;
  bodies_.keep_contact(h, actions.gravity, solids, solids_.rigid_step(), held.taken, *fluid);
  fluid->commit();
  if (notes.timer != nullptr) notes.timer->finish(Stage::fluid_sorting);
  return solved;
}

}  // namespace sluice::coupling
