// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "server/session/error.h"

namespace sluice::api {

/// Where a server listens.
struct ListenAddress {
  std::string host;       ///< As given: `127.0.0.1`, `[::1]`, `localhost`; empty for a Unix socket.
  int port = 0;           ///< In [0, 65535]; 0: any free one.
  std::string unix_path;  ///< Empty unless it is a Unix socket.

  [[nodiscard]] bool is_unix() const { return !unix_path.empty(); }
  /// As gRPC takes it: `host:port` or `unix:path`.
  [[nodiscard]] std::string in_words(int bound_port) const;
  /// Whether only this machine can reach it.
  [[nodiscard]] bool is_local() const;
};

/// Reads `ADDRESS:PORT` or `unix:PATH`; nothing for anything else, also a path too long for a
/// socket.
[[nodiscard]] std::optional<ListenAddress> parse_listen_address(std::string_view text);

/// Whether another process answers at a Unix socket. gRPC would remove a socket file that is in
/// use and bind again, leaving the other server deaf.
[[nodiscard]] bool unix_socket_in_use(const std::string& path);

}  // namespace sluice::api
