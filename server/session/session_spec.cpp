// SPDX-License-Identifier: Apache-2.0
#include "server/session/session_spec.h"

#include <algorithm>

#include "server/session/names.h"

namespace sluice::session {

store::SessionRecord to_record(const SessionSpec& spec, const LifeCycle& life,
                               const v1::Scene& scene, std::string request_id) {
  v1::Session kept;  // The row's options_bytes: what clients know of it that has no column.
  *kept.mutable_options() = spec.options;
  kept.set_particle_count(spec.particle_count);
  kept.set_vertex_count(spec.vertex_count);
  kept.set_recorded_command_count(spec.recorded_command_count);
  store::SessionRecord record;
  record.id = spec.id;
  record.request_id = std::move(request_id);
  record.display_name = spec.display_name;
  record.state = life.standing().state;
  record.state_reason = life.standing().reason;
  record.state_message = life.standing().message;
  record.create_time_micros = spec.create_time_micros;
  record.update_time_micros = spec.create_time_micros;
  record.scene_bytes = scene.SerializeAsString();
  record.options_bytes = kept.SerializeAsString();
  record.target_frame_count = life.facts().run_until + 1;
  return record;
}

Result<StoredSession> from_record(const store::SessionRecord& record) {
  v1::Session kept;
  if (!kept.ParseFromString(record.options_bytes) || !kept.has_options() ||
      !v1::SessionState_IsValid(record.state) || !v1::SessionReason_IsValid(record.state_reason)) {
    return row_damaged(session_name(record.id));
  }
  StoredSession stored;
  stored.spec = {record.id,
                 record.display_name,
                 kept.options(),
                 record.create_time_micros,
                 kept.particle_count(),
                 kept.vertex_count(),
                 kept.recorded_command_count()};
  stored.facts.standing = {static_cast<v1::SessionState>(record.state),
                           static_cast<v1::SessionReason>(record.state_reason),
                           record.state_message};
  stored.facts.frame_count = record.frame_count;
  stored.facts.last_frame = kept.options().frame_count();
  stored.facts.run_until =
      std::clamp<std::int64_t>(record.target_frame_count - 1, 0, stored.facts.last_frame);
  stored.facts.max_restarts = kept.options().max_restarts();
  stored.facts.restart_count = static_cast<int>(record.restart_count);
  stored.epoch = record.epoch;
  stored.update_time_micros = record.update_time_micros;
  stored.checkpoint_frame = record.checkpoint_frame;
  return stored;
}

Result<v1::RecordedCommand> from_record(const store::CommandRecord& record) {
  v1::RecordedCommand command;
  command.set_frame_index(record.frame_index);
  if (!command.mutable_command()->ParseFromString(record.payload_bytes)) {
    return command_damaged(record.sequence);
  }
  return command;
}

}  // namespace sluice::session
