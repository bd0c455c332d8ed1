// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/session/census.h"
#include "server/web/call.h"
#include "server/web/connection_list.h"
#include "server/web/metrics.h"
#include "server/web/origins.h"
#include "server/web/static_files.h"

namespace sluice::web {

/// The state that all connections of a web server share. Thread-safe.
struct Site {
  Site(Origins allowed, StaticFiles served)
      : origins(std::move(allowed)), files(std::move(served)) {}

  const Origins origins;
  const StaticFiles files;
  Metrics metrics;
  ConnectionList connections;
  std::atomic<bool> stopping = false;
  /// Bytes of request bodies in memory now, over all connections.
  std::atomic<std::size_t> body_bytes = 0;

  // The members below are set before the first connection and never change after that.
  std::size_t message_bytes = 0;  ///< [bytes] Largest message that a request may hold.
  std::unique_ptr<RawStub> stub;
  std::function<session::Census()> census;
  std::function<bool()> hears;
  std::function<void(std::function<void(std::vector<std::string>)>)> check_readiness;
};

}  // namespace sluice::web
