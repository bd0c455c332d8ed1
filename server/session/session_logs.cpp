// SPDX-License-Identifier: Apache-2.0
#include "server/session/session_logs.h"

namespace sluice::session {

store::Result<std::shared_ptr<SessionLogs>> open_session_logs(const Environment& environment,
                                                              std::string_view id,
                                                              stream::FeedState state,
                                                              store::OpenMode mode) {
  stream::FeedOptions feed_options;
  store::SegmentLogOptions& options = feed_options.log;
  options.durability = environment.settings.durability;
  options.reserve_bytes =
      static_cast<std::uint64_t>(environment.settings.limits.reserved_disk_bytes);
  auto frames = stream::FrameFeed::open(environment.directory.frames_path(id), feed_options, mode);
  if (!frames) {
    return frames.error();
  }
  options.max_payload_bytes =
      static_cast<std::uint64_t>(environment.settings.limits.worker_memory_bytes);
  auto checkpoints =
      store::CheckpointLog::open(environment.directory.checkpoints_path(id), options, mode);
  if (!checkpoints) {
    return checkpoints.error();
  }
  frames.value()->set_state(state);
  auto logs = std::make_shared<SessionLogs>();
  logs->frames = std::move(frames).value();
  logs->checkpoints = std::move(checkpoints).value();
  return logs;
}

}  // namespace sluice::session
