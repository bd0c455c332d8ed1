// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "solver/scene/scene.h"

namespace sluice::scene {

/// The estimated cost of a frame of a scene's deformable solids, by one way to solve for them.
struct FrameCost {
  double substep_count = 1;
  double seconds = 0;         ///< On one thread of a machine of 2024; good to a factor of three.
  std::string stiffest_body;  ///< Body that bounds the substeps; empty if stiffness does not.
};

/// Returns the cost by consensus ADMM: its substeps keep 2 k <= 32 m / h^2 at each vertex
/// (coupling/solid_step.h), k the sum of its elements' stiffness.
[[nodiscard]] FrameCost cost_of_consensus_admm(const Scene& scene);

/// Returns the cost by Newton's method over solids and contacts.
[[nodiscard]] FrameCost cost_of_newton(const Scene& scene);

}  // namespace sluice::scene
