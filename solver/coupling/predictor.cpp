// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/predictor.h"

#include <algorithm>
#include <cstddef>

#include "solver/coupling/divergence.h"

namespace sluice::coupling {

Predictor::Predictor(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : wind_(scene.wind, solids) {
  for (const scene::Fluid& fluid : scene.fluids)
    fluid_names_.push_back(fluid.name);
}

std::optional<Error> Predictor::advance_fluid(double h, const ExternalActions& actions,
                                              const fluid::Surfaces& surfaces,
                                              fluid::ParticleFluid& fluid,
                                              StageTimer* timer) const {
  fluid.set_obstacles(actions.obstacles);
  fluid.set_surfaces(surfaces);
  fluid.advance_velocities(h, actions.gravity, actions.pushes, timer);
  const auto bad = fluid.first_not_finite();
  if (bad < 0) return std::nullopt;
  return diverged(name_of(fluid, bad),
                  "the flow became too fast for its grid; a smaller cfl_number, a gentler push or, "
                  "with FLUID_SOLVER_MPM, a larger sound_speed may help");
}

void Predictor::predict_solids(double h, const ExternalActions& actions,
                               const solid::DeformableSystem& solids, RigidStep& rigid,
                               solid::InertialTerm& term) {
  forces_.assign(actions.forces.begin(), actions.forces.end());
  if (wind_.is_blowing()) {
    forces_.resize(solids.positions.size(), Vec3::Zero());
    wind_.add(solids, actions.time, h, forces_);
  }
  solid::set_inertial_term(solids, h, actions.gravity, forces_, actions.anchors, term,
                           actions.time_rule);
  rigid.begin(h, {actions.gravity, actions.anchors, forces_, actions.time, actions.wrenches},
              solids, term.targets);
}

const std::string& Predictor::name_of(const fluid::ParticleFluid& fluid,
                                      std::int64_t particle) const {
  return fluid_names_[fluid.materials()[static_cast<std::size_t>(particle)]];
}

}  // namespace sluice::coupling
