// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/api/checks.h"
#include "server/session/sessions.h"
#include "sluice/v1/sessions.pb.h"

/// What requests about commands must be. Pure; each check tells all that is wrong at once, of a
/// long list the first twenty.
namespace sluice::api {

/// Checks each command's values and frame, which must not be above `last_frame`. Whether a body
/// exists is for the worker to say.
void check_recorded_commands(const v1::CreateSessionRequest& request, std::int64_t last_frame,
                             Violations& violations);

/// A checked `ListCommands`.
struct CommandListOrder {
  std::string session_id;
  store::CommandCursor after;
  int page_size = 0;
};
[[nodiscard]] session::Result<CommandListOrder> check_list_commands(
    const v1::ListCommandsRequest& request);

/// What the next page begins behind, as a token.
[[nodiscard]] std::string command_page_token(const store::CommandCursor& cursor);

}  // namespace sluice::api
