// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/api/listener.h"

namespace sluice::api {

/// What a client that connects now would find.
enum class Hearing {
  answers,  ///< A gRPC server.
  full,     ///< A server that closes the connection at once: too many are open.
  deaf,     ///< Nobody.
};

/// Connects to `address` as a client does and waits for the first frame of HTTP/2, for at most 5 s.
[[nodiscard]] Hearing probe(const ListenAddress& address);

/// Asks so every two seconds, on a thread of its own. Thread-safe.
class ListenerProbe {
 public:
  explicit ListenerProbe(ListenAddress address);
  ~ListenerProbe();  ///< As `stop`.
  ListenerProbe(const ListenerProbe&) = delete;
  ListenerProbe& operator=(const ListenerProbe&) = delete;

  /// Ends the asking; what was found last stays.
  void stop();

  [[nodiscard]] Hearing last() const { return last_; }
  /// Whether nobody answered three times in a row: a busy machine may miss one.
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
