// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>

namespace sluice::client {

/// Makes the waits between tries: 50 ms, then twice as long each time, up to 2 s, until `limit` has
/// passed without progress.
class Backoff {
 public:
  explicit Backoff(std::chrono::milliseconds limit, std::stop_token stop = {});

  /// Call it after progress: the next failure counts as the first again.
  void reset() noexcept;

  /// Waits before the next try. Returns false if none should follow: after `limit` or `stop`.
  [[nodiscard]] bool wait();

 private:
  std::chrono::milliseconds limit_;
  std::stop_token stop_;
  std::chrono::milliseconds delay_;
  std::chrono::steady_clock::time_point failing_since_;
  bool failing_{false};
};

}  // namespace sluice::client
