// SPDX-License-Identifier: Apache-2.0
#include "client/cli/session_follow.h"

#include <fmt/format.h>

#include "client/cli/output.h"
#include "client/cli/visible_text.h"
#include "sluice/error.h"
#include "sluice/session.h"
#include "sluice/session_watch.h"

namespace sluice::cli {

ProgressState progress_of(const v1::Session& session) {
  return {std::max<std::int64_t>(session.frame_count() - 1, 0),
          std::max<std::int64_t>(session.total_frame_count() - 1, 0), session.frames_per_second()};
}

std::string state_in_words(const v1::Session& session) {
  const std::string reason = short_name(session.reason());
  return short_name(session.state()) + (reason.empty() ? "" : " (" + reason + ")") +
         (session.message().empty() ? "" : ": " + visible(session.message()));
}

ExitCode report_end(const v1::Session& session, const std::vector<v1::SessionWarning>& warnings) {
  const bool has_failed =
      session.state() == v1::SESSION_STATE_FAILED || session.state() == v1::SESSION_STATE_CANCELLED;
  if (has_failed) {
    print_message(visible(session.name()) + " " + state_in_words(session));
  }
  if (!warnings.empty()) {
    std::string text =
        fmt::format("{} {} with {}:", visible(session.name()), short_name(session.state()),
                    warning_count_in_words(warnings.size()));
    for (const v1::SessionWarning& warning : warnings) {
      text += "\n  " + in_words(warning);
    }
    print_message(text);
  }
  return has_failed ? ExitCode::failed : ExitCode::done;
}

ExitCode report_end(const v1::Session& session) {
  return report_end(session, {session.warnings().begin(), session.warnings().end()});
}

void show_event(const v1::WatchSessionResponse& event, v1::SessionState& last_state,
                WarningLog& warnings, Progress& progress) {
  const v1::Session& session = event.session();
  for (const v1::LogLine& line : event.log_lines()) {
    if (line.level() >= v1::LOG_LEVEL_WARNING) {
      progress.message("worker: " + visible(line.message()));
    }
  }
  for (const std::string& line : warnings.add(session)) {
    progress.message(line);
  }
  if (session.state() != last_state) {
    const bool worth_saying = session.state() == v1::SESSION_STATE_PAUSED ||
                              session.reason() == v1::SESSION_REASON_RECOVERING ||
                              session.reason() == v1::SESSION_REASON_QUEUED;
    if (worth_saying) {
      progress.message(state_in_words(session));
    }
    last_state = session.state();
  }
  progress.update(progress_of(session));
}

ProgressThread::ProgressThread(const client::Connection& connection, const std::string& session,
                               WarningLog& warnings, Progress& progress)
    : thread_([connection, session, &warnings, &progress](const std::stop_token& stop) {
        try {
          client::SessionWatch watch(connection, session, stop);
          v1::SessionState last_state = v1::SESSION_STATE_UNSPECIFIED;
          while (const auto event = watch.next()) {
            show_event(*event, last_state, warnings, progress);
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
