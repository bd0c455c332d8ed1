// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "server/session/environment.h"
#include "server/store/checkpoint_log.h"
#include "server/stream/frame_feed.h"

namespace sluice::session {

/// The open files of one session. The session, while it has a worker, and every stream that reads
/// them share them; the last owner closes them.
struct SessionLogs {
  std::shared_ptr<stream::FrameFeed> frames;
  std::unique_ptr<store::CheckpointLog> checkpoints;

  [[nodiscard]] std::int64_t stored_bytes() const {
    return static_cast<std::int64_t>(frames->stored_bytes() + checkpoints->stored_bytes());
  }
};

/// Opens a session's files. OpenMode::read changes nothing on disk, not even a torn tail.
[[nodiscard]] store::Result<std::shared_ptr<SessionLogs>> open_session_logs(
    const Environment& environment, std::string_view id, stream::FeedState state,
    store::OpenMode mode);

}  // namespace sluice::session
