// SPDX-License-Identifier: Apache-2.0
#include "server/store/sqlite_statement.h"

#include <fmt/format.h>

#include <cerrno>

namespace sluice::store {
namespace {

ErrorCode code_of(sqlite3* connection) {
  const int extended = sqlite3_extended_errcode(connection);
  if (extended == SQLITE_CONSTRAINT_UNIQUE || extended == SQLITE_CONSTRAINT_PRIMARYKEY) {
    return ErrorCode::already_exists;
  }
  if (extended == SQLITE_CONSTRAINT_FOREIGNKEY) {
    return ErrorCode::not_found;
  }
  const int system_error = sqlite3_system_errno(connection);
  switch (extended & 0xFF) {
    case SQLITE_FULL:
      return ErrorCode::disk_full;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return ErrorCode::read_only;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::locked;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // Our statements are right, so the tables are not those we made.
      return ErrorCode::corrupt;
    case SQLITE_TOOBIG:
      return ErrorCode::limit;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      // SQLite calls a full disk an I/O error where it happens outside of a plain write.
      if (system_error == ENOSPC || system_error == EDQUOT) {
        return ErrorCode::disk_full;
      }
      return system_error == EROFS || system_error == EACCES ? ErrorCode::read_only
                                                             : ErrorCode::io_error;
    default:
      return ErrorCode::io_error;
  }
}

}  // namespace

Error sqlite_error(sqlite3* connection, std::string_view action) {
  const char* path = sqlite3_db_filename(connection, "main");
  return {code_of(connection), fmt::format("cannot {} {}: {}", action, path == nullptr ? "" : path,
                                           sqlite3_errmsg(connection))};
}

Status execute(sqlite3* connection, const std::string& sql) {
  if (sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return sqlite_error(connection, "use the database");
  }
  return ok();
}

Statement::Statement(sqlite3* connection, std::string_view sql) : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement,
                           nullptr));
  statement_.reset(statement);
}

void Statement::check(int code) {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE && !error_) {
    error_ = sqlite_error(connection_, "use the database");
  }
}

Statement& Statement::bind(std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), ++bound_count_, value));
  return *this;
}

// SQLITE_TRANSIENT has SQLite copy the value: a Statement may outlive what it was given.
Statement& Statement::bind_text(std::string_view value) {
  check(sqlite3_bind_text64(statement_.get(), ++bound_count_, value.data(), value.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(std::string_view value) {
  check(sqlite3_bind_blob64(statement_.get(), ++bound_count_, value.empty() ? "" : value.data(),
                            value.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_null() {
  check(sqlite3_bind_null(statement_.get(), ++bound_count_));
  return *this;
}

bool Statement::step() {
  if (error_) {
    return false;
  }
  const int code = sqlite3_step(statement_.get());
  check(code);
  return code == SQLITE_ROW;
}

Status Statement::run() {
  while (step()) {
  }
  return status();
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr
             ? std::string()
             : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

Status Statement::status() const { return error_ ? Status(*error_) : ok(); }

// IMMEDIATE: a transaction that would find the file locked learns it here, not at its first write.
Transaction::Transaction(sqlite3* connection)
    : connection_(connection), begun_(execute(connection, "BEGIN IMMEDIATE")) {}

Transaction::~Transaction() {
  if (begun_ && !committed_) {
    (void)execute(connection_, "ROLLBACK");  // SQLite may have rolled back already.
  }
}

Status Transaction::commit() {
  auto done = execute(connection_, "COMMIT");
  committed_ = done.has_value();
  return done;
}

}  // namespace sluice::store
