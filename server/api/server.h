// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/channel.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/session/environment.h"
#include "server/session/error.h"

namespace sluice::api {

/// The settings of a server, with their defaults.
struct ServerSettings {
  std::filesystem::path data_directory = "sluice-data";
  std::string listen = "127.0.0.1:7780";
  std::filesystem::path worker_binary;     ///< If empty, sluice-worker next to sluiced.
  std::filesystem::path scenes_directory;  ///< If empty, the scenes that come with the program.
  session::Settings session;
  int worker_nice = 5;
  std::string viewer_url;  ///< Reported by Server.GetInfo; empty if there is no viewer.
};

/// A complete server: data directory, sessions, the workers' socket and the API.
class Server {
 public:
  /// Locks the data directory, recovers its sessions, starts their workers and serves. Fails if
  /// another server holds the directory, it cannot be written, the port is busy or the address is
  /// bad; the error says what to do.
  static session::Result<std::unique_ptr<Server>> start(const ServerSettings& settings);
  virtual ~Server() = default;

  /// The bound address: `127.0.0.1:41234` or `unix:/path`.
  [[nodiscard]] virtual const std::string& address() const = 0;

  /// Makes a channel to the API inside this process. It ends with `stop`.
  [[nodiscard]] virtual std::shared_ptr<grpc::Channel> channel() = 0;

  [[nodiscard]] virtual session::Census census() const = 0;

  /// Whether clients that connect are answered; the server probes itself every two seconds. False
  /// only after three probes in a row without an answer, so a server that is just busy hears.
  [[nodiscard]] virtual bool hears() const = 0;

  /// Checks whether the server can take work, and calls `tell` with the reasons against it, one
  /// sentence each; no reason means ready. `tell` is called on any thread, possibly before this
  /// returns, and may never be called once the server stops.
  virtual void check_readiness(std::function<void(std::vector<std::string>)> tell) = 0;

  /// Stops the server: reports NOT_SERVING, ends streams with UNAVAILABLE, and lets workers save
  /// their state and stop. Blocks until everything has ended.
  virtual void stop() = 0;
};

}  // namespace sluice::api
