// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts an integrator; a number that is no integrator of the enum gives consensus ADMM.
[[nodiscard]] scene::Integrator convert_integrator(v1::Integrator integrator);

/// Returns the name (of sluice.v1.Integrator) of the method that solves the steps of the scene's
/// deformable solids. Empty for a scene without deformable solids, and with Newton-IPC.
[[nodiscard]] std::string name_of_integrator(const scene::Scene& scene);

}  // namespace sluice::convert
