// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "sluice/v1/worker_link.pb.h"

namespace sluice::session {

/// Gives the next message of a sequence, or false at its end. It is called when there is room for
/// the message, so that a checkpoint of gigabytes is never queued as a whole.
using MessageSource = std::function<bool(v1::ServerMessage&)>;

/// Sends messages to one worker. Thread-safe; no function blocks.
class WorkerChannel {
 public:
  virtual ~WorkerChannel() = default;

  /// Queues the messages of `source` behind what is queued already.
  virtual void send_all(MessageSource source) = 0;
  void send(v1::ServerMessage message) {
    send_all([message = std::move(message), sent = false](v1::ServerMessage& next) mutable {
      if (std::exchange(sent, true)) {
        return false;
      }
      next = std::move(message);
      return true;
    });
  }

  /// Ends the connection once all queued messages are sent.
  virtual void close() = 0;
};

}  // namespace sluice::session
