// SPDX-License-Identifier: Apache-2.0
#include "sluice/session.h"

#include <random>

#include "client/lib/backoff.h"
#include "client/lib/channel.h"

namespace sluice::client {
namespace {

/// A random UUID (RFC 9562, version 4).
std::string make_request_id() {
  std::random_device device;
  constexpr char digits[] = "0123456789abcdef";
  std::string id = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  for (char& c : id) {
    if (c == 'x') {
      c = digits[device() & 15U];
    } else if (c == 'y') {
      c = digits[8U | (device() & 3U)];
    }
  }
  return id;
}

/// The calls that take a name alone.
template <class Request, class Response>
Response call_with_name(const Connection& connection,
                        grpc::Status (v1::Sessions::Stub::*method)(grpc::ClientContext*,
                                                                   const Request&, Response*),
                        const std::string& name) {
  Request request;
  request.set_name(name);
  return call(connection, method, *connection.impl().sessions, request);
}

}  // namespace

v1::Session create_session(const Connection& connection, const v1::Scene& scene,
                           const CreateOptions& options) {
  v1::CreateSessionRequest request;
  *request.mutable_scene() = scene;
  *request.mutable_session()->mutable_options() = options.run;
  request.mutable_session()->set_display_name(options.display_name);
  request.set_session_id(options.session_id);
  request.mutable_recorded_commands()->Assign(options.recorded_commands.begin(),
                                              options.recorded_commands.end());
  request.set_request_id(options.request_id.empty() ? make_request_id() : options.request_id);
  Backoff backoff(connection.options().retry_for, connection.options().stop);
  for (;;) {
    try {
      return call(connection, &v1::Sessions::Stub::Create, *connection.impl().sessions, request);
    } catch (const Error& error) {
      if (!is_transient(error.kind()) || !backoff.wait()) {
        throw;
      }
    }
  }
}

v1::Session get_session(const Connection& connection, const std::string& name) {
  return call_with_name(connection, &v1::Sessions::Stub::Get, name);
}

v1::Scene get_session_scene(const Connection& connection, const std::string& name) {
  return call_with_name(connection, &v1::Sessions::Stub::GetScene, name);
}

std::vector<v1::Session> list_sessions(const Connection& connection,
                                       const std::vector<v1::SessionState>& states) {
  v1::ListSessionsRequest request;
  request.set_page_size(1000);
  for (const v1::SessionState state : states) {
    request.add_states(state);
  }
  std::vector<v1::Session> sessions;
  do {
    v1::ListSessionsResponse page =
        call(connection, &v1::Sessions::Stub::List, *connection.impl().sessions, request);
    for (v1::Session& session : *page.mutable_sessions()) {
      sessions.push_back(std::move(session));
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return sessions;
}

void delete_session(const Connection& connection, const std::string& name) {
  call_with_name(connection, &v1::Sessions::Stub::Delete, name);
}

v1::Session pause_session(const Connection& connection, const std::string& name) {
  return call_with_name(connection, &v1::Sessions::Stub::Pause, name);
}

v1::Session resume_session(const Connection& connection, const std::string& name) {
  return call_with_name(connection, &v1::Sessions::Stub::Resume, name);
}

v1::Session step_session(const Connection& connection, const std::string& name,
                         std::int64_t frame_count) {
  v1::StepSessionRequest request;
  request.set_name(name);
  request.set_frame_count(frame_count);
  return call(connection, &v1::Sessions::Stub::Step, *connection.impl().sessions, request);
}

v1::Session cancel_session(const Connection& connection, const std::string& name) {
  return call_with_name(connection, &v1::Sessions::Stub::Cancel, name);
}

v1::Session renew_lease(const Connection& connection, const std::string& name) {
  return call_with_name(connection, &v1::Sessions::Stub::RenewLease, name);
}

std::int64_t steer_session(const Connection& connection, const std::string& name,
                           const v1::SteerCommand& command) {
  v1::SteerSessionRequest request;
  request.set_name(name);
  *request.mutable_command() = command;
  return call(connection, &v1::Sessions::Stub::Steer, *connection.impl().sessions, request)
      .frame_index();
}

std::vector<v1::RecordedCommand> list_commands(const Connection& connection,
                                               const std::string& name) {
  v1::ListCommandsRequest request;
  request.set_name(name);
  request.set_page_size(10'000);
  std::vector<v1::RecordedCommand> commands;
  do {
    v1::ListCommandsResponse page =
        call(connection, &v1::Sessions::Stub::ListCommands, *connection.impl().sessions, request);
    for (v1::RecordedCommand& command : *page.mutable_commands()) {
      commands.push_back(std::move(command));
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return commands;
}

bool is_terminal(v1::SessionState state) noexcept {
  return state == v1::SESSION_STATE_SUCCEEDED || state == v1::SESSION_STATE_FAILED ||
         state == v1::SESSION_STATE_CANCELLED;
}

}  // namespace sluice::client
