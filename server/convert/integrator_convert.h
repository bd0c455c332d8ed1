// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Consensus ADMM for what is no value of the enum.
[[nodiscard]] scene::Integrator convert_integrator(v1::Integrator integrator);

/// The name of the value of sluice.v1.Integrator that solves the steps of the scene's deformable
/// solids; empty where none does: without such bodies, and with Newton-IPC.
[[nodiscard]] std::string name_of_integrator(const scene::Scene& scene);

}  // namespace sluice::convert
