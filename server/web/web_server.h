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

/// What the web server stands on. Outlives it, and is thread-safe.
struct Backend {
  std::shared_ptr<grpc::Channel> channel;  ///< To the gRPC server in this process.
  std::int64_t message_bytes = 0;          ///< [bytes] Largest message of a request.
  std::function<session::Census()> census;
  std::function<bool()> hears;  ///< Whether clients of gRPC are answered.
  /// Calls back, from any thread, with what speaks against sending work here; nothing if it is
  /// ready. May forget to once the server stops.
  std::function<void(std::function<void(std::vector<std::string>)>)> check_readiness;
};

/// The HTTP server: gRPC-Web for whatever gRPC serves, the viewer's files, /healthz, /readyz and
/// /metrics.
class WebServer {
 public:
  /// Takes the port and reads the viewer's files; answers nobody yet. Errors say what to do: a busy
  /// port, an address that is none of this machine's.
  static session::Result<std::unique_ptr<WebServer>> open(const WebSettings& settings);
  virtual ~WebServer() = default;  ///< Stops it.

  /// What to open in a browser on this machine: `http://127.0.0.1:7781`.
  [[nodiscard]] virtual const std::string& url() const = 0;

  /// Begins to answer. Once.
  virtual void serve(Backend backend) = 0;

  /// /healthz says `stopping`, and connections end with the answer that is under way.
  virtual void begin_stop() = 0;

  /// Ends every connection and waits for the last handler. The calls under way have been ended
  /// before, by whoever stopped the gRPC server; their last words get a second to go out.
  virtual void stop() = 0;
};

}  // namespace sluice::web
