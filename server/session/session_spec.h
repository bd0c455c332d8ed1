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

/// The properties of a session that are set at its creation and never change.
struct SessionSpec {
  std::string id;
  std::string display_name;
  v1::RunOptions options;  ///< Options with every default filled in.
  std::int64_t create_time_micros = 0;
  std::int64_t particle_count = 0;
  std::int64_t vertex_count = 0;
  std::int64_t recorded_command_count = 0;  ///< Number of commands that it was created with.
};

/// A session as it was read from its row.
struct StoredSession {
  SessionSpec spec;
  LifeCycle::Facts facts;  ///< `frame_count` may be out of date: the frame log counts.
  std::int64_t epoch = 0;
  std::int64_t update_time_micros = 0;
  std::int64_t checkpoint_frame = -1;  ///< May be out of date too; -1: no checkpoint.
};

/// Makes the row of a new session.
[[nodiscard]] store::SessionRecord to_record(const SessionSpec& spec, const LifeCycle& life,
                                             const v1::Scene& scene, std::string request_id);

/// Reads a row, except `scene_bytes`. `data_loss` for a row that no version of Sluice wrote.
[[nodiscard]] Result<StoredSession> from_record(const store::SessionRecord& record);

/// Reads a command; `data_loss` for bytes that are no command.
[[nodiscard]] Result<v1::RecordedCommand> from_record(const store::CommandRecord& record);

}  // namespace sluice::session
