// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice::web {

/// The interface by which a stopping server ends a connection. Call it from any thread.
class OpenConnection {
 public:
  OpenConnection() = default;
  virtual ~OpenConnection() = default;
  OpenConnection(const OpenConnection&) = delete;
  OpenConnection& operator=(const OpenConnection&) = delete;

  /// Ends the connection once the requests under way are answered.
  virtual void finish_soon() = 0;
  /// Ends the connection now.
  virtual void cut() = 0;
};

}  // namespace sluice::web
