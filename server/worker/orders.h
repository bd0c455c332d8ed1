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

/// Compute the next frame.
struct Advance {};
/// Tell the server that this order is fulfilled.
struct Hold {
  std::int64_t order_id;
};
/// Apply a command.
struct Steer {
  std::int64_t id;
  v1::SteerCommand command;
  bool while_holding = false;  ///< No frame is ordered beyond the one at hand.
};
/// End.
struct Stop {
  bool checkpoint;
};
using Task = std::variant<Advance, Hold, Steer, Stop>;

/// Where the solver stands.
struct Position {
  std::int64_t frame_index;
  std::int64_t last_frame_index;
  std::int64_t stored_frame_count;  ///< Frames below this are computed again in any case.
};

/// What the server wants, as the receiving thread puts it in and the solver asks for it.
/// Thread-safe.
class Orders {
 public:
  explicit Orders(int max_in_flight = 1) : credits_(max_in_flight) {}

  // The receiving thread.
  void set_credits(int max_in_flight);
  void run(const v1::RunOrder& order);
  void steer(const v1::SteerOrder& order);
  void frame_accepted();
  void stop(bool checkpoint);

  /// The solver: waits for something to do. A stop comes first, then commands, then frames (each
  /// needs a credit), then the answer to an order that is fulfilled.
  Task next(const Position& position);
  /// The solver: takes the credit of a frame that it sends without having been told to.
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
