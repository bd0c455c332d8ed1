// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice::web {

/// A connection as the server sees it when it stops. Both functions are called from any thread.
class OpenConnection {
 public:
  OpenConnection() = default;
  virtual ~OpenConnection() = default;
  OpenConnection(const OpenConnection&) = delete;
  OpenConnection& operator=(const OpenConnection&) = delete;

  /// Ends it when what is under way has been answered.
  virtual void finish_soon() = 0;
  /// Ends it now.
  virtual void cut() = 0;
};

}  // namespace sluice::web
