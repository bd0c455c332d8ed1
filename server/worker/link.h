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

/// The server's address, the session and the token, from the worker's command line.
struct Identity {
  std::string address;  ///< `unix:/path`
  std::string session;  ///< `sessions/{id}`
  std::string token;
};

/// The worker's stream to its server. One thread receives, one sends, and one puts a sign of life
/// into the outbox each second.
class Link {
 public:
  /// Connects to the server and sends `hello`. `on_lost` is called once, on a thread of the link,
  /// if the stream ends before `finish`.
  Link(const Identity& identity, Orders& orders, Outbox& outbox, std::function<void()> on_lost);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Waits for the assignment with its assets and checkpoint. Nothing if the server sends something
  /// else or goes away.
  std::optional<Job> receive_job();

  /// Starts the threads, which receive orders and send the outbox's messages until the end.
  void start();

  /// Sends the remaining messages and the outcome, and waits for the server to end the stream.
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
