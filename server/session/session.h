// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/fwd.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/session/environment.h"
#include "server/session/error.h"
#include "server/session/frame_assembler.h"
#include "server/session/life_cycle.h"
#include "server/session/observers.h"
#include "server/session/session_logs.h"
#include "server/session/session_spec.h"
#include "server/session/session_warnings.h"
#include "server/session/worker_channel.h"
#include "sluice/v1/sessions.pb.h"
#include "sluice/v1/worker_link.pb.h"

namespace sluice::session {

using SessionReply = std::function<void(Result<v1::Session>)>;
using SteerReply = std::function<void(Result<std::int64_t>)>;  ///< Gets the first frame acted on.
using StatusReply = std::function<void(Status)>;

/// An event for a watcher: the session, and the log lines that the watcher has not seen.
struct WatchEvent {
  v1::WatchSessionResponse response;
  std::uint64_t standing_version = 0;  ///< Rises when the state, reason or message changes.
  bool deleted = false;
};

/// One simulation: its life, its worker, its files.
///
/// All changes run on its strand, one task at a time. A task begins with an event, from a client,
/// the worker or a timer; then `settle` starts or stops the worker as the life cycle wishes, writes
/// the row if the standing changed, and publishes a snapshot. Public functions are thread-safe and
/// return at once; replies come on a thread of the pool.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Environment& environment, StoredSession stored);
  ~Session();

  /// Restores a session that an earlier run of the server had; call it before others can see the
  /// session. Reads its files, so that every frame that was announced is announced again.
  void recover();
  /// Starts what the state asks for, such as a worker. To be called once.
  void start();

  // The view from outside.
  [[nodiscard]] const SessionSpec& spec() const { return spec_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] v1::Session snapshot() const;
  /// Makes an event. `log_cursor`: 0 at first; it rises past the lines that the event carries.
  [[nodiscard]] WatchEvent watch_event(std::uint64_t& log_cursor) const;
  /// `on_change` is called on any thread after every change and must only post.
  [[nodiscard]] Observers::Handle watch(std::function<void()> on_change) {
    return observers_.add(std::move(on_change));
  }
  /// Opens the files for reading, or shares them if they are open. May block on the disk.
  [[nodiscard]] Result<std::shared_ptr<SessionLogs>> logs();

  // Requests of clients.
  void pause(SessionReply reply);
  void resume(SessionReply reply);
  void step(std::int64_t count, SessionReply reply);
  void cancel(SessionReply reply);
  void steer(v1::SteerCommand command, SteerReply reply);
  void renew_lease(SessionReply reply);
  /// Ends the worker and removes row and files. Calls `reply` when that is done.
  void erase(StatusReply reply);
  /// Lets the worker save its state and stop. Calls `done` when no process is left.
  void shut_down(std::function<void()> done);

  // Events from the worker. `link`: the number of the attachment, which `attach` replies.
  void attach(std::string token, std::shared_ptr<WorkerChannel> channel,
              std::function<void(Result<std::uint64_t>)> reply);
  /// Takes a message. Calls `taken` when the next message may come.
  void worker_message(std::uint64_t link, v1::WorkerMessage message, std::function<void()> taken);
  void link_closed(std::uint64_t link);

 private:
  struct PendingSteer {
    v1::SteerCommand command;
    SteerReply reply;
    bool sent = false;
  };
  /// A worker, from the decision to start it until its process is gone.
  struct Worker {
    explicit Worker(const Limits& limits)
        : frames(limits.frame_bytes), checkpoints(limits.worker_memory_bytes) {}
    std::uint64_t run = 0;  // Number of the start.
    std::string token;
    std::unique_ptr<WorkerProcess> process;
    std::shared_ptr<WorkerChannel> channel;
    std::uint64_t link = 0;
    bool ready = false;
    bool told_to_stop = false;
    v1::WorkerOutcome outcome;     // Empty until the worker sent one.
    std::int64_t sent_limit = -2;  // The last run limit that was sent; -2: none yet.
    std::int64_t order_id = 0;
    std::int64_t from_checkpoint = -1;
    std::string last_error_line;
    std::chrono::steady_clock::time_point last_sign;
    FrameAssembler frames;
    CheckpointAssembler checkpoints;
  };
  enum class Slot { none, waiting, held };

  void post(std::function<void()> task);  // Runs the task on the strand, then settle().
  void settle();
  void settle_worker();
  /// Writes the standing into the row and the folder if it changed; after an error it tries again.
  store::Status persist();
  void note_standing(const store::SessionUpdate& update);
  void publish();
  void tell_feed(stream::FeedState state);
  void tell_lost_frames(stream::FrameFeed& frames);
  [[nodiscard]] Error state_error(std::string_view allowed) const;
  /// Returns the error for all requests once the session is being deleted or the server stops.
  [[nodiscard]] std::optional<Error> refusal() const;
  /// Runs a client's change: `apply` returns whether the state allows it, `needed` says what would.
  void change(SessionReply reply, std::string_view needed, std::function<bool()> apply);

  // session_worker.cpp
  void request_slot();
  void release_slot();
  void launch_worker();
  void delay_next_start();
  void stop_worker(bool save);
  void kill_worker(std::string_view why);
  void on_exit(std::uint64_t run, WorkerExit exit);
  void watch_over_worker(std::uint64_t run);
  void send_assignment();
  void send_orders();
  void worker_broke(const Error& error);

  // session_results.cpp
  void take(v1::WorkerMessage& message);
  void on_ready(const v1::WorkerReady& ready);
  [[nodiscard]] bool store_layout(const v1::Layout& layout);
  void on_frame(const AssembledFrame& frame);
  void count_frame(const AssembledFrame& frame);
  void read_warnings();
  [[nodiscard]] store::Status note_warnings(std::int64_t index,
                                            const v1::FrameStatistics& statistics);
  void on_checkpoint(const CheckpointAssembler::Whole& checkpoint);
  void on_steer_result(const v1::SteerResult& result);
  void on_outcome(const v1::WorkerOutcome& outcome);
  void store_failed(const store::Error& error, std::string_view what);
  void add_log_line(v1::LogLevel level, std::string text);
  void drop_pending_steers(const Error& error);

  void start_lease();
  void time_lease();
  void check_lease();
  void finish_erase();

  Environment& environment_;
  const SessionSpec spec_;
  const std::string name_;
  const std::shared_ptr<spdlog::logger> log_;
  const std::shared_ptr<Strand> strand_;

  // Used on the strand only.
  LifeCycle life_;
  std::shared_ptr<SessionLogs> held_logs_;  // Set while there is a worker.
  std::unique_ptr<Worker> worker_;
  std::uint64_t next_run_ = 1;
  std::uint64_t next_link_ = 1;
  Slot slot_ = Slot::none;
  std::uint64_t slot_request_ = 0;        // Number of the last request: older answers do not count.
  bool start_delayed_ = false;            // The start of a dead worker's successor waits a little.
  std::int64_t checkpoint_at_most_ = -1;  // Newer checkpoints cannot be restored; -1: try all.
  std::int64_t next_steer_id_ = 1;
  std::map<std::int64_t, PendingSteer> steers_;
  std::vector<SessionReply> pause_replies_;
  std::optional<StatusReply> erase_reply_;
  std::function<void()> shut_down_done_;
  bool shutting_down_ = false;
  bool erased_ = false;
  std::optional<Standing> persisted_;
  std::int64_t update_time_micros_;  // The row's update time; never goes back.
  std::optional<Standing> noted_;    // The standing in the folder's note.
  std::int64_t noted_run_until_ = -1;
  std::int64_t persisted_run_until_ = -1;
  int persisted_restarts_ = 0;
  bool persist_retry_posted_ = false;
  std::chrono::steady_clock::time_point lease_end_;
  bool lease_timed_ = false;
  std::optional<std::chrono::steady_clock::time_point> last_frame_;  // Unset after a break.
  double seconds_per_frame_ = 0;
  SessionWarnings warnings_;

  // Used by all threads, under the mutexes.
  mutable std::mutex mutex_;
  v1::Session snapshot_;
  v1::FrameStatistics statistics_;
  bool has_statistics_ = false;
  std::uint64_t standing_version_ = 1;
  bool deleted_ = false;
  stream::FeedState feed_state_ = stream::FeedState::live;
  std::deque<v1::LogLine> log_lines_;
  std::uint64_t log_end_ = 0;  // Number of all log lines so far.
  std::mutex logs_mutex_;      // Held while the files are opened.
  std::weak_ptr<SessionLogs> open_logs_;
  Observers observers_;
};

}  // namespace sluice::session
