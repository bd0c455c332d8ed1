// SPDX-License-Identifier: Apache-2.0
#include "sluice/session.h"

#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/cli/choice.h"
#include "client/cli/commands/commands.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/warning_log.h"

namespace sluice::cli {
namespace {

std::string frames_of(const v1::Session& session) {
  return fmt::format("{}/{}", session.frame_count(), session.total_frame_count());
}

/// State with its reason: `paused (disk full)`.
std::string state_of(const v1::Session& session) {
  const std::string reason = short_name(session.reason());
  return short_name(session.state()) + (reason.empty() ? "" : " (" + reason + ")");
}

void print_session(const Program& program, const v1::Session& session) {
  if (program.json) {
    print_json(to_json(session));
    return;
  }
  using google::protobuf::util::TimeUtil;
  std::vector<std::vector<std::string>> rows{{"name", session.name()},
                                             {"display name", session.display_name()},
                                             {"state", state_of(session)}};
  const auto row = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) {
      rows.push_back({key, value});
    }
  };
  row("message", session.message());
  row("frames", frames_of(session));
  row("rate", session.frames_per_second() > 0
                  ? fmt::format("{:.3g} frames/s", session.frames_per_second())
                  : "");
  row("particles", std::to_string(session.particle_count()));
  row("vertices", std::to_string(session.vertex_count()));
  row("stored", format_bytes(session.stored_byte_count()));
  row("checkpoint",
      session.checkpoint_frame() >= 0 ? fmt::format("frame {}", session.checkpoint_frame()) : "");
  row("worker", session.worker_pid() > 0 ? fmt::format("process {}", session.worker_pid()) : "");
  row("restarts", session.restart_count() > 0 ? std::to_string(session.restart_count()) : "");
  row("replays", session.recorded_command_count() > 0
                     ? fmt::format("{} commands", session.recorded_command_count())
                     : "");
  row("created", TimeUtil::ToString(session.create_time()));
  row("changed", TimeUtil::ToString(session.update_time()));
  row("lease ends",
      session.has_lease_expire_time() ? TimeUtil::ToString(session.lease_expire_time()) : "");
  for (const v1::SessionWarning& warning : session.warnings()) {
    rows.push_back({"warning", in_words(warning)});
  }
  print_data(format_table(rows));
}

/// The words of `--state`.
std::vector<std::string> state_words() {
  std::vector<std::string> words;
  for (int i = v1::SESSION_STATE_PENDING; i <= v1::SESSION_STATE_CANCELLED; ++i) {
    words.push_back(short_name(static_cast<v1::SessionState>(i)));
  }
  return words;
}

/// `SESSION_STATE_RUNNING` and `Running` are taken as well.
std::string as_short_state(std::string word) {
  constexpr std::string_view prefix = "session_state_";
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word.starts_with(prefix)) {
    word.erase(0, prefix.size());
  }
  return word;
}

v1::SessionState to_state(const std::string& word) {
  v1::SessionState state = v1::SESSION_STATE_UNSPECIFIED;
  for (int i = v1::SESSION_STATE_PENDING; i <= v1::SESSION_STATE_CANCELLED; ++i) {
    if (word == short_name(static_cast<v1::SessionState>(i))) {
      state = static_cast<v1::SessionState>(i);
    }
  }
  return state;
}

ExitCode list(const Program& program, const std::vector<std::string>& state_names) {
  std::vector<v1::SessionState> states;
  states.reserve(state_names.size());
  for (const std::string& name : state_names) {
    states.push_back(to_state(name));
  }
  const auto sessions = client::list_sessions(program.connect(), states);
  if (program.json) {
    auto json = nlohmann::ordered_json::object();
    json["sessions"] = nlohmann::ordered_json::array();
    for (const v1::Session& session : sessions) {
      json["sessions"].push_back(to_json(session));
    }
    print_json(json);
    return ExitCode::done;
  }
  std::vector<std::vector<std::string>> rows{{"NAME", "STATE", "FRAMES", "CREATED", "SCENE"}};
  for (const v1::Session& session : sessions) {
    const auto warning_count = static_cast<std::size_t>(session.warnings_size());
    rows.push_back({session.name(),
                    state_of(session) +
                        (warning_count > 0 ? ", " + warning_count_in_words(warning_count) : ""),
                    frames_of(session),
                    google::protobuf::util::TimeUtil::ToString(session.create_time()),
                    session.display_name()});
  }
  print_data(format_table(rows));
  return ExitCode::done;
}

ExitCode remove(const Program& program, const std::vector<std::string>& names) {
  const client::Connection connection = program.connect();
  for (const std::string& name : names) {
    client::delete_session(connection, session_resource_name(name));
    if (program.json) {
      print_json({{"name", session_resource_name(name)}, {"deleted", true}});
    } else {
      print_message("deleted " + session_resource_name(name));
    }
  }
  return ExitCode::done;
}

using SessionCall = v1::Session (*)(const client::Connection&, const std::string&);

/// A command that takes a session's name and prints the session.
void add_simple(Command root, Program& program, const std::string& name,
                const std::string& description, SessionCall call) {
  const Command command = root.add_command(name, description);
  command.examples("  sluice " + name + " sessions/4f2a9c01\n  sluice " + name +
                   " 4f2a9c01 --json");
  const auto session = std::make_shared<std::string>();
  command.add_option("session", *session, "Name of the session").required();
  command.on_parsed([&program, session, call] {
    program.action = [&program, session, call] {
      print_session(program, call(program.connect(), session_resource_name(*session)));
      return ExitCode::done;
    };
  });
}

void add_list(Command root, Program& program) {
  const Command command = root.add_command("list", "Lists sessions, newest first.");
  command.examples("  sluice list\n  sluice list --state running --state paused");
  const auto states = std::make_shared<std::vector<std::string>>();
  command.add_option("--state", *states, "Only sessions in this state; may be said several times")
      .expected(1)
      .take_all()
      .type_name(joined_words(state_words()))
      .transform(as_short_state)
      .check(one_of(state_words()));
  command.on_parsed([&program, states] {
    program.action = [&program, states] { return list(program, *states); };
  });
}

void add_step(Command root, Program& program) {
  const Command command =
      root.add_command("step", "Lets a paused session run some frames and pauses it again.");
  command.examples("  sluice step sessions/4f2a9c01\n  sluice step 4f2a9c01 --count 10");
  const auto session = std::make_shared<std::string>();
  const auto count = std::make_shared<std::int64_t>(1);
  command.add_option("session", *session, "Name of the session").required();
  command.add_option("--count", *count, "Frames to run; if not given, 1").range(1, 1'000'000);
  command.on_parsed([&program, session, count] {
    program.action = [&program, session, count] {
      print_session(program, client::step_session(program.connect(),
                                                  session_resource_name(*session), *count));
      return ExitCode::done;
    };
  });
}

void add_get(Command root, Program& program) {
  const Command command = root.add_command("get", "Prints the state of a session.");
  command.examples(
      "  sluice get sessions/4f2a9c01\n"
      "  sluice get 4f2a9c01 --json\n"
      "  sluice get 4f2a9c01 --commands > steered.json        for 'submit --commands'");
  const auto session = std::make_shared<std::string>();
  const auto commands = std::make_shared<bool>(false);
  command.add_option("session", *session, "Name of the session").required();
  command.add_flag("--commands", *commands,
                   "Print the commands that act on it instead, as JSON: for a replay");
  command.on_parsed([&program, session, commands] {
    program.action = [&program, session, commands] {
      const client::Connection connection = program.connect();
      if (!*commands) {
        print_session(program, client::get_session(connection, session_resource_name(*session)));
        return ExitCode::done;
      }
      v1::ListCommandsResponse list;
      for (v1::RecordedCommand& recorded :
           client::list_commands(connection, session_resource_name(*session))) {
        *list.add_commands() = std::move(recorded);
      }
      print_json(to_json(list));
      return ExitCode::done;
    };
  });
}

void add_delete(Command root, Program& program) {
  const Command command = root.add_command(
      "delete", "Stops sessions if they run, and deletes them with all their frames.");
  command.examples("  sluice delete sessions/4f2a9c01");
  const auto sessions = std::make_shared<std::vector<std::string>>();
  command.add_option("sessions", *sessions, "Names of the sessions").required();
  command.on_parsed([&program, sessions] {
    program.action = [&program, sessions] { return remove(program, *sessions); };
  });
}

}  // namespace

void add_session_commands(Command root, Program& program) {
  add_list(root, program);
  add_get(root, program);
  add_simple(root, program, "pause", "Pauses a session after the frame it is at.",
             client::pause_session);
  add_simple(root, program, "resume", "Lets a paused session run on.", client::resume_session);
  add_step(root, program);
  add_simple(root, program, "cancel", "Ends a session; its frames stay.", client::cancel_session);
  add_simple(root, program, "renew", "Renews the lease of a session that has one.",
             client::renew_lease);
  add_delete(root, program);
}

}  // namespace sluice::cli
