// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "sluice/connection.h"
#include "sluice/v1/sessions.pb.h"

namespace sluice::client {

/// Follows a session's state and progress. For one thread at a time; any may request `stop`.
class SessionWatch {
 public:
  SessionWatch(const Connection& connection, std::string name, std::stop_token stop = {});
  SessionWatch(SessionWatch&&) noexcept;
  SessionWatch& operator=(SessionWatch&&) noexcept;
  ~SessionWatch();

  /// Waits for the next event; nothing once the session is terminal or deleted, or after `stop`.
  ///
  /// Reconnects by itself, also if no event came for 30 s (the server sends one at least every
  /// 10 s). Throws `Error`: `not_found`, and `unavailable` after `ConnectionOptions::retry_for`
  /// without an event, or at once if the server was never reached.
  std::optional<v1::WatchSessionResponse> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::client
