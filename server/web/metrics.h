// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/status.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <string>

#include "server/session/census.h"

namespace sluice::web {

/// The web server's counters and gauges. Thread-safe.
class Metrics {
 public:
  Metrics();

  void request_answered(unsigned http_status);
  void call_ended(grpc::StatusCode code);
  void connection_refused() { refused_.Increment(); }
  void sent(std::size_t bytes) { sent_bytes_.Increment(static_cast<double>(bytes)); }
  void received(std::size_t bytes) { received_bytes_.Increment(static_cast<double>(bytes)); }
  [[nodiscard]] prometheus::Gauge& open_connections() { return connections_; }
  [[nodiscard]] prometheus::Gauge& open_calls() { return calls_open_; }

  /// Returns these counters, `census` and the system's figures for this process in Prometheus's
  /// text format 0.0.4.
  [[nodiscard]] std::string text(const session::Census& census) const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Counter>& calls_;
  prometheus::Counter& refused_;
  prometheus::Counter& sent_bytes_;
  prometheus::Counter& received_bytes_;
  prometheus::Gauge& connections_;
  prometheus::Gauge& calls_open_;
};

/// Returns the name of a status code, for example `NOT_FOUND`.
[[nodiscard]] std::string code_name(grpc::StatusCode code);

}  // namespace sluice::web
