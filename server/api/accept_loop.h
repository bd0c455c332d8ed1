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

/// Who may come in.
enum class Admission {
  clients,  ///< Anybody, as long as descriptors are left for the server's own work.
  workers,  ///< Our own processes, for whom they are left.
};

/// Takes connections and hands them to a gRPC server that has no port of its own.
///
/// gRPC 1.51 stops to listen for good when accept(2) once finds no descriptor free; this loop waits
/// a moment and goes on. A connection is handed over with its first byte: one that stays silent for
/// `silence_patience` is closed, and the longest silent ones make room for others. So those who
/// open connections and say nothing keep nobody out.
class AcceptLoop {
 public:
  static constexpr std::chrono::seconds silence_patience{10};
  static constexpr std::size_t most_silent = 256;  ///< Connections that have said nothing yet.

  /// Starts the loop. `server` outlives it.
  AcceptLoop(ListeningSockets sockets, grpc::Server& server, Admission admission);
  ~AcceptLoop();  ///< Ends it; connections that were handed over stay.
  AcceptLoop(const AcceptLoop&) = delete;
  AcceptLoop& operator=(const AcceptLoop&) = delete;

  [[nodiscard]] const ListenAddress& address() const { return sockets_.address(); }
  /// Connections closed at once because too many are open.
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
  int wake_ = -1;             // eventfd(2): written to once, to end.
  std::list<Silent> silent_;  // The longest first.
  std::unordered_map<int, std::list<Silent>::iterator> by_descriptor_;
  bool is_pausing_ = false;  // The system had no descriptor or memory left.
  std::atomic<std::int64_t> refused_count_ = 0;
  std::thread thread_;
};

}  // namespace sluice::api
