// SPDX-License-Identifier: Apache-2.0
#include "server/stream/subscription.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace sluice::stream {
namespace {

constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

std::string place_of(FrameCursor cursor) {
  return fmt::format("epoch {} index {}", cursor.epoch, cursor.index);
}

}  // namespace

Subscription::Subscription(std::shared_ptr<FrameFeed> feed, SubscribeOptions options,
                           std::function<void()> wake)
    : feed_(std::move(feed)),
      options_(std::move(options)),
      wake_(std::move(wake)),
      // A complete feed gets no more frames, and without an end its lost frames are told.
      end_index_(options_.existing_only && feed_->state() != FeedState::complete
                     ? feed_->range().next
                     : no_end) {
  assert(options_.stride >= 1 && options_.max_in_flight >= 0);
  listener_.emplace(feed_, [this] { on_feed_change(); });
}

Subscription::~Subscription() { listener_.reset(); }

void Subscription::on_feed_change() {
  {
    const std::lock_guard lock(mutex_);
    const FeedState state = feed_->state();
    const bool may_have_frames = state == FeedState::live || state == FeedState::complete;
    if (!waiting_ || (waits_for_credit_ && may_have_frames)) {
      return;
    }
    waiting_ = false;
  }
  wake_();
}

void Subscription::acknowledge(FrameCursor cursor) {
  {
    const std::lock_guard lock(mutex_);
    while (!unacknowledged_.empty() && unacknowledged_.front() <= cursor) {
      unacknowledged_.pop_front();
    }
    if (!waiting_ || !waits_for_credit_ ||
        static_cast<int>(unacknowledged_.size()) >= options_.max_in_flight) {
      return;
    }
    waiting_ = false;
  }
  wake_();
}

FrameCursor Subscription::resume_cursor() const {
  const std::lock_guard lock(mutex_);
  return resume_;
}

int Subscription::in_flight() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(unacknowledged_.size());
}

Next Subscription::next() {
  const std::lock_guard lock(mutex_);
  waiting_ = waits_for_credit_ = false;
  return decide();
}

Next Subscription::end_with(EndReason reason, std::string message) {
  end_ = End{.reason = reason, .message = std::move(message)};
  return *end_;
}

Next Subscription::decide() {
  if (end_) {
    return *end_;
  }
  const FeedState state = feed_->state();
  if (state == FeedState::stopping) {
    return end_with(EndReason::server_stopping,
                    "the server stops; go on from " + place_of(resume_) + " when it is back");
  }
  if (state == FeedState::deleted) {
    return end_with(EndReason::session_deleted, "the session was deleted");
  }
  if (next_message_ < messages_.size()) {
    return send_next_message();
  }
  // The state was read before the range: a feed that is complete by now has all its frames in it.
  const store::FrameRange range = feed_->range();
  if (!placed_ && !place(range, state)) {
    if (end_) {
      return *end_;
    }
    waiting_ = true;
    return Wait{};
  }
  const auto index = choose_frame(range, state);
  if (!index) {
    const bool no_more = next_index_ >= end_index_ || state == FeedState::complete;
    if (no_more) {
      const std::uint64_t end = std::min(feed_->expected_count(), end_index_);
      if (options_.delivery == Delivery::every && next_index_ < end) {
        return end_with(EndReason::data_loss,
                        fmt::format("frame {} and those after it, {} in all, are lost to damage on "
                                    "disk",
                                    next_index_, end - next_index_));
      }
      return end_with(EndReason::done, {});
    }
    waiting_ = true;
    return Wait{};
  }
  if (options_.max_in_flight > 0 &&
      static_cast<int>(unacknowledged_.size()) >= options_.max_in_flight) {
    waiting_ = waits_for_credit_ = true;
    return Wait{};
  }
  if (loaded_) {
    // With `latest` a newer frame may have come meanwhile. Starting over for it could go on for
    // ever, where loading takes longer than the next frame.
    return begin_frame(*to_load_, *std::exchange(loaded_, std::nullopt));
  }
  if (auto messages = feed_->find_in_memory(*index, options_.form, variant_of(*index))) {
    return begin_frame(*index, *std::move(messages));
  }
  to_load_ = index;
  return Load{};
}

// Settles where the stream begins; false if that must wait for frames, or if it ended.
bool Subscription::place(const store::FrameRange& range, FeedState state) {
  const bool is_empty = range.first == range.next;
  const bool is_live = state == FeedState::live;
  if (!options_.cursor) {
    if (is_empty && is_live && !options_.existing_only) {
      return false;
    }
    if (options_.delivery == Delivery::every && range.first > 0) {
      (void)end_with(
          EndReason::data_loss,
          fmt::format("the frames before index {} are lost to damage on disk; later ones "
                      "can be had from there on",
                      range.first));
      return false;
    }
    origin_ = options_.delivery == Delivery::latest && !is_empty ? range.next - 1 : range.first;
  } else {
    const FrameCursor cursor = *options_.cursor;
    const auto index = static_cast<std::uint64_t>(cursor.index);
    const auto first = feed_->find(range.first);
    const FrameCursor oldest{.epoch = first ? first->epoch : 0,
                             .index = static_cast<std::int64_t>(range.first)};
    if (cursor.index < 0 || (!is_empty && index < range.first) || !epoch_fits(cursor)) {
      (void)end_with(EndReason::out_of_range,
                     fmt::format("{} is gone; the first frame available is {}", place_of(cursor),
                                 place_of(oldest)));
      return false;
    }
    // The frame behind the last one is where a client is that has them all: its stream just ends.
    if (!is_live && index > std::max(range.next, range.stored_end)) {
      (void)end_with(EndReason::out_of_range,
                     fmt::format("{} is past the end of a session with {} frames; the first "
                                 "frame available is {}",
                                 place_of(cursor), range.next, place_of(oldest)));
      return false;
    }
    origin_ = index;
  }
  placed_ = true;
  next_index_ = origin_;
  if (!options_.cursor) {
    const auto info = feed_->find(origin_);
    resume_ = {.epoch = info ? info->epoch : 0, .index = static_cast<std::int64_t>(origin_)};
  } else {
    resume_ = *options_.cursor;
  }
  return true;
}

// Whether the cursor's epoch is that of its frame or of the one before: a client that has the last
// frame of an epoch cannot know that the next one begins another. 0 stands for any.
bool Subscription::epoch_fits(FrameCursor cursor) const {
  if (cursor.epoch == 0) {
    return true;
  }
  const auto index = static_cast<std::uint64_t>(cursor.index);
  const auto here = feed_->find(index);
  const auto before = index > 0 ? feed_->find(index - 1) : std::nullopt;
  if (!here && !before) {
    return true;  // Not computed yet, and nothing to compare with.
  }
  return (here && here->epoch == cursor.epoch) || (before && before->epoch == cursor.epoch);
}

std::optional<std::uint64_t> Subscription::choose_frame(const store::FrameRange& range,
                                                        FeedState state) const {
  // Where nothing fills a gap any more, what lies behind it can be had, and the gap is told.
  const std::uint64_t end =
      std::min(state == FeedState::complete ? range.stored_end : range.next, end_index_);
  if (next_index_ >= end) {
    return std::nullopt;
  }
  if (options_.delivery == Delivery::every) {
    return next_index_;
  }
  const auto stride = static_cast<std::uint64_t>(options_.stride);
  return end - 1 - (end - 1 - origin_) % stride;
}

// The frames and the order that the reader has when it is sent frame `index` next.
FrameVariant Subscription::variant_of(std::uint64_t index) const {
  if (history_ == 0) {
    return {.history = 0, .wants_order = true};
  }
  const auto info = feed_->find(index);
  if (!info || info->epoch != current_.epoch) {
    return {.history = 0, .wants_order = true};
  }
  const bool is_next = static_cast<std::int64_t>(index) == current_.index + 1;
  return {.history = is_next ? history_ : 0, .wants_order = false};
}

Next Subscription::begin_frame(std::uint64_t index, FrameMessages messages) {
  const auto info = feed_->find(index);
  history_ = std::min(variant_of(index).history + 1, 2);
  current_ = {.epoch = info ? info->epoch : resume_.epoch,
              .index = static_cast<std::int64_t>(index)};
  messages_ = std::move(messages);
  next_message_ = 0;
  next_index_ = index + static_cast<std::uint64_t>(options_.stride);
  if (options_.max_in_flight > 0) {
    unacknowledged_.push_back(current_);
  }
  return send_next_message();
}

Next Subscription::send_next_message() {
  Send send{.message = messages_[next_message_], .ends_frame = false};
  ++next_message_;
  if (next_message_ == messages_.size()) {
    send.ends_frame = true;
    messages_.clear();
    next_message_ = 0;
    resume_ = {.epoch = current_.epoch, .index = static_cast<std::int64_t>(next_index_)};
  }
  return send;
}

void Subscription::load() {
  std::uint64_t index = 0;
  FrameVariant variant;
  {
    const std::lock_guard lock(mutex_);
    if (!to_load_) {
      return;
    }
    index = *to_load_;
    variant = variant_of(index);
  }
  auto messages = feed_->read(index, options_.form, variant);
  const std::lock_guard lock(mutex_);
  if (messages) {
    loaded_ = std::move(messages).value();
    return;
  }
  const store::Error& error = messages.error();
  const bool is_lost = error.code == store::ErrorCode::corrupt;
  (void)end_with(is_lost ? EndReason::data_loss : EndReason::storage_failed,
                 is_lost ? fmt::format("frame {} is damaged on disk: {}; later frames can be had "
                                       "from index {} on",
                                       index, error.message, index + 1)
                         : fmt::format("frame {} cannot be read: {}", index, error.message));
}

}  // namespace sluice::stream
