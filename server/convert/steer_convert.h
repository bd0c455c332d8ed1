// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sluice/v1/sessions.pb.h"
#include "solver/scene/problem.h"
#include "solver/simulation.h"

namespace sluice::convert {

/// A command for the solver, or all problems of the message.
struct ConvertedSteer {
  std::optional<SteerCommand> command;   ///< Set if and only if `problems` is empty.
  std::vector<scene::Problem> problems;  ///< They have paths as `drag_body.radius`.
};

/// Converts a command: applies defaults and checks every range that sessions.proto documents.
/// Whether a body or a pin exists is checked later, by the Simulation.
[[nodiscard]] ConvertedSteer convert_steer(const v1::SteerCommand& command);

}  // namespace sluice::convert
