// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/records.h"
#include "server/store/store_error.h"

namespace sluice::store {

/// The rows of sessions, commands, warnings and assets, in one SQLite file.
///
/// Every write is one transaction and on disk when the call returns (WAL, synchronous=FULL).
/// Thread-safe: calls are serialised. Besides the errors named below, every call may return
/// `disk_full`, `read_only`, `locked` (another process writes for more than five seconds),
/// `io_error` or `corrupt`.
class Database {
 public:
  /// Opens or creates the file `path`, migrates its tables to this version and checks that the
  /// database is intact, for which it reads all of it. `unsupported_version` if a newer Sluice
  /// wrote it, `corrupt` if it is damaged or no database.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path);
  virtual ~Database() = default;

  /// Inserts a session and its first commands, whose session_id is ignored.
  /// `already_exists` if the id or the request id is taken.
  virtual Status insert_session(const SessionRecord& session,
                                std::span<const CommandRecord> commands) = 0;
  Status insert_session(const SessionRecord& session) { return insert_session(session, {}); }
  virtual Result<SessionRecord> get_session(std::string_view id) = 0;  ///< or `not_found`
  virtual Result<std::optional<SessionRecord>> find_session_by_request_id(
      std::string_view request_id) = 0;
  /// Inserts a session as `insert_session` does, after deleting the one with the same id, if any.
  virtual Status restore_session(const SessionRecord& session,
                                 std::span<const CommandRecord> commands) = 0;
  /// Changes a session's row. `not_found` if the session is not there.
  virtual Status update_session(std::string_view id, const SessionUpdate& update) = 0;
  /// Lists a page of sessions, newest first, those behind `after`. Pre: `page_size` >= 1.
  virtual Result<SessionPage> list_sessions(const std::optional<SessionCursor>& after,
                                            int page_size) = 0;
  /// Deletes the session with its commands. `not_found` if the session is not there.
  virtual Status delete_session(std::string_view id) = 0;

  /// Stores a command and returns its sequence number. `not_found` if the session is not there.
  virtual Result<std::int64_t> append_command(const CommandRecord& command) = 0;
  /// Lists at most `max_count` commands behind `after`, in the order in which they act: by frame,
  /// then by sequence number.
  virtual Result<std::vector<CommandRecord>> list_commands(std::string_view session_id,
                                                           const CommandCursor& after,
                                                           std::int64_t max_count) = 0;
  /// Lists all commands that first act on `from_frame` or later, in the same order.
  Result<std::vector<CommandRecord>> list_commands(std::string_view session_id,
                                                   std::int64_t from_frame) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return list_commands(session_id, {from_frame - 1, most}, most);
  }

  /// Stores the session's summed-up warnings over earlier ones. `not_found`: no such session.
  virtual Status put_warnings(std::string_view session_id, std::string_view payload_bytes) = 0;
  /// Reads what put_warnings stored; empty if it stored nothing.
  virtual Result<std::string> get_warnings(std::string_view session_id) = 0;

  /// Inserts an asset's row, or overwrites the row with the same hash.
  virtual Status put_asset(const AssetRecord& asset) = 0;
  virtual Result<AssetRecord> get_asset(std::string_view sha256) = 0;  ///< or `not_found`
  /// Lists at most `max_count` assets by hash, those with a hash above `after`.
  virtual Result<std::vector<AssetRecord>> list_assets(std::string_view after, int max_count) = 0;

  /// Checks whether the database can be written now: writes and syncs a value that changes nothing.
  virtual Status check_writable() = 0;
};

}  // namespace sluice::store
