// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/surface_guard.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "solver/contact/gap.h"

namespace sluice::coupling {
namespace {

// Pairs are looked for beyond the ways that are expected by this part of the contact's gap.
constexpr double search_slack = 0.25;

}  // namespace

SurfaceGuard::SurfaceGuard(const scene::Scene& scene, const solid::DeformableSystem& solids,
                           double most_against)
    : settings_(scene.coupling),
      most_against_(most_against),
      walls_(scene),
      contact_(scene, solids),
      immovable_(solids.positions.size(), std::numeric_limits<double>::infinity()),
      still_(solids.rigid_bodies.size(), RigidCompliance{Vec3::Zero(), 0, Mat3::Zero()}),
      inertia_(scene.fluids.size()) {}

void SurfaceGuard::begin_frame() {
  contact_.begin_frame();
  finder_.forget();
}

std::int64_t SurfaceGuard::hold_off(double h, const ExternalActions& actions,
                                    const solid::DeformableSystem& solids,
                                    std::span<const Vec3> ends, fluid::ParticleFluid& fluid,
                                    StageTimer* timer, SubstepReport& report) {
  walls_.move(actions.obstacles, h);
  for (std::size_t m = 0; m < inertia_.size(); ++m)
    inertia_[m] = static_cast<double>(fluid.mass(m)) / (h * h);
  ends_.assign(ends.begin(), ends.end());
  const ParticleMotion particles{
      fluid.positions(),           fluid.targets(), fluid.rows(),
      fluid.materials(),           inertia_,        fluid.lower().cast<double>(),
      fluid.upper().cast<double>()};
  const double gap = contact_.largest_gap();
  bounds_.begin({particles.positions, solids.positions}, {particles.targets, ends_},
                search_slack * gap + walls_.largest_step());
  finder_.find(bounds_, contact_.surfaces(), gap, candidates_);
  contact::PairsView pairs(contact_.surfaces(), candidates_);
  pairs.leave_out_solids(particles.positions.size());
  contact_.begin(h, solids, ends_, immovable_, still_, particles, pairs);
  if (timer != nullptr) timer->finish(Stage::contact_detection);
  if (contact_.has_pairs()) {
    const double scale =
        contact_.inertia_of_particles() * settings_.contact_distance * settings_.contact_distance;
    for (int k = 0; k < settings_.max_iterations; ++k) {
      report.residual = std::sqrt(contact_.respond(k, walls_, ends_) / scale);
      ++report.iteration_count;
      if (report.residual < settings_.tolerance || !std::isfinite(report.residual)) break;
    }
    if (timer != nullptr) timer->finish(Stage::coupling);
  }
  return contact_.finish(h, &fluid, most_against_);
}

void SurfaceGuard::finish(const solid::DeformableSystem& solids, fluid::ParticleFluid& fluid,
                          SubstepReport& report) const {
  report.smallest_gap =
      std::min(report.smallest_gap,
               contact::smallest_gap(contact_.pairs(), {fluid.targets(), solids.positions}));
  report.contact_count += contact_.active_count();
}

void SurfaceGuard::report_forces(double h, const StepNotes& notes, SubstepReport& report) const {
  report.fluid_impulse = h * contact_.force_on_particles();
  report.solid_impulse -= report.fluid_impulse;
  if (notes.forces != nullptr) contact_.measure_forces(notes.forces->particles);
}

}  // namespace sluice::coupling
