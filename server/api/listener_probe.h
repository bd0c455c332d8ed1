// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/api/listener.h"

namespace sluice::api {

/// The result for a client that connects now.
enum class Hearing {
  answers,  ///< A gRPC server answers.
  full,     ///< The connection is closed at once: too many are open.
  deaf,     ///< Nobody answers.
};

/// Connects to `address` as a client does and waits at most 5 s for the first frame of HTTP/2.
[[nodiscard]] Hearing probe(const ListenAddress& address);

/// Probes an address every two seconds, on a thread of its own. Thread-safe.
class ListenerProbe {
 public:
  explicit ListenerProbe(ListenAddress address);
  ~ListenerProbe();  ///< Calls `stop`.
  ListenerProbe(const ListenerProbe&) = delete;
  ListenerProbe& operator=(const ListenerProbe&) = delete;

  /// Ends the probing; `last` keeps the last result.
  void stop();

  [[nodiscard]] Hearing last() const { return last_; }
  /// Whether the last three probes found nobody; a busy machine may miss a single one.
  [[nodiscard]] bool is_deaf() const { return deaf_count_ >= 3; }

 private:
  void run();

  const ListenAddress address_;
  std::atomic<Hearing> last_ = Hearing::answers;
  std::atomic<int> deaf_count_ = 0;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace sluice::api
