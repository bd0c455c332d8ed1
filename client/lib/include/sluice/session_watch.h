// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "sluice/connection.h"
#include "sluice/v1/sessions.pb.h"

namespace sluice::client {

/// Follows a session's state and progress. For one thread at a time; `stop` may come from any.
class SessionWatch {
 public:
  SessionWatch(const Connection& connection, std::string name, std::stop_token stop = {});
  SessionWatch(SessionWatch&&) noexcept;
  SessionWatch& operator=(SessionWatch&&) noexcept;
  ~SessionWatch();

  /// Waits for the next event; nothing once the session is terminal or deleted, or after `stop`.
  ///
  /// Reconnects by itself, also when nothing was heard for 30 s (the server says something every
  /// 10 s). Throws `Error`: `not_found`, and `unavailable` after `ConnectionOptions::retry_for`,
  /// at once if there was no server in the first place.
  std::optional<v1::WatchSessionResponse> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::client
