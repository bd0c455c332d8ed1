// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/connection.h"
#include "sluice/v1/scene.pb.h"
#include "sluice/v1/sessions.pb.h"

// The calls on sessions. Each throws `Error` with the kinds that `sluice/v1/sessions.proto` lists
// for its call, and `unavailable` or `deadline_exceeded`. Names have the form `sessions/{session}`.
namespace sluice::client {

struct CreateOptions {
  std::string display_name{};  ///< Name for people; if empty, the scene's name.
  std::string session_id{};    ///< Last part of the name; if empty, the server chooses one.
  std::string request_id{};    ///< Makes the call idempotent; if empty, a random UUID.
  v1::RunOptions run{};        ///< Options of the run.
  std::vector<v1::RecordedCommand> recorded_commands{};  ///< Commands of a run to repeat.
};

/// Creates a session and queues it. Meshes of `scene` must be assets (see `scene_file.h`). The call
/// is repeated while the server is unavailable; that creates no second session.
v1::Session create_session(const Connection& connection, const v1::Scene& scene,
                           const CreateOptions& options = {});

v1::Session get_session(const Connection& connection, const std::string& name);

/// Gets the scene that a session was created with, its meshes as assets.
v1::Scene get_session_scene(const Connection& connection, const std::string& name);

/// Lists all sessions in one of `states` (any state if empty), newest first, over all pages.
std::vector<v1::Session> list_sessions(const Connection& connection,
                                       const std::vector<v1::SessionState>& states = {});

void delete_session(const Connection& connection, const std::string& name);
v1::Session pause_session(const Connection& connection, const std::string& name);
v1::Session resume_session(const Connection& connection, const std::string& name);
v1::Session step_session(const Connection& connection, const std::string& name,
                         std::int64_t frame_count = 1);
v1::Session cancel_session(const Connection& connection, const std::string& name);
v1::Session renew_lease(const Connection& connection, const std::string& name);

/// Gives a steering command. Returns the first frame on which it acts.
std::int64_t steer_session(const Connection& connection, const std::string& name,
                           const v1::SteerCommand& command);

/// Lists the commands that act on a session, in order, over all pages. A replay takes them as
/// `CreateOptions::recorded_commands`.
std::vector<v1::RecordedCommand> list_commands(const Connection& connection,
                                               const std::string& name);

/// Whether a state is final: succeeded, failed or cancelled.
[[nodiscard]] bool is_terminal(v1::SessionState state) noexcept;

}  // namespace sluice::client
