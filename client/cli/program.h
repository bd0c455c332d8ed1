// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "client/cli/command.h"
#include "client/cli/exit_code.h"
#include "sluice/connection.h"
#include "sluice/private_server.h"

namespace sluice::cli {

/// What the command line said, and the command that it chose.
struct Program {
  std::string server;  ///< `--server`; empty if it was not given.
  bool json{false};    ///< `--json`: data as JSON, one value a line.
  std::function<ExitCode()> action;

  /// The server that was asked for: by `--server`, by SLUICE_SERVER, or the usual address.
  [[nodiscard]] client::Connection connect(client::ConnectionOptions options = {}) const;

  /// Whether one was asked for at all.
  [[nodiscard]] bool names_server() const;
};

/// How long a private server may take to end after Ctrl-C, its worker included: one second from the
/// key to the prompt, less what the command itself needs.
inline constexpr std::chrono::milliseconds interrupt_patience{800};

/// A connection for commands that need any server: the one that was asked for, else a private one
/// that lives as long as this. Ctrl-C ends its calls.
class AnyServer {
 public:
  explicit AnyServer(const Program& program);
  AnyServer(const AnyServer&) = delete;
  AnyServer& operator=(const AnyServer&) = delete;
  ~AnyServer();
  [[nodiscard]] const client::Connection& connection() const { return connection_; }

 private:
  std::unique_ptr<client::PrivateServer> own_;
  client::Connection connection_;
};

/// Builds the command line: options, commands and their help. Parsing it writes to `program`, which
/// must outlive it. Shared only so that whoever lets go of it need not know the class.
[[nodiscard]] std::shared_ptr<CLI::App> make_app(Program& program);

/// Parses and runs; prints every error. The program's `main`.
[[nodiscard]] ExitCode run_program(int argument_count, char** arguments);

/// `sessions/x` from `x` or `sessions/x`.
[[nodiscard]] std::string session_resource_name(const std::string& session);

}  // namespace sluice::cli
