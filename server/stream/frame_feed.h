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
  live,      ///< More may come: the session is not terminal.
  complete,  ///< No more will come: the session is terminal.
  stopping,  ///< The server stops: streams end, and clients resume them when it is back.
  deleted,   ///< The session was deleted.
};

struct FeedOptions {
  store::SegmentLogOptions log;
  /// [bytes] Memory for recent frames, for subscribers; the newest frame is kept however large it
  /// is.
  std::size_t cache_bytes = std::size_t{64} << 20;
  /// [bytes] Memory for the integers of quantised frames, from which later ones are predicted.
  std::size_t quantized_cache_bytes = std::size_t{64} << 20;
};

/// The frames of one session: stores them and shares them with all subscribers.
///
/// Thread-safe. One thread appends. It writes to disk, and for the subscribers it only sets flags
/// and calls their wake functions, which must not block, so that no subscriber slows it.
class FrameFeed {
 public:
  /// Opens the session's frame log in `directory`. The feed starts in the state `live`.
  static store::Result<std::shared_ptr<FrameFeed>> open(const std::filesystem::path& directory,
                                                        const FeedOptions& options,
                                                        store::OpenMode mode);

  /// Stores a whole frame (frame_record.h) under its header's cursor, durably, and announces it to
  /// the listeners.
  ///
  /// If the frame is stored already: `already_same` if both are equal except for their statistics,
  /// else `mismatch`. Further errors: those of store::FrameLog::append, and `corrupt` if `record`
  /// has another form.
  store::Result<store::AppendOutcome> append(const store::SharedBytes& record);

  /// Stores the layout of an epoch, before the epoch's first frame. Storing the same layout again
  /// is fine, also if a server before 0.2 stored it without the domain; a different layout for the
  /// same epoch is `mismatch`.
  store::Result<store::AppendOutcome> append_layout(const v1::Layout& layout);

  /// Stores a command in the frame log (store::FrameLog::append_command).
  store::Status append_command(const store::CommandRecord& command) {
    return log_->append_command(command);
  }

  /// Reads the layout of `epoch`, by default of the newest one; `not_found` if there is none.
  [[nodiscard]] store::Result<v1::Layout> layout(std::optional<std::int64_t> epoch = {}) const;

  /// Finds a frame in memory, or reads and encodes it; may wait for the disk, and takes
  /// milliseconds for a quantised frame. `not_found` outside the range.
  [[nodiscard]] store::Result<FrameMessages> read(std::uint64_t index, const FrameForm& form = {},
                                                  FrameVariant variant = {}) const;

  /// Returns the same frame as `read` if it is in memory, else nothing; never waits for the disk.
  [[nodiscard]] std::optional<FrameMessages> find_in_memory(std::uint64_t index,
                                                            const FrameForm& form = {},
                                                            FrameVariant variant = {}) const;

  [[nodiscard]] store::FrameRange range() const { return log_->range(); }
  /// Sets how many frames the session announced, so that readers learn of frames that were lost.
  void expect_frames(std::uint64_t count) { expected_count_ = count; }
  [[nodiscard]] std::uint64_t expected_count() const { return expected_count_; }
  [[nodiscard]] std::optional<store::FrameInfo> find(std::uint64_t index) const {
    return log_->find(index);
  }
  [[nodiscard]] std::uint64_t stored_bytes() const { return log_->stored_bytes(); }
  [[nodiscard]] const store::OpenReport& open_report() const { return log_->open_report(); }

  [[nodiscard]] FeedState state() const { return state_; }
  /// Sets the state and notifies the subscribers. `complete` may become `live` again.
  void set_state(FeedState state);

  /// Syncs the log and writes its index. After that nothing can be appended; reading still works.
  store::Status close() { return log_->close(); }

  /// Calls `on_change` after each change of the frames or the state, on the thread that changed it,
  /// until the Listener is destroyed. The destructor waits for a running call. For Subscription.
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
  std::mutex mutex_;  // Guards listeners_; held during their calls, which must not take it.
  std::set<Listener*> listeners_;
};

}  // namespace sluice::stream
