// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/session/error.h"
#include "server/session/life_cycle.h"
#include "server/store/records.h"
#include "sluice/v1/sessions.pb.h"

namespace sluice::session {

/// What a session is from its creation on and never changes.
struct SessionSpec {
  std::string id;
  std::string display_name;
  v1::RunOptions options;  ///< Every default filled in.
  std::int64_t create_time_micros = 0;
  std::int64_t particle_count = 0;
  std::int64_t vertex_count = 0;
  std::int64_t recorded_command_count = 0;  ///< Commands that it was created with.
};

/// A session as its row has it.
struct StoredSession {
  SessionSpec spec;
  LifeCycle::Facts facts;  ///< `frame_count` is a note: the frame log knows.
  std::int64_t epoch = 0;
  std::int64_t update_time_micros = 0;
  std::int64_t checkpoint_frame = -1;  ///< A note too; -1 without one.
};

/// The row of a new session.
[[nodiscard]] store::SessionRecord to_record(const SessionSpec& spec, const LifeCycle& life,
                                             const v1::Scene& scene, std::string request_id);

/// Reads a row, `scene_bytes` left aside. `data_loss` for one that no version of Sluice wrote.
[[nodiscard]] Result<StoredSession> from_record(const store::SessionRecord& record);

/// Reads a command; `data_loss` for bytes that are none.
[[nodiscard]] Result<v1::RecordedCommand> from_record(const store::CommandRecord& record);

}  // namespace sluice::session
