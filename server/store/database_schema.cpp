// SPDX-License-Identifier: Apache-2.0
#include "server/store/database_schema.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "server/store/sqlite_statement.h"

namespace sluice::store {
namespace {

// Step i brings user_version from i to i + 1. Steps that were released never change.
constexpr std::array<const char*, 2> migrations = {
    R"sql(
CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  request_id TEXT UNIQUE,              -- NULL where the client gave none
  display_name TEXT NOT NULL,
  state INTEGER NOT NULL,
  state_reason INTEGER NOT NULL,
  state_message TEXT NOT NULL,
  create_time_micros INTEGER NOT NULL,
  update_time_micros INTEGER NOT NULL,
  target_frame_count INTEGER NOT NULL,
  frame_count INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  restart_count INTEGER NOT NULL,
  checkpoint_frame INTEGER NOT NULL,
  options_bytes BLOB NOT NULL,
  scene_bytes BLOB NOT NULL            -- last: listings stop reading before it
) WITHOUT ROWID;
CREATE INDEX sessions_by_time ON sessions (create_time_micros DESC, id DESC);

CREATE TABLE commands (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  frame_index INTEGER NOT NULL,
  payload_bytes BLOB NOT NULL,
  PRIMARY KEY (session_id, sequence)
) WITHOUT ROWID;

CREATE TABLE assets (
  sha256 TEXT PRIMARY KEY NOT NULL,
  size_bytes INTEGER NOT NULL,
  file_name TEXT NOT NULL,
  create_time_micros INTEGER NOT NULL
) WITHOUT ROWID;
)sql",
    R"sql(
CREATE TABLE warnings (                -- one row for each session that has some
  session_id TEXT PRIMARY KEY NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  payload_bytes BLOB NOT NULL
) WITHOUT ROWID;
)sql",
};

}  // namespace

std::int64_t latest_version() { return static_cast<std::int64_t>(migrations.size()); }

Status write_version(sqlite3* connection, std::int64_t version) {
  return execute(connection, fmt::format("PRAGMA user_version = {}", version));
}

Status migrate(sqlite3* connection) {
  Statement query(connection, "PRAGMA user_version");
  const bool found = query.step();
  if (auto read = query.status(); !read) {
    return read;
  }
  const std::int64_t version = found ? query.integer(0) : 0;
  const std::int64_t latest = latest_version();
  if (version > latest) {
    return Error{
        ErrorCode::unsupported_version,
        fmt::format("the database {} has version {}, newer than {}, which this Sluice knows",
                    sqlite3_db_filename(connection, "main"), version, latest)};
  }
  query.finish();
  for (std::int64_t step = version; step < latest; ++step) {
    Transaction transaction(connection);
    if (!transaction.begun()) {
      return transaction.begun();
    }
    if (auto done = execute(connection, migrations[static_cast<std::size_t>(step)]); !done) {
      return done;
    }
    if (auto done = write_version(connection, step + 1); !done) {
      return done;
    }
    if (auto done = transaction.commit(); !done) {
      return done;
    }
  }
  return ok();
}

}  // namespace sluice::store
