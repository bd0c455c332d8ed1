// SPDX-License-Identifier: Apache-2.0
#include "server/store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <mutex>
#include <utility>

#include "server/store/database_schema.h"
#include "server/store/sqlite_statement.h"

namespace sluice::store {
namespace {

constexpr int busy_timeout_milliseconds = 5000;

constexpr std::string_view listed_columns =
    "id, request_id, display_name, state, state_reason, state_message, create_time_micros, "
    "update_time_micros, target_frame_count, frame_count, epoch, restart_count, "
    "checkpoint_frame, options_bytes";
constexpr std::string_view asset_columns = "sha256, size_bytes, file_name, create_time_micros";

// A row of `listed_columns`.
SessionRecord listed_session(const Statement& row) {
  SessionRecord session;
  int column = 0;
  session.id = row.text(column++);
  session.request_id = row.text(column++);
  session.display_name = row.text(column++);
  session.state = static_cast<int>(row.integer(column++));
  session.state_reason = static_cast<int>(row.integer(column++));
  session.state_message = row.text(column++);
  session.create_time_micros = row.integer(column++);
  session.update_time_micros = row.integer(column++);
  session.target_frame_count = row.integer(column++);
  session.frame_count = row.integer(column++);
  session.epoch = row.integer(column++);
  session.restart_count = row.integer(column++);
  session.checkpoint_frame = row.integer(column++);
  session.options_bytes = row.text(column++);
  return session;
}

// All columns; a row of them begins as one of `listed_columns`.
std::string all_columns() { return fmt::format("{}, scene_bytes", listed_columns); }

// A row of `all_columns`.
SessionRecord whole_session(const Statement& row) {
  SessionRecord session = listed_session(row);
  session.scene_bytes = row.text(14);
  return session;
}

// A row of `asset_columns`.
AssetRecord asset_of(const Statement& row) {
  return {.sha256 = row.text(0),
          .size_bytes = row.integer(1),
          .file_name = row.text(2),
          .create_time_micros = row.integer(3)};
}

Error no_session(std::string_view id) {
  return {ErrorCode::not_found, fmt::format("no session {}", id)};
}

class SqliteDatabase final : public Database {
 public:
  explicit SqliteDatabase(Connection connection) : connection_(std::move(connection)) {}

  Status insert_session(const SessionRecord& session,
                        std::span<const CommandRecord> commands) override;
  Status restore_session(const SessionRecord& session,
                         std::span<const CommandRecord> commands) override;
  Result<SessionRecord> get_session(std::string_view id) override;
  Result<std::optional<SessionRecord>> find_session_by_request_id(
      std::string_view request_id) override;
  Status update_session(std::string_view id, const SessionUpdate& update) override;
  Result<SessionPage> list_sessions(const std::optional<SessionCursor>& after,
                                    int page_size) override;
  Status delete_session(std::string_view id) override;
  Result<std::int64_t> append_command(const CommandRecord& command) override;
  Result<std::vector<CommandRecord>> list_commands(std::string_view session_id,
                                                   const CommandCursor& after,
                                                   std::int64_t max_count) override;
  Status put_warnings(std::string_view session_id, std::string_view payload_bytes) override;
  Result<std::string> get_warnings(std::string_view session_id) override;
  Status put_asset(const AssetRecord& asset) override;
  Result<AssetRecord> get_asset(std::string_view sha256) override;
  Result<std::vector<AssetRecord>> list_assets(std::string_view after, int max_count) override;
  Status check_writable() override;

 private:
  [[nodiscard]] Statement prepare(std::string_view sql) { return {connection_.get(), sql}; }
  Status write_session(const SessionRecord& session, std::span<const CommandRecord> commands);
  Result<std::int64_t> add_command(std::string_view session_id, const CommandRecord& command);

  std::mutex mutex_;
  Connection connection_;
};

Status SqliteDatabase::insert_session(const SessionRecord& session,
                                      std::span<const CommandRecord> commands) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(connection_.get());
  if (!transaction.begun()) {
    return transaction.begun();
  }
  if (auto written = write_session(session, commands); !written) {
    return written;
  }
  return transaction.commit();
}

Status SqliteDatabase::restore_session(const SessionRecord& session,
                                       std::span<const CommandRecord> commands) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(connection_.get());
  if (!transaction.begun()) {
    return transaction.begun();
  }
  auto erase = prepare("DELETE FROM sessions WHERE id = ?");
  if (auto done = erase.bind_text(session.id).run(); !done) {
    return done;
  }
  if (auto written = write_session(session, commands); !written) {
    return written;
  }
  return transaction.commit();
}

// Under the lock, in a transaction.
Status SqliteDatabase::write_session(const SessionRecord& session,
                                     std::span<const CommandRecord> commands) {
  auto insert = prepare(fmt::format(
      "INSERT INTO sessions ({}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", all_columns()));
  insert.bind_text(session.id);
  session.request_id.empty() ? insert.bind_null() : insert.bind_text(session.request_id);
  insert.bind_text(session.display_name)
      .bind(session.state)
      .bind(session.state_reason)
      .bind_text(session.state_message)
      .bind(session.create_time_micros)
      .bind(session.update_time_micros)
      .bind(session.target_frame_count)
      .bind(session.frame_count)
      .bind(session.epoch)
      .bind(session.restart_count)
      .bind(session.checkpoint_frame)
      .bind_blob(session.options_bytes)
      .bind_blob(session.scene_bytes);
  if (auto done = insert.run(); !done) {
    return done;
  }
  for (const CommandRecord& command : commands) {
    if (const auto done = add_command(session.id, command); !done) {
      return done.error();
    }
  }
  return ok();
}

Result<SessionRecord> SqliteDatabase::get_session(std::string_view id) {
  const std::lock_guard lock(mutex_);
  auto query = prepare(fmt::format("SELECT {} FROM sessions WHERE id = ?", all_columns()));
  if (query.bind_text(id).step()) {
    return whole_session(query);
  }
  if (auto read = query.status(); !read) {
    return read.error();
  }
  return no_session(id);
}

Result<std::optional<SessionRecord>> SqliteDatabase::find_session_by_request_id(
    std::string_view request_id) {
  const std::lock_guard lock(mutex_);
  auto query = prepare(fmt::format("SELECT {} FROM sessions WHERE request_id = ?", all_columns()));
  std::optional<SessionRecord> session;
  if (query.bind_text(request_id).step()) {
    session = whole_session(query);
  }
  if (auto read = query.status(); !read) {
    return read.error();
  }
  return session;
}

Status SqliteDatabase::update_session(std::string_view id, const SessionUpdate& update) {
  const std::lock_guard lock(mutex_);
  // coalesce(?, column): what is not set is bound as NULL and keeps its value.
  auto change = prepare(
      "UPDATE sessions SET state = coalesce(?, state), state_reason = coalesce(?, state_reason), "
      "state_message = coalesce(?, state_message), "
      "target_frame_count = coalesce(?, target_frame_count), "
      "frame_count = coalesce(?, frame_count), epoch = coalesce(?, epoch), "
      "restart_count = coalesce(?, restart_count), "
      "checkpoint_frame = coalesce(?, checkpoint_frame), update_time_micros = ? WHERE id = ?");
  change.bind(update.state).bind(update.state_reason);
  update.state_message ? change.bind_text(*update.state_message) : change.bind_null();
  change.bind(update.target_frame_count)
      .bind(update.frame_count)
      .bind(update.epoch)
      .bind(update.restart_count)
      .bind(update.checkpoint_frame)
      .bind(update.update_time_micros)
      .bind_text(id);
  if (auto done = change.run(); !done) {
    return done;
  }
  return sqlite3_changes(connection_.get()) == 0 ? Status(no_session(id)) : ok();
}

Result<SessionPage> SqliteDatabase::list_sessions(const std::optional<SessionCursor>& after,
                                                  int page_size) {
  const std::lock_guard lock(mutex_);
  auto select = prepare(
      fmt::format("SELECT {} FROM sessions {} ORDER BY create_time_micros DESC, id DESC LIMIT ?",
                  listed_columns, after ? "WHERE (create_time_micros, id) < (?, ?)" : ""));
  if (after) {
    select.bind(after->create_time_micros).bind_text(after->id);
  }
  select.bind(std::int64_t{page_size} + 1);  // One more tells whether there is a next page.
  SessionPage page;
  while (select.step()) {
    page.sessions.push_back(listed_session(select));
  }
  if (auto read = select.status(); !read) {
    return read.error();
  }
  if (page.sessions.size() > static_cast<std::size_t>(page_size)) {
    page.sessions.pop_back();
    page.next = SessionCursor{.create_time_micros = page.sessions.back().create_time_micros,
                              .id = page.sessions.back().id};
  }
  return page;
}

Status SqliteDatabase::delete_session(std::string_view id) {
  const std::lock_guard lock(mutex_);
  auto erase = prepare("DELETE FROM sessions WHERE id = ?");
  if (auto done = erase.bind_text(id).run(); !done) {
    return done;
  }
  return sqlite3_changes(connection_.get()) == 0 ? Status(no_session(id)) : ok();
}

Result<std::int64_t> SqliteDatabase::append_command(const CommandRecord& command) {
  const std::lock_guard lock(mutex_);
  return add_command(command.session_id, command);
}

// Under the lock.
Result<std::int64_t> SqliteDatabase::add_command(std::string_view session_id,
                                                 const CommandRecord& command) {
  auto insert = prepare(
      "INSERT INTO commands (session_id, sequence, frame_index, payload_bytes) VALUES (?1, "
      "coalesce(?2, (SELECT coalesce(max(sequence), 0) + 1 FROM commands WHERE session_id = ?1)), "
      "?3, ?4) RETURNING sequence");
  insert.bind_text(session_id);
  command.sequence > 0 ? insert.bind(command.sequence) : insert.bind_null();
  insert.bind(command.frame_index).bind_blob(command.payload_bytes);
  const std::int64_t sequence = insert.step() ? insert.integer(0) : 0;
  if (auto done = insert.run(); !done) {
    return done.error().code == ErrorCode::not_found ? no_session(session_id) : done.error();
  }
  return sequence;
}

Result<std::vector<CommandRecord>> SqliteDatabase::list_commands(std::string_view session_id,
                                                                 const CommandCursor& after,
                                                                 std::int64_t max_count) {
  const std::lock_guard lock(mutex_);
  auto query = prepare(
      "SELECT sequence, frame_index, payload_bytes FROM commands "
      "WHERE session_id = ? AND (frame_index, sequence) > (?, ?) "
      "ORDER BY frame_index, sequence LIMIT ?");
  query.bind_text(session_id).bind(after.frame_index).bind(after.sequence).bind(max_count);
  std::vector<CommandRecord> commands;
  while (query.step()) {
    commands.push_back({.session_id = std::string(session_id),
                        .sequence = query.integer(0),
                        .frame_index = query.integer(1),
                        .payload_bytes = query.text(2)});
  }
  if (auto read = query.status(); !read) {
    return read.error();
  }
  return commands;
}

Status SqliteDatabase::put_warnings(std::string_view session_id, std::string_view payload_bytes) {
  const std::lock_guard lock(mutex_);
  auto put = prepare("INSERT OR REPLACE INTO warnings (session_id, payload_bytes) VALUES (?, ?)");
  const auto done = put.bind_text(session_id).bind_blob(payload_bytes).run();
  return !done && done.error().code == ErrorCode::not_found ? Status(no_session(session_id)) : done;
}

Result<std::string> SqliteDatabase::get_warnings(std::string_view session_id) {
  const std::lock_guard lock(mutex_);
  auto query = prepare("SELECT payload_bytes FROM warnings WHERE session_id = ?");
  std::string payload_bytes;
  if (query.bind_text(session_id).step()) {
    payload_bytes = query.text(0);
  }
  if (auto read = query.status(); !read) {
    return read.error();
  }
  return payload_bytes;
}

Status SqliteDatabase::put_asset(const AssetRecord& asset) {
  const std::lock_guard lock(mutex_);
  auto put =
      prepare(fmt::format("INSERT OR REPLACE INTO assets ({}) VALUES (?, ?, ?, ?)", asset_columns));
  return put.bind_text(asset.sha256)
      .bind(asset.size_bytes)
      .bind_text(asset.file_name)
      .bind(asset.create_time_micros)
      .run();
}

Result<AssetRecord> SqliteDatabase::get_asset(std::string_view sha256) {
  const std::lock_guard lock(mutex_);
  auto query = prepare(fmt::format("SELECT {} FROM assets WHERE sha256 = ?", asset_columns));
  if (query.bind_text(sha256).step()) {
    return asset_of(query);
  }
  if (auto read = query.status(); !read) {
    return read.error();
  }
  return Error{ErrorCode::not_found, fmt::format("no asset {}", sha256)};
}

Result<std::vector<AssetRecord>> SqliteDatabase::list_assets(std::string_view after,
                                                             int max_count) {
  const std::lock_guard lock(mutex_);
  auto query = prepare(
      fmt::format("SELECT {} FROM assets WHERE sha256 > ? ORDER BY sha256 LIMIT ?", asset_columns));
  query.bind_text(after).bind(max_count);
  std::vector<AssetRecord> assets;
  while (query.step()) {
    assets.push_back(asset_of(query));
  }
  if (auto read = query.status(); !read) {
    return read.error();
  }
  return assets;
}

// SQLite writes the page of its header also where the number stays the same.
Status SqliteDatabase::check_writable() {
  const std::lock_guard lock(mutex_);
  Transaction transaction(connection_.get());
  if (!transaction.begun()) {
    return transaction.begun();
  }
  if (auto done = write_version(connection_.get(), latest_version()); !done) {
    return done;
  }
  return transaction.commit();
}

// Finds pages that are torn or contradict each other, and tables that are not as this version has
// them. It cannot find a flipped bit in a number or a text.
Status check_whole(sqlite3* connection) {
  const auto damaged = [&](std::string_view why) {
    return Error{ErrorCode::corrupt, fmt::format("the database {} is damaged: {}",
                                                 sqlite3_db_filename(connection, "main"), why)};
  };
  Statement check(connection, "PRAGMA integrity_check(1)");
  while (check.step()) {
    if (check.text(0) != "ok") {
      return damaged(check.text(0));
    }
  }
  if (auto read = check.status(); !read) {
    return read;
  }
  for (const std::string& query :
       {fmt::format("SELECT {} FROM sessions LIMIT 1", all_columns()),
        std::string(
            "SELECT session_id, sequence, frame_index, payload_bytes FROM commands LIMIT 1"),
        std::string("SELECT session_id, payload_bytes FROM warnings LIMIT 1"),
        fmt::format("SELECT {} FROM assets LIMIT 1", asset_columns)}) {
    Statement probe(connection, query);
    if (auto prepared = probe.status(); !prepared) {
      return prepared;
    }
  }
  return ok();
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path) {
  sqlite3* raw = nullptr;
  // NOMUTEX: every call comes under SqliteDatabase's own mutex.
  const int code =
      sqlite3_open_v2(path.c_str(), &raw,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Connection connection(raw);
  if (code != SQLITE_OK) {
    auto error = sqlite_error(raw, "open");
    error.message += fmt::format(" ({})", path.string());
    return error;
  }
  // Where it may not write, SQLite opens for reading alone and fails later, in words that do not
  // say so.
  if (sqlite3_db_readonly(raw, "main") == 1) {
    return Error{ErrorCode::read_only,
                 fmt::format("the database {} cannot be written", path.string())};
  }
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, busy_timeout_milliseconds);
  for (const char* pragma :
       {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"}) {
    if (auto done = execute(raw, pragma); !done) {
      return done.error();
    }
  }
  if (auto migrated = migrate(raw); !migrated) {
    return migrated.error();
  }
  if (auto whole = check_whole(raw); !whole) {
    return whole.error();
  }
  return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(std::move(connection)));
}

}  // namespace sluice::store
