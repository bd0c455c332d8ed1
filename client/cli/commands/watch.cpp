// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "client/cli/commands/commands.h"
#include "client/cli/interrupt.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/session_follow.h"
#include "client/cli/visible_text.h"
#include "sluice/error.h"
#include "sluice/session.h"
#include "sluice/session_watch.h"

namespace sluice::cli {
namespace {

struct WatchOptions {
  std::string session;
  bool strict{false};
};

/// A field that the session's frames do not have, so that they come without arrays. A gas may have
/// dye; it has the others only where the scene's output names them.
v1::Field absent_field(const client::Connection& connection, const std::string& session) {
  const v1::Scene scene = client::get_session_scene(connection, session);
  if (!scene.has_gas()) {
    return v1::FIELD_DYE;
  }
  const auto& asked = scene.output().fields();
  const bool has_forces =
      std::find(asked.begin(), asked.end(), v1::FIELD_CONTACT_FORCE) != asked.end();
  return has_forces ? v1::FIELD_DENSITY : v1::FIELD_CONTACT_FORCE;
}

/// Prints each frame of a session, those of the past included, as a line of JSON; from a thread of
/// its own, until the session ends or this is destroyed.
class FrameLines {
 public:
  FrameLines(const client::Connection& connection, const std::string& session, std::mutex& printing)
      : printing_(printing), thread_([this, connection, session](const std::stop_token& stop) {
          print(connection, session, stop);
        }) {}

  /// Waits for the last frame, or for Ctrl-C. Throws what kept a frame from coming.
  void wait() {
    {
      const std::stop_callback on_interrupt(stop_on_interrupt(),
                                            [this] { thread_.request_stop(); });
      thread_.join();
    }
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  void print(const client::Connection& connection, const std::string& session,
             const std::stop_token& stop) {
    try {
      client::FrameStream frames(
          connection, {.session = session, .fields = {absent_field(connection, session)}}, stop);
      while (const auto frame = frames.next()) {
        nlohmann::ordered_json line{{"index", frame->index},
                                    {"epoch", frame->epoch},
                                    {"time_seconds", frame->time_seconds},
                                    {"statistics", nullptr}};
        if (frame->statistics) {
          line["statistics"] = to_json(*frame->statistics);
        }
        const std::lock_guard lock(printing_);
        print_json({{"frame", line}});
      }
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  std::mutex& printing_;
  std::exception_ptr error_;
  std::jthread thread_;  // Last: it uses the others.
};

/// The session as it was in the last event.
v1::Session watch_as_json(const client::Connection& connection, const std::string& session) {
  client::SessionWatch events(connection, session, stop_on_interrupt());
  std::mutex printing;
  std::optional<FrameLines> frames;
  std::optional<v1::WatchSessionResponse> last;
  while (auto event = events.next()) {
    if (!frames) {
      frames.emplace(connection, session, printing);
    }
    last = std::move(event);
    if (!client::is_terminal(last->session().state())) {
      const std::lock_guard lock(printing);
      print_json(to_json(*last));
    }
  }
  if (frames && !was_interrupted()) {
    frames->wait();  // The end comes last.
  }
  if (!last || was_interrupted()) {
    return last ? last->session() : v1::Session();
  }
  if (client::is_terminal(last->session().state())) {
    print_json(to_json(*last));
  }
  return last->session();
}

v1::Session watch_for_people(const client::Connection& connection, const std::string& session) {
  client::SessionWatch events(connection, session, stop_on_interrupt());
  Progress progress;
  WarningLog warnings;
  v1::Session last;
  v1::SessionState last_state = v1::SESSION_STATE_UNSPECIFIED;
  while (const auto event = events.next()) {
    const bool was_over = last_state == v1::SESSION_STATE_UNSPECIFIED &&
                          client::is_terminal(event->session().state());
    last = event->session();
    if (was_over) {
      // Nothing is new about it: how it ended, warnings included, is said below.
      print_message(fmt::format("{} ended at {}, with {} of {} frames", visible(last.name()),
                                google::protobuf::util::TimeUtil::ToString(last.update_time()),
                                last.frame_count(), last.total_frame_count()));
      break;
    }
    show_event(*event, last_state, warnings, progress);
  }
  progress.finish();
  if (!was_interrupted()) {
    print_data(visible(last.name()) + " " + short_name(last.state()));
  }
  return last;
}

ExitCode watch(const Program& program, const WatchOptions& options) {
  const client::Connection connection = program.connect({.stop = stop_on_interrupt()});
  const std::string name = session_resource_name(options.session);
  const v1::Session last =
      program.json ? watch_as_json(connection, name) : watch_for_people(connection, name);
  const ExitCode code = report_end(last);
  return options.strict && last.warnings_size() > 0 ? ExitCode::failed : code;
}

}  // namespace

void add_watch_command(Command root, Program& program) {
  const Command command = root.add_command(
      "watch", "Shows a session's progress until it ends, and how it ended; Ctrl-C leaves it be.");
  command.examples(
      "  sluice watch sessions/4f2a9c01\n"
      "  sluice watch 4f2a9c01 --json\n"
      "  sluice watch 4f2a9c01 --json | jq -r 'select(.frame) | .frame.statistics.substep_count'\n"
      "\n"
      "With --json each frame has a line, from frame 0 on, also of a session that has ended:\n"
      "  {\"frame\": {\"index\", \"epoch\", \"time_seconds\", \"statistics\": FrameStatistics, "
      "null for 0}}\n"
      "and so has each change of the session: {\"session\": Session, \"statistics\", "
      "\"log_lines\"}. The\n"
      "last line is the session as it ended.");
  const auto options = std::make_shared<WatchOptions>();
  command.add_option("session", options->session, "Name of the session").required();
  command.add_flag("--strict", options->strict,
                   "Exit code 1 also for a session that succeeded with warnings");
  command.on_parsed([&program, options] {
    program.action = [&program, options] { return watch(program, *options); };
  });
}

}  // namespace sluice::cli
