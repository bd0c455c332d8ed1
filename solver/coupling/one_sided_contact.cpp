// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/one_sided_contact.h"

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

OneSidedContact::OneSidedContact(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : settings_(scene.coupling),
      walls_(scene),
      contact_(scene, solids),
      immovable_(solids.positions.size(), std::numeric_limits<double>::infinity()),
      still_(solids.rigid_bodies.size(), RigidCompliance{Vec3::Zero(), 0, Mat3::Zero()}),
      inertia_(scene.fluids.size()) {
  for (const scene::Fluid& fluid : scene.fluids)
    fluid_names_.push_back(fluid.name);
}

void OneSidedContact::begin_frame() {
  contact_.begin_frame();
  finder_.forget();
}

std::optional<Error> OneSidedContact::hold_off(double h, const ExternalActions& actions,
                                               const solid::DeformableSystem& solids,
                                               std::span<Vec3> predicted,
                                               fluid::ParticleFluid& fluid, const StepNotes& notes,
                                               SubstepReport& report) {
  const auto finish = [&](Stage stage) {
    if (notes.timer != nullptr) notes.timer->finish(stage);
  };
  walls_.move(actions.obstacles, h);
  for (std::size_t m = 0; m < inertia_.size(); ++m)
    inertia_[m] = static_cast<double>(fluid.mass(m)) / (h * h);
  const ParticleMotion particles{
      fluid.positions(),           fluid.targets(), fluid.rows(),
      fluid.materials(),           inertia_,        fluid.lower().cast<double>(),
      fluid.upper().cast<double>()};
  const double gap = contact_.largest_gap();
  bounds_.begin({particles.positions, solids.positions}, {particles.targets, predicted},
                slack_part * gap + walls_.largest_step());
  finder_.find(bounds_, contact_.surfaces(), gap, candidates_);
  contact::PairsView pairs(contact_.surfaces(), candidates_);
  pairs.leave_out_solids(particles.positions.size());
  contact_.begin(h, solids, predicted, immovable_, still_, particles, pairs);
  finish(Stage::contact_detection);
  const double scale =
      contact_.inertia_of_particles() * settings_.contact_distance * settings_.contact_distance;
  for (int k = 0; contact_.has_pairs() && k < settings_.max_iterations; ++k) {
    const double residual = std::sqrt(contact_.respond(k, walls_, predicted) / scale);
    ++report.iteration_count;
    report.residual = residual;
    if (residual < settings_.tolerance || !std::isfinite(residual)) break;
  }
  finish(Stage::coupling);
  const auto bad = contact_.finish(h, &fluid);
  if (bad < 0) return std::nullopt;
  return diverged(fluid_names_[fluid.materials()[static_cast<std::size_t>(bad)]],
                  "contact with solids threw it out; a larger contact_distance or a smaller "
                  "max_substep_seconds may help");
}

void OneSidedContact::report_to(double h, const solid::DeformableSystem& solids,
                                fluid::ParticleFluid& fluid, const StepNotes& notes,
                                SubstepReport& report) const {
  report.smallest_gap =
      std::min(report.smallest_gap,
               contact::smallest_gap(contact_.pairs(), {fluid.targets(), solids.positions}));
  report.contact_count += contact_.active_count();
  report.fluid_impulse = h * contact_.force_on_particles();
  if (notes.forces != nullptr) contact_.measure_forces(notes.forces->particles);
}

}  // namespace sluice::coupling
