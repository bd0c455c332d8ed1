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

/// What a server is started with, with its defaults.
struct ServerSettings {
  std::filesystem::path data_directory = "sluice-data";
  std::string listen = "127.0.0.1:7780";
  std::filesystem::path worker_binary;     ///< Empty: sluice-worker next to sluiced.
  std::filesystem::path scenes_directory;  ///< Empty: those that come with the program.
  session::Settings session;
  int worker_nice = 5;
  std::string viewer_url;  ///< Told by Server.GetInfo; empty: there is no viewer.
};

/// A whole server: data directory, sessions, workers' socket, API.
class Server {
 public:
  /// Takes the data directory, recovers its sessions, starts their workers and serves. Errors say
  /// what to do: a directory that another server holds or that cannot be written, a busy port, a
  /// bad address.
  static session::Result<std::unique_ptr<Server>> start(const ServerSettings& settings);
  virtual ~Server() = default;

  /// `127.0.0.1:41234` or `unix:/path`.
  [[nodiscard]] virtual const std::string& address() const = 0;

  /// A way to the API from within this process. Ends with `stop`.
  [[nodiscard]] virtual std::shared_ptr<grpc::Channel> channel() = 0;

  [[nodiscard]] virtual session::Census census() const = 0;

  /// Whether clients that connect are answered, as one of its own finds every two seconds. A server
  /// that is only busy counts as one that hears.
  [[nodiscard]] virtual bool hears() const = 0;

  /// Looks whether the server can take work, and calls `tell` on a thread of its own with what
  /// speaks against it, each in a sentence; nothing if it is ready. `tell` may never be called once
  /// the server stops.
  virtual void check_readiness(std::function<void(std::vector<std::string>)> tell) = 0;

  /// Says NOT_SERVING, ends streams with UNAVAILABLE, lets workers save their state and stop.
  /// Blocks until all is down.
  virtual void stop() = 0;
};

}  // namespace sluice::api
