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
  /// Where sessions are kept; made if it is not there. If empty, a new private directory under the
  /// system's directory for temporary files, removed with the server unless `keep` was called.
  std::filesystem::path data_directory{};

  /// The program. If empty, `sluiced` beside the running program, else the one on the PATH.
  std::filesystem::path program{};

  /// Where it serves the viewer: `ADDRESS:PORT` (port 0: any free one), or `off`. `Server.GetInfo`
  /// tells which it is then.
  std::string web_listen{"off"};

  /// Further arguments of the program.
  std::vector<std::string> arguments{};

  /// How long it may take to serve; recovery of many sessions takes the longest.
  std::chrono::milliseconds start_timeout{60'000};

  /// Ends the wait for it to serve, with `cancelled`.
  std::stop_token stop{};
};

/// A `sluiced` of one's own, on a Unix socket that nobody else can open; stopped by the destructor.
///
/// It is told to stop when the *thread* that made it ends, so that none is left behind when the
/// program is killed: make it in a thread that lives as long.
class PrivateServer {
 public:
  /// Starts it and waits until it serves. Throws `not_found` without a program, `unavailable` when
  /// it ends early (with the last lines it wrote), does not serve in time, or its log cannot be
  /// made.
  explicit PrivateServer(const PrivateServerOptions& options = {});
  PrivateServer(PrivateServer&&) noexcept;
  PrivateServer& operator=(PrivateServer&&) noexcept;

  /// Stops it as `stop` does.
  ~PrivateServer();

  /// For `Connection`.
  [[nodiscard]] const std::string& address() const noexcept;

  [[nodiscard]] const std::filesystem::path& data_directory() const noexcept;

  /// What it logged.
  [[nodiscard]] std::filesystem::path log_file() const;

  /// Leaves a temporary data directory where it is.
  void keep() noexcept;

  /// Asks it to checkpoint its sessions and end, waits as long as this and kills it then. What it
  /// has announced is on disk in any case.
  void stop(std::chrono::milliseconds patience = std::chrono::seconds(30)) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::client
