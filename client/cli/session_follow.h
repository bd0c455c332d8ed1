// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "client/cli/exit_code.h"
#include "client/cli/progress.h"
#include "client/cli/warning_log.h"
#include "sluice/connection.h"
#include "sluice/frame_stream.h"
#include "sluice/v1/sessions.pb.h"

namespace sluice::cli {

/// How far a session is, for the bar.
[[nodiscard]] ProgressState progress_of(const v1::Session& session);

/// `failed (solver diverged): frame 3: ...`
[[nodiscard]] std::string state_in_words(const v1::Session& session);

/// Says how a session ended and what it warns of, and which exit code that is; a session that goes
/// on is `done`. One that succeeded without warnings is not spoken of.
[[nodiscard]] ExitCode report_end(const v1::Session& session,
                                  const std::vector<v1::SessionWarning>& warnings);

/// The same with the warnings that the server has summed.
[[nodiscard]] ExitCode report_end(const v1::Session& session);

/// Shows an event of a session: progress, state changes, warnings that are not in `warnings` yet,
/// and warning lines of the worker's log. `last_state` is what was shown before.
void show_event(const v1::WatchSessionResponse& event, v1::SessionState& last_state,
                WarningLog& warnings, Progress& progress);

/// Shows a session's progress from a thread of its own until it ends or this is destroyed.
class ProgressThread {
 public:
  ProgressThread(const client::Connection& connection, const std::string& session,
                 WarningLog& warnings, Progress& progress);

 private:
  std::jthread thread_;
};

/// Receives a frame and its layout.
using FrameSink = std::function<void(const client::Frame&, const v1::Layout&)>;

/// Gives each frame of a query to `sink`, with the layout of its epoch, until there are no more or
/// `stop`. Returns how many.
std::int64_t for_each_frame(const client::Connection& connection, const client::FrameQuery& query,
                            const std::stop_token& stop, const FrameSink& sink);

}  // namespace sluice::cli
