// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "server/session/error.h"
#include "server/session/observers.h"

namespace sluice::api {

/// Counts open streams against the limit, and notifies them when the server stops. Thread-safe.
class StreamPlaces {
 public:
  explicit StreamPlaces(int limit) : limit_(limit) {}

  /// Takes a place, which is held until the handle is destroyed, or returns why there is none.
  [[nodiscard]] session::Result<std::shared_ptr<void>> take() {
    if (stopping_) {
      return session::server_stopping();
    }
    if (count_.fetch_add(1) >= limit_) {
      count_.fetch_sub(1);
      return session::limit_reached("streams", limit_, "close some");
    }
    return std::shared_ptr<void>(
        &count_, [](void* count) { static_cast<std::atomic<int>*>(count)->fetch_sub(1); });
  }

  [[nodiscard]] int open_count() const { return count_; }
  [[nodiscard]] bool stopping() const { return stopping_; }
  /// Observers that `stop` notifies: for streams that do not follow a frame feed.
  [[nodiscard]] session::Observers& on_stop() { return on_stop_; }
  void stop() {
    stopping_ = true;
    on_stop_.notify();
  }

 private:
  const int limit_;
  std::atomic<int> count_ = 0;
  std::atomic<bool> stopping_ = false;
  session::Observers on_stop_;
};

}  // namespace sluice::api
