// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <mutex>

#include "server/worker/outbox.h"

namespace sluice::worker {

/// Sends the process's log lines to the server, which adds the session and keeps the last lines.
class LogSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LogSink(Outbox& outbox) : outbox_(outbox) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& entry) override {
    v1::WorkerMessage message;
    v1::LogLine& line = *message.mutable_log();
    switch (entry.level) {
      case spdlog::level::trace:
      case spdlog::level::debug:
        line.set_level(v1::LOG_LEVEL_DEBUG);
        break;
      case spdlog::level::warn:
        line.set_level(v1::LOG_LEVEL_WARNING);
        break;
      case spdlog::level::err:
      case spdlog::level::critical:
        line.set_level(v1::LOG_LEVEL_ERROR);
        break;
      default:
        line.set_level(v1::LOG_LEVEL_INFO);
    }
    line.set_message(entry.payload.data(), entry.payload.size());
    outbox_.put(std::move(message));
  }
  void flush_() override {}

 private:
  Outbox& outbox_;
};

}  // namespace sluice::worker
