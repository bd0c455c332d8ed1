// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "solver/certificate/smoke_certificate.h"
#include "solver/scene/scene.h"
#include "solver/simulation.h"

namespace sluice::worker {

/// Shows the smoke of a simulation to a SmokeCertificate, frame by frame.
class SmokeWatch {
 public:
  /// Whether the scene has smoke to watch.
  [[nodiscard]] static bool is_for(const scene::Scene& scene);

  /// From the frame at which `simulation` stands. Of a simulation that was restored from a
  /// checkpoint, smoke may be where the checkpoint has it.
  SmokeWatch(const scene::Scene& scene, const Simulation& simulation);

  /// To be told of commands that the simulation took: smoke may be where it is painted.
  void on_command(const SteerCommand& command);

  /// What smoke did until the frame at which `simulation` stands.
  [[nodiscard]] certificate::SmokeFindings check(const Simulation& simulation);

 private:
  [[nodiscard]] certificate::SmokeState state_of(const Simulation& simulation);

  std::vector<scene::Obstacle> obstacles_, placed_;  ///< As in the scene; where they are.
  std::array<bool, 3> is_periodic_{};
  std::vector<Vec3> vertices_;
  std::vector<TriangleIndices> triangles_, around_volumes_;
  std::optional<certificate::SmokeCertificate> certificate_;
};

}  // namespace sluice::worker
