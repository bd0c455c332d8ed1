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

/// The position of a frame: the same as sluice.v1.Cursor.
struct FrameCursor {
  std::int64_t epoch = 0;
  std::int64_t index = 0;

  friend auto operator<=>(const FrameCursor&, const FrameCursor&) = default;
};

enum class Delivery {
  every,   ///< Every frame is sent, from disk if need be, at the subscriber's own pace.
  latest,  ///< The newest frame is sent whenever there is room for one.
};

struct SubscribeOptions {
  std::optional<FrameCursor>
      cursor;               ///< First frame; unset: the oldest (every) or newest one (latest).
  std::int64_t stride = 1;  ///< Only frames at cursor.index + k * stride are sent; >= 1.
  FrameForm form;           ///< The arrays to send, and their encoding.
  Delivery delivery = Delivery::every;
  int max_in_flight = 0;       ///< Limit of frames begun and not acknowledged; 0: no limit.
  bool existing_only = false;  ///< End after the frames that exist at the start.
};

/// Why a stream ended, with the gRPC code that the client gets.
enum class EndReason {
  done,             ///< All frames were sent. OK.
  out_of_range,     ///< The cursor is gone, or past the end of a terminal session. OUT_OF_RANGE.
  data_loss,        ///< A frame is damaged on disk. DATA_LOSS.
  storage_failed,   ///< The disk cannot be read. UNAVAILABLE.
  server_stopping,  ///< The server stops: resume behind the last whole frame. UNAVAILABLE.
  session_deleted,  ///< The session was deleted. NOT_FOUND.
};

/// The subscription has nothing to send until `wake` is called.
struct Wait {};
/// The next frame must be read from disk or encoded: call `load` on a thread that may block, and
/// then `next`.
struct Load {};
/// Send this serialised StreamFramesResponse, then ask again.
struct Send {
  store::SharedBytes message;
  bool ends_frame;  ///< Whether this is the last message of a frame.
};
/// Close the stream. Every later `next` returns the same End.
struct End {
  EndReason reason;
  std::string
      message;  ///< For the client; empty for `done`. For out_of_range it names the first frame.
};
using Next = std::variant<Wait, Load, Send, End>;

/// One reader of a feed: decides which message it is sent next. Knows no transport and no clock.
///
/// The transport calls `next` when it can take a message, and again after each message that it has
/// passed on; after a Wait it stops until `wake` is called. Nothing is ever queued: a slow
/// transport just asks less often. Frames are sent whole and in rising order; `every` leaves out no
/// frame (of the stride) between two.
///
/// Thread-safe; `next` and `load` by one thread at a time. The feed's appender never waits for a
/// subscription beyond a call of `wake`.
class Subscription {
 public:
  /// `wake` is called at most once for each Wait, on any thread, possibly before `next` has
  /// returned that Wait; it must not block and must not call the subscription.
  Subscription(std::shared_ptr<FrameFeed> feed, SubscribeOptions options,
               std::function<void()> wake);
  ~Subscription();  ///< Waits for a running call of `wake`.
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  [[nodiscard]] Next next();

  /// Reads and encodes the frame, after `next` returned Load. May wait for the disk, and takes tens
  /// of milliseconds for a large frame.
  void load();

  /// Returns the credits of all frames up to `cursor`. Idempotent.
  void acknowledge(FrameCursor cursor);

  /// Returns the cursor for a new stream that continues this one: behind the last whole frame sent.
  [[nodiscard]] FrameCursor resume_cursor() const;

  [[nodiscard]] int in_flight() const;  ///< Frames begun and not acknowledged.

 private:
  void on_feed_change();
  // The functions from here on are called under mutex_.
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
  bool placed_ = false;           // Whether origin_ and next_index_ are set.
  std::uint64_t origin_ = 0;      // Frames at origin_ + k * stride are sent.
  std::uint64_t next_index_ = 0;  // Frames below it are not sent any more.
  std::uint64_t end_index_;       // Frames at or above it are not wanted.
  FrameCursor resume_;
  FrameCursor current_;           // The frame that is being sent.
  FrameMessages messages_;        // The messages of current_.
  std::size_t next_message_ = 0;  // == messages_.size(): no frame is being sent.
  int history_ = 0;               // Frames in a row up to current_ that were sent, counted up to 2.
  std::optional<std::uint64_t> to_load_;
  std::optional<FrameMessages> loaded_;
  std::deque<FrameCursor> unacknowledged_;
  std::optional<End> end_;
  bool waiting_ = false;
  bool waits_for_credit_ = false;                // If true, a new frame is no reason to wake.
  std::optional<FrameFeed::Listener> listener_;  // The last member, so destroyed first.
};

}  // namespace sluice::stream
