// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/weak.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "solver/contact/gap.h"
#include "solver/coupling/divergence.h"

namespace sluice::coupling {
namespace {

// Of the contact's gap, what is looked for beyond the ways that are expected.
constexpr double slack_part = 0.25;

}  // namespace

Weak::Weak(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : settings_(scene.coupling),
      predictor_(scene, solids),
      walls_(scene),
      solids_(scene, solids),
      contact_(scene, solids),
      immovable_(solids.positions.size(), std::numeric_limits<double>::infinity()),
      still_(solids.rigid_bodies.size(), RigidCompliance{Vec3::Zero(), 0, Mat3::Zero()}),
      inertia_(scene.fluids.size()),
      predicted_(solids.positions.size()) {}

void Weak::begin_frame() {
  contact_.begin_frame();
  solids_.begin_frame();
  finder_.forget();
}

Result<SubstepReport> Weak::step(double h, const ExternalActions& actions,
                                 solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
                                 const StepNotes& notes) {
  if (fluid == nullptr || solids.positions.empty())
    return solids_.step(h, actions, solids, fluid, notes);
  if (auto error = predictor_.advance_fluid(h, actions, {solids.positions, solids.triangles},
                                            *fluid, notes.timer))
    return *error;
  walls_.move(actions.obstacles, h);
  SubstepReport of_fluid;
  move_particles(h, solids, *fluid, notes, of_fluid);
  if (const auto bad = contact_.finish(h, fluid); bad >= 0) {
    return diverged(predictor_.name_of(*fluid, bad),
                    "contact with solids threw it out; a larger contact_distance or a smaller "
                    "max_substep_seconds may help");
  }
  ExternalActions with_pressure = actions;
  with_pressure.forces = contact_.forces();
  auto solved =
      solids_.step_solids(h, with_pressure, solids, fluid, AdmmIpc::FluidRole::is_carried, notes);
  if (!solved) return solved;
  SubstepReport& report = solved.value();
  report.iteration_count += of_fluid.iteration_count;
  report.residual = std::max(report.residual, of_fluid.residual);
  report.smallest_gap =
      std::min(report.smallest_gap,
               contact::smallest_gap(contact_.pairs(), {fluid->targets(), solids.positions}));
  report.contact_count += contact_.active_count();
  report.fluid_impulse = h * contact_.force_on_particles();
  report.solid_impulse -= report.fluid_impulse;
  if (notes.forces != nullptr) contact_.measure_forces(notes.forces->particles);
  fluid->commit();
  if (notes.timer != nullptr) notes.timer->finish(Stage::fluid_sorting);
  return solved;
}

// Holds the particles off solids that nothing moves from their way.
void Weak::move_particles(double h, const solid::DeformableSystem& solids,
                          fluid::ParticleFluid& fluid, const StepNotes& notes,
                          SubstepReport& report) {
  const auto finish = [&](Stage stage) {
    if (notes.timer != nullptr) notes.timer->finish(stage);
  };
  for (std::size_t m = 0; m < inertia_.size(); ++m)
    inertia_[m] = static_cast<double>(fluid.mass(m)) / (h * h);
  for (std::size_t i = 0; i < predicted_.size(); ++i)
    predicted_[i] = solids.positions[i] + h * solids.velocities[i];
  const ParticleMotion particles{
      fluid.positions(),           fluid.targets(), fluid.rows(),
      fluid.materials(),           inertia_,        fluid.lower().cast<double>(),
      fluid.upper().cast<double>()};
  const double gap = contact_.largest_gap();
  bounds_.begin({particles.positions, solids.positions}, {particles.targets, predicted_},
                slack_part * gap + walls_.largest_step());
  finder_.find(bounds_, contact_.surfaces(), gap, candidates_);
  contact::PairsView pairs(contact_.surfaces(), candidates_);
  pairs.leave_out_solids(particles.positions.size());
  contact_.begin(h, solids, predicted_, immovable_, still_, particles, pairs);
  finish(Stage::contact_detection);
  if (!contact_.has_pairs()) return;
  const double scale =
      contact_.inertia_of_particles() * settings_.contact_distance * settings_.contact_distance;
  for (int k = 0; k < settings_.max_iterations; ++k) {
    report.residual = std::sqrt(contact_.respond(k, walls_, predicted_) / scale);
    ++report.iteration_count;
    if (report.residual < settings_.tolerance || !std::isfinite(report.residual)) break;
  }
  finish(Stage::coupling);
}

}  // namespace sluice::coupling
