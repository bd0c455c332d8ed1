// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace sluice::session {

/// The places for workers that run at once: first come, first served. When all are taken and a
/// session waits, the holders are asked to give their place back if they can spare it (a paused
/// session can). Thread-safe; callbacks run on the caller's thread, without the lock, and must only
/// post a task.
class RunSlots {
 public:
  struct Client {
    std::function<void()> granted;
    std::function<void()> please_yield;
  };

  explicit RunSlots(int count) : free_(count) {}

  /// Asks for a place. Nothing happens if `id` has one or waits already.
  void request(const std::string& id, Client client);
  /// Gives the place of `id` back, or ends its waiting.
  void release(const std::string& id);

  [[nodiscard]] int waiting_count() const;

 private:
  mutable std::mutex mutex_;
  int free_;
  std::map<std::string, Client> holders_;
  std::deque<std::pair<std::string, Client>> waiting_;
};

}  // namespace sluice::session
