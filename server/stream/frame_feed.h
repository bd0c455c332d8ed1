// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "server/store/frame_log.h"
#include "server/store/store_error.h"
#include "server/stream/frame_encoder.h"
#include "server/stream/frame_form.h"
#include "server/stream/frame_record.h"
#include "server/stream/shared_cache.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

/// Whether more frames may come.
enum class FeedState {
  live,      ///< Yes: the session is not terminal.
  complete,  ///< No: the session is terminal.
  stopping,  ///< The server stops; streams end and are taken up again after it is back.
  deleted,   ///< The session is gone.
};

struct FeedOptions {
  store::SegmentLogOptions log;
  /// [bytes] of recent frames kept in memory for subscribers; the newest is kept however large it
  /// is.
  std::size_t cache_bytes = std::size_t{64} << 20;
  /// [bytes] of integers of quantised frames, which later ones are predicted from.
  std::size_t quantized_cache_bytes = std::size_t{64} << 20;
};

/// The frames of one session, stored and shared.
///
/// Thread-safe. One thread appends; it writes to disk, and for the subscribers it sets flags and
/// calls their wake functions, which must not block: so no subscriber slows it.
class FrameFeed {
 public:
  /// Opens the session's frame log in `directory`. The feed is `live`.
  static store::Result<std::shared_ptr<FrameFeed>> open(const std::filesystem::path& directory,
                                                        const FeedOptions& options,
                                                        store::OpenMode mode);

  /// Stores a whole frame (frame_record.h) under its header's cursor; durable on return, and
  /// announced.
  ///
  /// A frame that is there already must be the same but for its statistics: `already_same`, else
  /// `mismatch`. Further errors: those of store::FrameLog::append, and `corrupt` for a record of
  /// another form.
  store::Result<store::AppendOutcome> append(const store::SharedBytes& record);

  /// Stores the layout of its epoch, before the epoch's first frame. The same again is fine, also
  /// where a server before 0.2 stored it without the domain; another one for the same epoch is
  /// `mismatch`.
  store::Result<store::AppendOutcome> append_layout(const v1::Layout& layout);

  /// Stores a command with the frames (store::FrameLog::append_command).
  store::Status append_command(const store::CommandRecord& command) {
    return log_->append_command(command);
  }

  /// The layout of `epoch`, or the newest; `not_found` before the first one.
  [[nodiscard]] store::Result<v1::Layout> layout(std::optional<std::int64_t> epoch = {}) const;

  /// Reads and encodes a frame, or finds it in memory; may wait for the disk, and takes
  /// milliseconds for a quantised one. `not_found` outside the range.
  [[nodiscard]] store::Result<FrameMessages> read(std::uint64_t index, const FrameForm& form = {},
                                                  FrameVariant variant = {}) const;

  /// As `read`, if it takes no waiting; otherwise nothing.
  [[nodiscard]] std::optional<FrameMessages> find_in_memory(std::uint64_t index,
                                                            const FrameForm& form = {},
                                                            FrameVariant variant = {}) const;

  [[nodiscard]] store::FrameRange range() const { return log_->range(); }
  /// Says that there were `count` frames once, so that readers learn of those that are lost.
  void expect_frames(std::uint64_t count) { expected_count_ = count; }
  [[nodiscard]] std::uint64_t expected_count() const { return expected_count_; }
  [[nodiscard]] std::optional<store::FrameInfo> find(std::uint64_t index) const {
    return log_->find(index);
  }
  [[nodiscard]] std::uint64_t stored_bytes() const { return log_->stored_bytes(); }
  [[nodiscard]] const store::OpenReport& open_report() const { return log_->open_report(); }

  [[nodiscard]] FeedState state() const { return state_; }
  /// Tells the subscribers. From `complete` back to `live` is allowed (a session that is resumed).
  void set_state(FeedState state);

  /// Syncs the log and writes its index. Nothing can be appended afterwards; reading still works.
  store::Status close() { return log_->close(); }

  /// Calls `on_change` whenever frames or the state changed, from the thread that did it, until the
  /// Listener is destroyed; its destructor waits for a call under way. For Subscription.
  class Listener {
   public:
    Listener(std::shared_ptr<FrameFeed> feed, std::function<void()> on_change);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

   private:
    friend class FrameFeed;
    std::shared_ptr<FrameFeed> feed_;
    std::function<void()> on_change_;
  };

 private:
  using CacheKey = std::tuple<std::uint64_t, FrameForm, FrameVariant>;

  FrameFeed(std::unique_ptr<store::FrameLog> log, const FeedOptions& options);
  void announce();
  [[nodiscard]] store::Result<FrameMessages> load(std::uint64_t index, const FrameForm& form,
                                                  FrameVariant variant) const;

  std::unique_ptr<store::FrameLog> log_;
  mutable SharedCache<CacheKey, FrameMessages> cache_;
  mutable FrameEncoder encoder_;
  std::atomic<FeedState> state_ = FeedState::live;
  std::atomic<std::uint64_t> expected_count_ = 0;
  std::mutex mutex_;  // Guards listeners_; held while they are called, so they must not take it.
  std::set<Listener*> listeners_;
};

}  // namespace sluice::stream
