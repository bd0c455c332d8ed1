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
  std::string id = {};          ///< Unique and not empty.
  std::string request_id = {};  ///< Unique unless empty; makes the creation idempotent.
  std::string display_name = {};
  int state = 0;
  int state_reason = 0;
  std::string state_message = {};  ///< Why it is in that state, for people.
  std::int64_t create_time_micros = 0;
  std::int64_t update_time_micros = 0;
  std::string scene_bytes = {};
  std::string options_bytes = {};
  std::int64_t target_frame_count = 0;  ///< Frames that may be computed so far, the first included.
  std::int64_t frame_count = 0;         ///< For listings; may be older than the frame log.
  std::int64_t epoch = 0;
  std::int64_t restart_count = 0;      ///< Number of the worker's deaths.
  std::int64_t checkpoint_frame = -1;  ///< Frame of the newest checkpoint; may be out of date.
};

/// The changes of a session's row; columns that are not set keep their values.
struct SessionUpdate {
  std::optional<int> state, state_reason;
  std::optional<std::string> state_message;
  std::optional<std::int64_t> target_frame_count, frame_count, epoch, restart_count,
      checkpoint_frame;
  std::int64_t update_time_micros = 0;  ///< Always written.
};

/// A place in a listing: a page starts behind the session with this time and id.
struct SessionCursor {
  std::int64_t create_time_micros;
  std::string id = {};
};

/// A page of a listing, newest session first. `next` is set if there are more.
struct SessionPage {
  std::vector<SessionRecord> sessions;  ///< Rows without scene_bytes.
  std::optional<SessionCursor> next;
};

/// A steering command that was applied or is to be applied.
struct CommandRecord {
  std::string session_id = {};
  /// The command's number in the session: 1, 2, ...; for a 0 the database takes the next number.
  std::int64_t sequence = 0;
  std::int64_t frame_index = 0;  ///< The first frame that it acts on.
  std::string payload_bytes = {};
};

/// A place in the order of a session's commands: behind the one with this frame and number.
struct CommandCursor {
  std::int64_t frame_index = 0;
  std::int64_t sequence = 0;
};

/// A complete asset.
struct AssetRecord {
  std::string sha256 = {};  ///< 64 lower-case hexadecimal digits.
  std::int64_t size_bytes = 0;
  std::string file_name = {};  ///< Name of the file that was uploaded.
  std::int64_t create_time_micros = 0;
};

}  // namespace sluice::store
