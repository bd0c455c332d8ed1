// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "server/store/shared_bytes.h"
#include "server/stream/frame_feed.h"
#include "server/stream/frame_form.h"

namespace sluice::stream {

/// A frame's place: sluice.v1.Cursor.
struct FrameCursor {
  std::int64_t epoch = 0;
  std::int64_t index = 0;

  friend auto operator<=>(const FrameCursor&, const FrameCursor&) = default;
};

enum class Delivery {
  every,   ///< Each frame, from disk if need be, at the subscriber's own pace.
  latest,  ///< The newest frame whenever there is room for one.
};

struct SubscribeOptions {
  std::optional<FrameCursor>
      cursor;               ///< First frame; else the oldest (every) or the newest (latest).
  std::int64_t stride = 1;  ///< >= 1. Frames at cursor.index + k * stride alone.
  FrameForm form;           ///< Which arrays, and how they are written.
  Delivery delivery = Delivery::every;
  int max_in_flight = 0;       ///< Frames begun and not acknowledged; 0: no limit.
  bool existing_only = false;  ///< End after the frames that are there now.
};

/// Why a stream ended.
enum class EndReason {
  done,             ///< All was sent. OK.
  out_of_range,     ///< The cursor is gone, or past the end of a terminal session. OUT_OF_RANGE.
  data_loss,        ///< A frame is damaged on disk. DATA_LOSS.
  storage_failed,   ///< The disk cannot be read. UNAVAILABLE.
  server_stopping,  ///< Come back with the cursor behind the last whole frame. UNAVAILABLE.
  session_deleted,  ///< NOT_FOUND.
};

/// The subscription has nothing to send until `wake` is called.
struct Wait {};
/// The next frame must be read from disk, or encoded: call `load` on a thread that may block, then
/// `next`.
struct Load {};
/// Send this serialised StreamFramesResponse, then ask again.
struct Send {
  store::SharedBytes message;
  bool ends_frame;  ///< The last message of a frame.
};
/// Close the stream. Every later `next` says the same.
struct End {
  EndReason reason;
  std::string
      message;  ///< For the client; empty when done. For out_of_range with the first cursor.
};
using Next = std::variant<Wait, Load, Send, End>;

/// One reader of a feed: decides what it is sent next. Knows no transport and no clock.
///
/// The transport calls `next` when it can take a message, and again after each one that it has
/// passed on; it stops asking on Wait and goes on when woken. Nothing is ever queued: a slow
/// transport asks less often, and that is all. Frames are sent whole and in rising order; with
/// `every` none between two is left out.
///
/// Thread-safe; `next` and `load` by one thread at a time. The feed's appender never waits for a
/// subscription beyond a call of `wake`.
class Subscription {
 public:
  /// `wake` is called at most once for each Wait, from any thread, also before `next` has returned
  /// the Wait to its caller; it must not block and must not call the subscription.
  Subscription(std::shared_ptr<FrameFeed> feed, SubscribeOptions options,
               std::function<void()> wake);
  ~Subscription();  ///< Waits for a call of `wake` under way.
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  [[nodiscard]] Next next();

  /// After a Load: fetches and encodes the frame. May wait for the disk, and for tens of
  /// milliseconds for a large frame.
  void load();

  /// Returns the credits of all frames up to `cursor`. Idempotent.
  void acknowledge(FrameCursor cursor);

  /// Where a new stream would go on: behind the last frame that was handed out whole.
  [[nodiscard]] FrameCursor resume_cursor() const;

  [[nodiscard]] int in_flight() const;  ///< Frames begun and not acknowledged.

 private:
  void on_feed_change();
  // All of these are called under mutex_.
  Next decide();
  Next send_next_message();
  Next begin_frame(std::uint64_t index, FrameMessages messages);
  [[nodiscard]] FrameVariant variant_of(std::uint64_t index) const;
  bool place(const store::FrameRange& range, FeedState state);
  [[nodiscard]] std::optional<std::uint64_t> choose_frame(const store::FrameRange& range,
                                                          FeedState state) const;
  [[nodiscard]] bool epoch_fits(FrameCursor cursor) const;
  [[nodiscard]] Next end_with(EndReason reason, std::string message);

  const std::shared_ptr<FrameFeed> feed_;
  const SubscribeOptions options_;
  const std::function<void()> wake_;

  mutable std::mutex mutex_;
  bool placed_ = false;           // next_index_ is set.
  std::uint64_t origin_ = 0;      // Frames at origin_ + k * stride.
  std::uint64_t next_index_ = 0;  // No frame below it is sent any more.
  std::uint64_t end_index_;       // Frames from here on are not wanted.
  FrameCursor resume_;
  FrameCursor current_;           // The frame that is being sent.
  FrameMessages messages_;        // Of that frame.
  std::size_t next_message_ = 0;  // == messages_.size(): no frame is being sent.
  int history_ = 0;               // Frames in a row up to current_ that were sent, counted up to 2.
  std::optional<std::uint64_t> to_load_;
  std::optional<FrameMessages> loaded_;
  std::deque<FrameCursor> unacknowledged_;
  std::optional<End> end_;
  bool waiting_ = false;
  bool waits_for_credit_ = false;                // Then a new frame is no reason to wake.
  std::optional<FrameFeed::Listener> listener_;  // Last: goes first.
};

}  // namespace sluice::stream
