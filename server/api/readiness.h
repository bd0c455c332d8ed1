// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "server/session/work_pool.h"

namespace sluice::api {

/// Answers whether work may be sent to the server. Anybody may ask, and the answer costs a write to
/// the disk: so one check at a time serves all who ask meanwhile, and its answer stands for a
/// second. Thread-safe.
class Readiness {
 public:
  /// Why work should not be sent now, in sentences; none where it may.
  using Reasons = std::vector<std::string>;

  /// `check` finds the reasons; it runs on `pool`, and may wait for the disk.
  Readiness(session::WorkPool& pool, std::function<Reasons()> check)
      : pool_(pool), check_(std::move(check)) {}

  /// Calls `tell` once, from any thread, also before it returns.
  void ask(std::function<void(Reasons)> tell);

 private:
  void run();

  session::WorkPool& pool_;
  const std::function<Reasons()> check_;
  std::mutex mutex_;
  std::vector<std::function<void(Reasons)>> asking_;  // A check is under way if there are any.
  Reasons known_;
  std::chrono::steady_clock::time_point known_until_{};
};

}  // namespace sluice::api
