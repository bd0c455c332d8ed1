// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/store/store_error.h"

namespace sluice::store {

// A thin layer over SQLite's C interface, for database.cpp alone: ownership and typed errors.

struct CloseConnection {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

/// Makes the Error for the last failure on `connection`.
[[nodiscard]] Error sqlite_error(sqlite3* connection, std::string_view action);

/// Runs SQL statements that have no parameters and no results.
[[nodiscard]] Status execute(sqlite3* connection, const std::string& sql);

/// One prepared statement with its parameters, used once.
///
///   Statement s(connection, "SELECT a, b FROM t WHERE id = ?");
///   s.bind(id);                                    // parameters in order
///   while (s.step()) { use(s.integer(0), s.text(1)); }
///   if (auto done = s.status(); !done) ...         // the first error of any of the calls
class Statement {
 public:
  Statement(sqlite3* connection, std::string_view sql);

  Statement& bind(std::int64_t value);
  Statement& bind_text(std::string_view value);
  Statement& bind_blob(std::string_view value);
  Statement& bind_null();
  Statement& bind(std::optional<std::int64_t> value) { return value ? bind(*value) : bind_null(); }

  /// Moves to the next row; returns whether there is one.
  bool step();

  /// Runs the statement to its end; for statements without rows.
  Status run();

  /// Frees the rows, and with them the database's read lock.
  void finish() { statement_.reset(); }

  [[nodiscard]] std::int64_t integer(int column) const;
  /// Returns a column's text or blob; empty for NULL.
  [[nodiscard]] std::string text(int column) const;

  [[nodiscard]] Status status() const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  void check(int code);

  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_count_ = 0;
  std::optional<Error> error_;
};

/// A write transaction: rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  [[nodiscard]] const Status& begun() const { return begun_; }
  [[nodiscard]] Status commit();

 private:
  sqlite3* connection_;
  Status begun_;
  bool committed_ = false;
};

}  // namespace sluice::store
