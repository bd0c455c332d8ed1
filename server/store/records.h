// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::store {

// Rows of the database (database.h). Times are microseconds since 1970-01-01T00:00:00Z. Integers
// that are enumerations elsewhere (state, reason) mean nothing to the store. Fields called *_bytes
// are serialised protobuf messages, opaque here.

struct SessionRecord {
  std::string id = {};          ///< Unique, not empty.
  std::string request_id = {};  ///< Unique unless empty: makes creation idempotent.
  std::string display_name = {};
  int state = 0;
  int state_reason = 0;
  std::string state_message = {};  ///< Why it is in that state, for people.
  std::int64_t create_time_micros = 0;
  std::int64_t update_time_micros = 0;
  std::string scene_bytes = {};
  std::string options_bytes = {};
  std::int64_t target_frame_count = 0;  ///< Frames asked for in all.
  std::int64_t frame_count = 0;         ///< A note for listings; the frame log is the truth.
  std::int64_t epoch = 0;
  std::int64_t restart_count = 0;      ///< Workers started after the first.
  std::int64_t checkpoint_frame = -1;  ///< A note, as `frame_count`: of the newest checkpoint.
};

/// What to change in a session; what is not set stays.
struct SessionUpdate {
  std::optional<int> state, state_reason;
  std::optional<std::string> state_message;
  std::optional<std::int64_t> target_frame_count, frame_count, epoch, restart_count,
      checkpoint_frame;
  std::int64_t update_time_micros = 0;  ///< Always written.
};

/// Where a page of a listing starts: behind this session.
struct SessionCursor {
  std::int64_t create_time_micros;
  std::string id = {};
};

/// Newest first. `next` is set if there are more.
struct SessionPage {
  std::vector<SessionRecord> sessions;  ///< Without scene_bytes.
  std::optional<SessionCursor> next;
};

/// A steering command that was applied, or is to be.
struct CommandRecord {
  std::string session_id = {};
  /// 1, 2, ... within the session: the database gives the next one where it is 0.
  std::int64_t sequence = 0;
  std::int64_t frame_index = 0;  ///< The first frame that it acts on.
  std::string payload_bytes = {};
};

/// A place among a session's commands: behind this one.
struct CommandCursor {
  std::int64_t frame_index = 0;
  std::int64_t sequence = 0;
};

/// A complete asset.
struct AssetRecord {
  std::string sha256 = {};  ///< 64 lower-case hexadecimal digits.
  std::int64_t size_bytes = 0;
  std::string file_name = {};  ///< Where it came from.
  std::int64_t create_time_micros = 0;
};

}  // namespace sluice::store
