// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sluice/connection.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::client {

/// Acknowledges frames of one stream from a thread of its own, so that reading never waits for it.
///
/// Frames that are acknowledged during a call go out with one next call, because acknowledging a
/// frame acknowledges all before it. (A thread, not gRPC's callback calls: gRPC 1.51 aborts when
/// the last reference to a channel is dropped in a callback.)
class AckSender {
 public:
  /// `on_failure` is called once, on the sender's thread, if an acknowledgement fails: without it
  /// the server would wait for ever.
  AckSender(const Connection& connection, std::string stream_id, std::function<void()> on_failure);
  AckSender(const AckSender&) = delete;
  AckSender& operator=(const AckSender&) = delete;

  /// Drops acknowledgements that were not sent yet, and waits for the thread.
  ~AckSender();

  void acknowledge(const v1::Cursor& cursor);

  /// Whether an acknowledgement failed.
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  void run();
  bool send(const v1::Cursor& cursor);

  Connection connection_;
  std::string stream_id_;
  std::function<void()> on_failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<v1::Cursor> waiting_;
  grpc::ClientContext* on_its_way_{nullptr};
  bool stopping_{false};
  std::atomic<bool> failed_{false};
  std::thread thread_;
};

}  // namespace sluice::client
