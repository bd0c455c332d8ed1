// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "sluice/v1/worker_link.pb.h"

namespace sluice::worker {

/// Gives the next message of a sequence, or false at its end.
using MessageSource = std::function<bool(v1::WorkerMessage&)>;

/// The queue of messages to the server. The solver puts in, the sending thread takes out, so that
/// solving and sending overlap; the server's credits bound its size. Thread-safe.
class Outbox {
 public:
  void put(v1::WorkerMessage message);
  /// Queues a source of messages that are made when their turn comes, for example a checkpoint's.
  void put_all(MessageSource source);
  /// Queues a message only if the queue is empty: a sign of life is needed only then.
  void put_if_empty(v1::WorkerMessage message);

  /// Waits for the next message; false once closed.
  bool take(v1::WorkerMessage& message);
  /// Waits until all messages are taken, or the outbox is closed.
  void wait_until_empty();
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<MessageSource> sources_;
  bool closed_ = false;
};

}  // namespace sluice::worker
