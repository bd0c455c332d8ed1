// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>

#include "sluice/v1/worker_link.pb.h"

namespace sluice::worker {

/// Task: compute the next frame.
struct Advance {};
/// Task: tell the server that the run order `order_id` is fulfilled.
struct Hold {
  std::int64_t order_id;
};
/// Task: apply a steering command.
struct Steer {
  std::int64_t id;
  v1::SteerCommand command;
  bool while_holding = false;  ///< The current run order asks for no further frame.
};
/// Task: end the simulation, after a last checkpoint if `checkpoint`.
struct Stop {
  bool checkpoint;
};
using Task = std::variant<Advance, Hold, Steer, Stop>;

/// The solver's progress through the frames.
struct Position {
  std::int64_t frame_index;
  std::int64_t last_frame_index;
  std::int64_t stored_frame_count;  ///< Frames below it are recomputed without a run order.
};

/// The server's orders: the receiving thread puts them in, and the solver takes its next task.
/// Thread-safe.
class Orders {
 public:
  explicit Orders(int max_in_flight = 1) : credits_(max_in_flight) {}

  // Called by the receiving thread.
  void set_credits(int max_in_flight);
  void run(const v1::RunOrder& order);
  void steer(const v1::SteerOrder& order);
  void frame_accepted();
  void stop(bool checkpoint);

  /// Called by the solver: waits for a task. A stop comes first, then commands, then frames (each
  /// needs a credit), then the answer to an order that is fulfilled.
  Task next(const Position& position);
  /// Called by the solver: takes a credit for a frame that it sends without an order.
  void take_credit();

 private:
  std::optional<Task> choose(const Position& position);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<v1::RunOrder> run_;
  std::deque<Steer> steers_;
  std::optional<Stop> stop_;
  int credits_;
  std::int64_t answered_order_ = 0;
};

}  // namespace sluice::worker
