// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/api/checks.h"
#include "server/session/sessions.h"
#include "sluice/v1/sessions.pb.h"

/// Checks of requests about commands. Pure functions; each one reports everything that is wrong at
/// once, for a list of commands up to the twentieth bad command.
namespace sluice::api {

/// Checks each command's values, and that its frame is in order and not above `last_frame`. Whether
/// a body exists is checked later, by the worker.
void check_recorded_commands(const v1::CreateSessionRequest& request, std::int64_t last_frame,
                             Violations& violations);

/// A checked request of `ListCommands`.
struct CommandListOrder {
  std::string session_id;
  store::CommandCursor after;
  int page_size = 0;
};
[[nodiscard]] session::Result<CommandListOrder> check_list_commands(
    const v1::ListCommandsRequest& request);

/// Returns the token of the page that begins behind `cursor`.
[[nodiscard]] std::string command_page_token(const store::CommandCursor& cursor);

}  // namespace sluice::api
