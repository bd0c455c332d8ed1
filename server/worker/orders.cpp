// SPDX-License-Identifier: Apache-2.0
#include "server/worker/orders.h"

namespace sluice::worker {

void Orders::set_credits(int max_in_flight) {
  const std::lock_guard lock(mutex_);
  credits_ = max_in_flight;
}

void Orders::run(const v1::RunOrder& order) {
  {
    const std::lock_guard lock(mutex_);
    run_ = order;
  }
  changed_.notify_all();
}

void Orders::steer(const v1::SteerOrder& order) {
  {
    const std::lock_guard lock(mutex_);
    steers_.push_back({order.id(), order.command(), false});
  }
  changed_.notify_all();
}

void Orders::frame_accepted() {
  {
    const std::lock_guard lock(mutex_);
    ++credits_;
  }
  changed_.notify_all();
}

void Orders::stop(bool checkpoint) {
  {
    const std::lock_guard lock(mutex_);
    stop_ = Stop{checkpoint};
  }
  changed_.notify_all();
}

void Orders::take_credit() {
  const std::lock_guard lock(mutex_);
  --credits_;
}

std::optional<Task> Orders::choose(const Position& position) {
  if (stop_) {
    return *stop_;
  }
  const bool behind = position.frame_index + 1 < position.stored_frame_count;
  const bool ordered = run_ && position.frame_index < run_->until_frame_index();
  if (!behind && !steers_.empty() && position.frame_index < position.last_frame_index) {
    Steer steer = std::move(steers_.front());
    steers_.pop_front();
    steer.while_holding = !ordered;
    return steer;
  }
  if ((behind || ordered) && position.frame_index < position.last_frame_index) {
    if (credits_ <= 0) {
      return std::nullopt;
    }
    --credits_;
    return Advance{};
  }
  if (run_ && run_->id() != answered_order_) {
    answered_order_ = run_->id();
    return Hold{run_->id()};
  }
  return std::nullopt;
}

Task Orders::next(const Position& position) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (auto task = choose(position)) {
      return *std::move(task);
    }
    changed_.wait(lock);
  }
}

}  // namespace sluice::worker
