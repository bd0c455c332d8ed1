// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/v1/sessions.pb.h"

namespace sluice::session {

/// The state of a session, and the reason for it.
struct Standing {
  v1::SessionState state = v1::SESSION_STATE_PENDING;
  v1::SessionReason reason = v1::SESSION_REASON_QUEUED;
  std::string message;  ///< For people.

  friend bool operator==(const Standing&, const Standing&) = default;
};

/// Whether a session wants a worker now.
enum class WorkerWish {
  none,    ///< Stop the worker if there is one.
  keep,    ///< Keep a worker that is there, because it makes resuming fast; start none.
  needed,  ///< Start a worker if there is none.
};

/// The state machine of a session: facts and events; no clock, no I/O, not thread-safe.
///
///   PENDING -> STARTING -> RUNNING -> SUCCEEDED | FAILED | CANCELLED
///      ^          |          |
///      +--------- PAUSED <---+        (a dead worker leads from STARTING and RUNNING to PENDING)
///
/// A running session becomes PAUSED when its worker reports that it holds. Until then it is RUNNING
/// and `pausing()`, so that a client who sees PAUSED sees the last frame too. Frames count from 0,
/// the initial state; `run_until` is the last frame that may be computed now.
class LifeCycle {
 public:
  struct Facts {
    Standing standing;
    std::int64_t frame_count = 0;  ///< Number of durable frames.
    std::int64_t last_frame = 0;   ///< Index of the final frame, >= 0.
    std::int64_t run_until = 0;    ///< Last frame that may be computed now, <= last_frame.
    int max_restarts = 3;          ///< Limit of restarts in a row without a new frame.
    int restarts_in_a_row = 0;
    int restart_count = 0;
  };

  /// Makes the life cycle of a new session.
  static LifeCycle create(std::int64_t last_frame, int max_restarts, bool start_paused);
  explicit LifeCycle(Facts facts) : facts_(std::move(facts)) {}

  /// Event: the server was started again, and `frame_count` frames are on disk. A session that was
  /// to run becomes PENDING with RECOVERING; with all frames on disk it becomes SUCCEEDED.
  void recover(std::int64_t frame_count);

  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] const Standing& standing() const { return facts_.standing; }
  [[nodiscard]] bool terminal() const;
  [[nodiscard]] bool pausing() const { return pausing_.has_value(); }
  [[nodiscard]] WorkerWish wish() const;
  /// Index of the last frame that the worker may compute now, after which it holds. -1: it holds
  /// after the current frame. Frame 0 is computed in any case.
  [[nodiscard]] std::int64_t run_limit() const;

  // Requests of clients. `false`: the state does not allow the request, and nothing changed.
  bool pause(v1::SessionReason reason, std::string message);
  bool resume();
  bool step(std::int64_t count);
  bool cancel();

  // Events.
  void worker_launched();
  void worker_ready();
  void worker_holds();
  void worker_gone(std::string why);  ///< The worker ended without having been told to.
  void worker_released();             ///< The worker ended because the server told it to.
  /// `limit_reached`: in words, the failure limit of the session that the frame's warnings reached.
  void frame_stored(std::int64_t index, bool is_new,
                    std::optional<std::string> limit_reached = std::nullopt);
  void disk_full(std::string message);
  void fail(v1::SessionReason reason, std::string message);

 private:
  void stand(v1::SessionState state, v1::SessionReason reason, std::string message = {});
  bool take_up_pause();  // `false`: there was no pause to take up.
  [[nodiscard]] bool first_frame_missing() const { return facts_.frame_count == 0; }

  Facts facts_;
  std::optional<Standing> pausing_;  // The standing to take when the worker holds.
};

/// Returns the short name of a state: `PAUSED` for SESSION_STATE_PAUSED.
[[nodiscard]] std::string_view state_name(v1::SessionState state);
[[nodiscard]] bool is_terminal(v1::SessionState state);

}  // namespace sluice::session
