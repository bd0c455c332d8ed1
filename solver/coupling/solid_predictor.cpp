// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/solid_predictor.h"

namespace sluice::coupling {

SolidPredictor::SolidPredictor(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : wind_(scene.wind, solids) {}

void SolidPredictor::predict(double h, const ExternalActions& actions,
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

}  // namespace sluice::coupling
