// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "server/session/work_pool.h"

namespace sluice::api {

/// Tells whether work may be sent to the server. Anybody may ask, and an answer costs a write to
/// the disk: so one check at a time serves all who ask meanwhile, and its answer is used for a
/// second. Thread-safe.
class Readiness {
 public:
  /// The reasons against sending work now, as sentences; empty if work may be sent.
  using Reasons = std::vector<std::string>;

  /// `check` finds the reasons; it runs on `pool`, and may wait for the disk.
  Readiness(session::WorkPool& pool, std::function<Reasons()> check)
      : pool_(pool), check_(std::move(check)) {}

  /// Calls `tell` once, on any thread, possibly before `ask` returns.
  void ask(std::function<void(Reasons)> tell);

 private:
  void run();

  session::WorkPool& pool_;
  const std::function<Reasons()> check_;
  std::mutex mutex_;
  std::vector<std::function<void(Reasons)>> asking_;  // Not empty while a check is under way.
  Reasons known_;
  std::chrono::steady_clock::time_point known_until_{};
};

}  // namespace sluice::api
