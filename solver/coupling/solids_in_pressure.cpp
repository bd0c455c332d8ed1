// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/solids_in_pressure.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sluice::coupling {

SolidsInPressure::SolidsInPressure(const scene::Scene& scene, const solid::DeformableSystem& solids,
                                   Exchange exchange, AttachedMass attached_mass)
    : exchange_(exchange),
      attached_mass_(std::move(attached_mass)),
      lower_(scene.domain_lower),
      upper_(scene.domain_upper),
      solids_(scene, solids),
      response_(solids, theta_of(scene)) {}

fluid::ImmersedSolids SolidsInPressure::begin(double h, const ExternalActions& actions,
                                              const solid::DeformableSystem& solids) {
  expected_ = solids.positions;
  for (std::size_t i = 0; i < expected_.size(); ++i)
    expected_[i] = (expected_[i] + h * solids.velocities[i]).cwiseMax(lower_).cwiseMin(upper_);
  fluid::ImmersedSolids immersed{.positions = expected_, .velocities = solids.velocities};
  if (h > 0 && exchange_ == Exchange::at_once) {
    response_.begin(h, actions.gravity, actions.anchors, solids);
    immersed.velocities = response_.velocities();
    immersed.response = &response_;
  }
  return immersed;
}

void SolidsInPressure::expect(double h, const solid::DeformableSystem& solids,
                              std::span<const Vec3> velocities) {
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    expected_[i] = exchange_ == Exchange::at_once
                       ? Vec3(response_.ends()[i] + response_.way_per_change() *
                                                        (velocities[i] - response_.velocities()[i]))
                       : Vec3(solids.positions[i] + h * solids.velocities[i]);
  }
}

Result<SubstepReport> SolidsInPressure::step(double h, const ExternalActions& actions,
                                             std::span<const Vec3> impulses,
                                             solid::DeformableSystem& solids,
                                             fluid::ParticleFluid* particles,
                                             const StepNotes& notes) {
  forces_.assign(impulses.begin(), impulses.end());
  for (Vec3& force : forces_)
    force /= h;
  anchors_.assign(actions.anchors.begin(), actions.anchors.end());
  const std::span<const Mat3> attached = response_.attached();
  for (std::size_t i = 0; i < attached.size(); ++i) {
    const double stiffness = attached_mass_(attached[i]) / (h * response_.way_per_change());
    if (stiffness > 0) anchors_.push_back({static_cast<std::int32_t>(i), stiffness, expected_[i]});
  }
  ExternalActions with_fluid = actions;
  with_fluid.anchors = anchors_;
  if (exchange_ == Exchange::at_once) with_fluid.time_rule = response_.rule();
  with_fluid.forces = forces_;
  with_fluid.likely_ends = expected_;
  return solids_.step(h, with_fluid, solids, particles, SolidStep::FluidRole::is_caught, notes);
}

}  // namespace sluice::coupling
