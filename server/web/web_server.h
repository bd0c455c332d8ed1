// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/channel.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/session/census.h"
#include "server/session/error.h"
#include "server/web/settings.h"

namespace sluice::web {

/// The parts of the gRPC server that the web server uses. They outlive it and are thread-safe.
struct Backend {
  std::shared_ptr<grpc::Channel> channel;  ///< Channel to the gRPC server in this process.
  std::int64_t message_bytes = 0;          ///< [bytes] Largest message that a request may hold.
  std::function<session::Census()> census;
  std::function<bool()> hears;  ///< Whether gRPC clients that connect are answered.
  /// Calls back, from any thread, with the reasons against sending work here; an empty list means
  /// ready. Once the server stops, the callback may never come.
  std::function<void(std::function<void(std::vector<std::string>)>)> check_readiness;
};

/// The HTTP server: gRPC-Web for whatever gRPC serves, the viewer's files, /healthz, /readyz and
/// /metrics.
class WebServer {
 public:
  /// Binds the port and reads the viewer's files; answers no request yet. Fails for a busy port or
  /// an address that this machine does not have; the error says what to do.
  static session::Result<std::unique_ptr<WebServer>> open(const WebSettings& settings);
  virtual ~WebServer() = default;  ///< Stops the server.

  /// The viewer's address for a browser on this machine, for example `http://127.0.0.1:7781`.
  [[nodiscard]] virtual const std::string& url() const = 0;

  /// Begins to answer requests. To be called once.
  virtual void serve(Backend backend) = 0;

  /// Makes /healthz answer `stopping`, and ends connections after the answer that is under way.
  virtual void begin_stop() = 0;

  /// Ends every connection and waits for the last handler. Stop the gRPC server before, which ends
  /// the calls under way; their last messages then get a second to go out.
  virtual void stop() = 0;
};

}  // namespace sluice::web
