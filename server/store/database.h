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

/// The facts about sessions, commands and assets, in one SQLite file.
///
/// Every write is one transaction and on disk when the call returns (WAL, synchronous=FULL).
/// Thread-safe: calls are serialised. Errors of every call, besides those named: `disk_full`,
/// `read_only`, `locked` (another process writes, for more than five seconds), `io_error`,
/// `corrupt`.
class Database {
 public:
  /// Opens or creates `path`, checks that it is whole and brings its tables to this version;
  /// `unsupported_version` if a newer Sluice wrote it, `corrupt` for one that is no database or
  /// damaged. Reads all of it.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path);
  virtual ~Database() = default;

  /// `already_exists` if the id or the request id is taken.
  /// Also inserts its first commands, of which only frame and payload count.
  virtual Status insert_session(const SessionRecord& session,
                                std::span<const CommandRecord> commands) = 0;
  Status insert_session(const SessionRecord& session) { return insert_session(session, {}); }
  virtual Result<SessionRecord> get_session(std::string_view id) = 0;  ///< or `not_found`
  virtual Result<std::optional<SessionRecord>> find_session_by_request_id(
      std::string_view request_id) = 0;
  /// As `insert_session`, in place of what is there under the id.
  virtual Status restore_session(const SessionRecord& session,
                                 std::span<const CommandRecord> commands) = 0;
  /// `not_found` if the session is not there.
  virtual Status update_session(std::string_view id, const SessionUpdate& update) = 0;
  /// The page behind `after`; `page_size` >= 1.
  virtual Result<SessionPage> list_sessions(const std::optional<SessionCursor>& after,
                                            int page_size) = 0;
  /// Deletes the session with its commands; `not_found`.
  virtual Status delete_session(std::string_view id) = 0;

  /// Answers the command's sequence number. `not_found` if the session is not there.
  virtual Result<std::int64_t> append_command(const CommandRecord& command) = 0;
  /// Commands in the order they act: by frame, then by sequence. Those behind `after`, at most
  /// `max_count`.
  virtual Result<std::vector<CommandRecord>> list_commands(std::string_view session_id,
                                                           const CommandCursor& after,
                                                           std::int64_t max_count) = 0;
  /// All commands that first act on `from_frame` or later, in that order.
  Result<std::vector<CommandRecord>> list_commands(std::string_view session_id,
                                                   std::int64_t from_frame) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return list_commands(session_id, {from_frame - 1, most}, most);
  }

  /// What is known of the session's warnings: overwrites. `not_found` if the session is not there.
  virtual Status put_warnings(std::string_view session_id, std::string_view payload_bytes) = 0;
  /// Empty without any.
  virtual Result<std::string> get_warnings(std::string_view session_id) = 0;

  /// Inserts, or overwrites what is there under the same hash.
  virtual Status put_asset(const AssetRecord& asset) = 0;
  virtual Result<AssetRecord> get_asset(std::string_view sha256) = 0;  ///< or `not_found`
  /// By hash, above `after`, at most `max_count`.
  virtual Result<std::vector<AssetRecord>> list_assets(std::string_view after, int max_count) = 0;

  /// Writes something that changes nothing, and syncs it: whether facts can be written down now.
  virtual Status check_writable() = 0;
};

}  // namespace sluice::store
