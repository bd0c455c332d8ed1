// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/v1/sessions.pb.h"

namespace sluice::session {

/// Where a session is in its life, and why.
struct Standing {
  v1::SessionState state = v1::SESSION_STATE_PENDING;
  v1::SessionReason reason = v1::SESSION_REASON_QUEUED;
  std::string message;  ///< For people.

  friend bool operator==(const Standing&, const Standing&) = default;
};

/// What a session wants of a worker now.
enum class WorkerWish {
  none,    ///< Stop it if there is one.
  keep,    ///< Keep one that is there, start none: it makes resuming fast.
  needed,  ///< Start one if there is none.
};

/// The life of a session, as facts and events; no clock, no I/O, not thread-safe.
///
///   PENDING -> STARTING -> RUNNING -> SUCCEEDED | FAILED | CANCELLED
///      ^          |          |
///      +--------- PAUSED <---+        (a dead worker leads from STARTING and RUNNING to PENDING)
///
/// A pause of a running session takes hold when the worker says that it holds: until then the
/// session is RUNNING and `pausing()`, so that a client who sees PAUSED sees the last frame too.
/// Frames count from 0, the initial state; `run_until` is the last one that may be computed now.
class LifeCycle {
 public:
  struct Facts {
    Standing standing;
    std::int64_t frame_count = 0;  ///< Durable frames.
    std::int64_t last_frame = 0;   ///< Index of the final frame, >= 0.
    std::int64_t run_until = 0;    ///< <= last_frame
    int max_restarts = 3;          ///< In a row without a new frame.
    int restarts_in_a_row = 0;
    int restart_count = 0;
  };

  /// A session that was just created.
  static LifeCycle create(std::int64_t last_frame, int max_restarts, bool start_paused);
  explicit LifeCycle(Facts facts) : facts_(std::move(facts)) {}

  /// After the server was started again, with the frames that are on disk: a session that was to
  /// run is PENDING with RECOVERING, or has SUCCEEDED if they are all there.
  void recover(std::int64_t frame_count);

  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] const Standing& standing() const { return facts_.standing; }
  [[nodiscard]] bool terminal() const;
  [[nodiscard]] bool pausing() const { return pausing_.has_value(); }
  [[nodiscard]] WorkerWish wish() const;
  /// Index of the last frame that the worker may compute now; it holds there. -1: after the frame
  /// at hand. Frame 0 is computed in any case.
  [[nodiscard]] std::int64_t run_limit() const;

  // What clients ask. `false`: the state does not allow it, and nothing changed.
  bool pause(v1::SessionReason reason, std::string message);
  bool resume();
  bool step(std::int64_t count);
  bool cancel();

  // What happens.
  void worker_launched();
  void worker_ready();
  void worker_holds();
  void worker_gone(std::string why);  ///< Without having been told to.
  void worker_released();             ///< As the server told it.
  /// `limit_reached`: which of the session's failure limits the frame's warnings reached, in words.
  void frame_stored(std::int64_t index, bool is_new,
                    std::optional<std::string> limit_reached = std::nullopt);
  void disk_full(std::string message);
  void fail(v1::SessionReason reason, std::string message);

 private:
  void stand(v1::SessionState state, v1::SessionReason reason, std::string message = {});
  bool take_up_pause();  // `false`: none was asked for.
  [[nodiscard]] bool first_frame_missing() const { return facts_.frame_count == 0; }

  Facts facts_;
  std::optional<Standing> pausing_;  // What to become when the worker holds.
};

/// `SESSION_STATE_PAUSED` as `PAUSED`.
[[nodiscard]] std::string_view state_name(v1::SessionState state);
[[nodiscard]] bool is_terminal(v1::SessionState state);

}  // namespace sluice::session
