// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "server/session/error.h"

namespace sluice::api {

/// An address at which a server listens.
struct ListenAddress {
  std::string host;       ///< The given host (`127.0.0.1`, `[::1]`); empty for a Unix socket.
  int port = 0;           ///< In [0, 65535]; 0: any free port.
  std::string unix_path;  ///< Empty unless it is a Unix socket.

  [[nodiscard]] bool is_unix() const { return !unix_path.empty(); }
  /// Returns the address in gRPC's form: `host:port`, with `bound_port`, or `unix:path`.
  [[nodiscard]] std::string in_words(int bound_port) const;
  /// Whether only this machine can reach the address.
  [[nodiscard]] bool is_local() const;
};

/// Parses `ADDRESS:PORT` or `unix:PATH`. Nothing for text of another form, or a path that is too
/// long for a socket.
[[nodiscard]] std::optional<ListenAddress> parse_listen_address(std::string_view text);

/// Whether another process answers at a Unix socket. Without this check a second server would
/// remove a socket file that is in use and bind again, and nobody could reach the first one.
[[nodiscard]] bool unix_socket_in_use(const std::string& path);

}  // namespace sluice::api
