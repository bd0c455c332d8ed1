// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/coupling/method.h"
#include "solver/coupling/rigid_step.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/wind.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The start of the solids' part of a substep: where they go without contact and elasticity.
class SolidPredictor {
 public:
  SolidPredictor(const scene::Scene& scene, const solid::DeformableSystem& solids);

  /// Sets the inertial targets of all vertices under gravity, wind, anchors and forces, and starts
  /// the substep of the rigid bodies, whose vertices go where the bodies take them.
  void predict(double h, const ExternalActions& actions, const solid::DeformableSystem& solids,
               RigidStep& rigid, solid::InertialTerm& term);

 private:
  solid::WindForce wind_;
  std::vector<Vec3> forces_;  ///< [N] by vertex, of wind and the actions; empty without both.
};

}  // namespace sluice::coupling
