// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/coupling/method.h"
#include "solver/coupling/rigid_step.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/wind.h"
#include "solver/stages.h"
#include "solver/types.h"

namespace sluice::coupling {

/// What a substep begins with: where fluid and solids go without each other.
class Predictor {
 public:
  Predictor(const scene::Scene& scene, const solid::DeformableSystem& solids);

  /// The fluid's step: sets the fluid's velocities and targets. Through `surfaces` the grid carries
  /// nothing. An error where the flow has blown up.
  [[nodiscard]] std::optional<Error> advance_fluid(double h, const ExternalActions& actions,
                                                   const fluid::Surfaces& surfaces,
                                                   fluid::ParticleFluid& fluid,
                                                   StageTimer* timer) const;

  /// The inertial targets of all vertices under gravity, wind, anchors and forces; starts the
  /// substep of the rigid bodies, whose vertices go where they take them.
  void predict_solids(double h, const ExternalActions& actions,
                      const solid::DeformableSystem& solids, RigidStep& rigid,
                      solid::InertialTerm& term);

  /// Name of the fluid that a particle is of.
  [[nodiscard]] const std::string& name_of(const fluid::ParticleFluid& fluid,
                                           std::int64_t particle) const;

 private:
  std::vector<std::string> fluid_names_;
  solid::WindForce wind_;
  std::vector<Vec3> forces_;  ///< [N] by vertex, of wind and the actions; empty without both.
};

}  // namespace sluice::coupling
