// SPDX-License-Identifier: Apache-2.0
#include "client/cli/session_follow.h"

#include "client/cli/output.h"
#include "sluice/error.h"
#include "sluice/session.h"
#include "sluice/session_watch.h"

namespace sluice::cli {

ProgressState progress_of(const v1::Session& session) {
  return {std::max<std::int64_t>(session.frame_count() - 1, 0),
          std::max<std::int64_t>(session.total_frame_count() - 1, 0), session.frames_per_second()};
}

ExitCode report_end(const v1::Session& session) {
  if (session.state() != v1::SESSION_STATE_FAILED &&
      session.state() != v1::SESSION_STATE_CANCELLED) {
    return ExitCode::done;
  }
  const std::string reason = short_name(session.reason());
  print_message(session.name() + " " + short_name(session.state()) +
                (reason.empty() ? "" : " (" + reason + ")") +
                (session.message().empty() ? "" : ": " + session.message()));
  return ExitCode::failed;
}

void show_event(const v1::WatchSessionResponse& event, v1::SessionState& last_state,
                Progress& progress) {
  const v1::Session& session = event.session();
  for (const v1::LogLine& line : event.log_lines()) {
    if (line.level() >= v1::LOG_LEVEL_WARNING) {
      progress.message("worker: " + line.message());
    }
  }
  if (session.state() != last_state) {
    const std::string reason = short_name(session.reason());
    const bool worth_saying = session.state() == v1::SESSION_STATE_PAUSED ||
                              session.reason() == v1::SESSION_REASON_RECOVERING ||
                              session.reason() == v1::SESSION_REASON_QUEUED;
    if (worth_saying) {
      progress.message(short_name(session.state()) + (reason.empty() ? "" : " (" + reason + ")") +
                       (session.message().empty() ? "" : ": " + session.message()));
    }
    last_state = session.state();
  }
  progress.update(progress_of(session));
}

ProgressThread::ProgressThread(const client::Connection& connection, const std::string& session,
                               Progress& progress)
    : thread_([connection, session, &progress](const std::stop_token& stop) {
        try {
          client::SessionWatch watch(connection, session, stop);
          v1::SessionState last_state = v1::SESSION_STATE_UNSPECIFIED;
          while (const auto event = watch.next()) {
            show_event(*event, last_state, progress);
          }
        } catch (const client::Error& error) {
          // The frames' own stream decides what becomes of the command.
          progress.message(std::string("progress is not shown any more: ") + error.what());
        }
      }) {}

std::int64_t for_each_frame(const client::Connection& connection, const client::FrameQuery& query,
                            const std::stop_token& stop, const FrameSink& sink) {
  client::FrameStream stream(connection, query, stop);
  std::optional<v1::Layout> layout;
  std::int64_t count = 0;
  while (const auto frame = stream.next()) {
    if (!layout || layout->epoch() != frame->epoch) {
      layout = client::get_layout(connection, query.session, frame->epoch);
    }
    sink(*frame, *layout);
    ++count;
  }
  return count;
}

}  // namespace sluice::cli
