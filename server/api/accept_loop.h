// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <thread>
#include <unordered_map>

#include "server/api/listening_sockets.h"

namespace sluice::api {

/// Who may connect to a socket.
enum class Admission {
  clients,  ///< Anybody, as long as enough descriptors stay free for the server's own work.
  workers,  ///< The server's own workers, which may use the descriptors that are kept free.
};

/// Accepts connections and hands them to a gRPC server that has no port of its own.
///
/// gRPC 1.51 stops listening for good when accept(2) once finds no free descriptor; this loop waits
/// a moment and goes on. A connection is handed over when its first byte arrives. One that stays
/// silent for `silence_patience` is closed, and the one that is silent longest is closed when room
/// is needed. So clients that open connections and send nothing keep nobody out.
class AcceptLoop {
 public:
  static constexpr std::chrono::seconds silence_patience{10};
  static constexpr std::size_t most_silent = 256;  ///< Connections that have said nothing yet.

  /// Starts the loop. `server` outlives it.
  AcceptLoop(ListeningSockets sockets, grpc::Server& server, Admission admission);
  ~AcceptLoop();  ///< Ends the loop; connections that were handed over stay open.
  AcceptLoop(const AcceptLoop&) = delete;
  AcceptLoop& operator=(const AcceptLoop&) = delete;

  [[nodiscard]] const ListenAddress& address() const { return sockets_.address(); }
  /// Number of connections that were closed at once because too many are open.
  [[nodiscard]] std::int64_t refused_count() const { return refused_count_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Silent {
    int descriptor;
    Clock::time_point since;
  };

  void run();
  void accept_some(int listener);
  void hand_over(int descriptor);
  void watch(int descriptor, std::uint32_t events) const;
  void drop_oldest();
  void listen_again();

  ListeningSockets sockets_;
  grpc::Server& server_;
  const Admission admission_;
  int events_ = -1;           // epoll(7)
  int wake_ = -1;             // eventfd(2): one write to it ends the loop.
  std::list<Silent> silent_;  // Connections without a byte so far; the oldest first.
  std::unordered_map<int, std::list<Silent>::iterator> by_descriptor_;
  bool is_pausing_ = false;  // Accepting rests: the system has no descriptor or memory left.
  std::atomic<std::int64_t> refused_count_ = 0;
  std::thread thread_;
};

}  // namespace sluice::api
