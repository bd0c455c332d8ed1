// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace sluice::client {

struct PrivateServerOptions {
  /// The server's data directory; created if it does not exist. If empty, a new private directory
  /// for temporary files, which is removed with the server unless `keep` was called.
  std::filesystem::path data_directory{};

  /// The server's program. If empty, `sluiced` beside the running program, else on the PATH.
  std::filesystem::path program{};

  /// The viewer's address: `ADDRESS:PORT` (port 0: any free port), or `off`. `Server.GetInfo` tells
  /// the actual address.
  std::string web_listen{"off"};

  /// Further arguments of the program.
  std::vector<std::string> arguments{};

  /// Time limit for the start; the recovery of many sessions takes the longest.
  std::chrono::milliseconds start_timeout{60'000};

  /// Ends the wait for the start, with `cancelled`.
  std::stop_token stop{};
};

/// A `sluiced` of one's own, on a Unix socket that nobody else can open; stopped by the destructor.
///
/// The server is also told to stop when the *thread* that made it ends, so that no server is left
/// when the program is killed. So make it in a thread that lives as long as it is needed.
class PrivateServer {
 public:
  /// Starts the server and waits until it serves. Throws `not_found` if there is no program, and
  /// `unavailable` if the server ends early (with the last lines of its log) or does not serve in
  /// time, or if its log cannot be created.
  explicit PrivateServer(const PrivateServerOptions& options = {});
  PrivateServer(PrivateServer&&) noexcept;
  PrivateServer& operator=(PrivateServer&&) noexcept;

  /// Stops the server as `stop` does.
  ~PrivateServer();

  /// The address to pass to `Connection`.
  [[nodiscard]] const std::string& address() const noexcept;

  [[nodiscard]] const std::filesystem::path& data_directory() const noexcept;

  /// Path of the server's log file.
  [[nodiscard]] std::filesystem::path log_file() const;

  /// Makes the destructor keep a temporary data directory.
  void keep() noexcept;

  /// Asks the server to checkpoint its sessions and end; kills it after `patience`. Announced
  /// frames are on disk in any case.
  void stop(std::chrono::milliseconds patience = std::chrono::seconds(30)) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::client
