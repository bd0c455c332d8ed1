// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "solver/certificate/smoke_certificate.h"
#include "solver/scene/scene.h"
#include "solver/simulation.h"

namespace sluice::worker {

/// Feeds the smoke of a simulation to a SmokeCertificate, frame by frame.
class SmokeWatch {
 public:
  /// Whether the scene has a gas that carries smoke.
  [[nodiscard]] static bool is_for(const scene::Scene& scene);

  /// Starts at the frame at which `simulation` stands. If it was restored from a checkpoint, the
  /// checkpoint's smoke counts as allowed where it is.
  SmokeWatch(const scene::Scene& scene, const Simulation& simulation);

  /// Call it with each command that the simulation took: painted smoke is allowed where it is.
  void on_command(const SteerCommand& command);

  /// Checks the smoke of the frame at which `simulation` stands.
  [[nodiscard]] certificate::SmokeFindings check(const Simulation& simulation);

 private:
  [[nodiscard]] certificate::SmokeState state_of(const Simulation& simulation);

  std::vector<scene::Obstacle> obstacles_, placed_;  ///< At first; at their current places.
  std::array<bool, 3> is_periodic_;
  std::vector<Vec3> vertices_;
  std::vector<TriangleIndices> triangles_, around_volumes_;
  certificate::SmokeCertificate certificate_;
};

}  // namespace sluice::worker
