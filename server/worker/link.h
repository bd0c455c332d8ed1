// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <grpcpp/grpcpp.h>

#include "server/worker/orders.h"
#include "server/worker/outbox.h"
#include "server/worker/simulate.h"
#include "sluice/v1/worker_link.grpc.pb.h"

namespace sluice::worker {

/// Who this worker is, from its command line.
struct Identity {
  std::string address;  ///< `unix:/path`
  std::string session;  ///< `sessions/{id}`
  std::string token;
};

/// The worker's stream to its server: one thread that receives, one that sends, one that gives a
/// sign of life each second.
class Link {
 public:
  /// Dials and says hello. `on_lost` is called once, on a thread of the link, when the server went
  /// away without `finish`.
  Link(const Identity& identity, Orders& orders, Outbox& outbox, std::function<void()> on_lost);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Waits for the assignment with its assets and checkpoint; nothing if the server sent something
  /// else or went away.
  std::optional<Job> receive_job();

  /// Receives orders and sends what the outbox holds, until the end.
  void start();

  /// Sends what is left and the outcome, and waits for the server to end the stream.
  void finish(v1::WorkerOutcome outcome);

 private:
  void receive();
  void send();

  Orders& orders_;
  Outbox& outbox_;
  std::function<void()> on_lost_;
  grpc::ClientContext context_;
  std::unique_ptr<v1::WorkerLink::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::WorkerMessage, v1::ServerMessage>> stream_;
  std::atomic<bool> finishing_ = false;
  std::jthread receiver_, sender_, heart_;
};

}  // namespace sluice::worker
