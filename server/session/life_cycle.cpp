// SPDX-License-Identifier: Apache-2.0
#include "server/session/life_cycle.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::session {

using namespace v1;  // The enumerators' names carry their types.

std::string_view state_name(SessionState state) {
  switch (state) {
    case SESSION_STATE_PENDING:
      return "PENDING";
    case SESSION_STATE_STARTING:
      return "STARTING";
    case SESSION_STATE_RUNNING:
      return "RUNNING";
    case SESSION_STATE_PAUSED:
      return "PAUSED";
    case SESSION_STATE_SUCCEEDED:
      return "SUCCEEDED";
    case SESSION_STATE_FAILED:
      return "FAILED";
    case SESSION_STATE_CANCELLED:
      return "CANCELLED";
    default:
      return "UNSPECIFIED";
  }
}

bool is_terminal(SessionState state) {
  return state == SESSION_STATE_SUCCEEDED || state == SESSION_STATE_FAILED ||
         state == SESSION_STATE_CANCELLED;
}

LifeCycle LifeCycle::create(std::int64_t last_frame, int max_restarts, bool start_paused) {
  Facts facts;
  facts.last_frame = last_frame;
  facts.max_restarts = max_restarts;
  facts.run_until = start_paused ? 0 : last_frame;
  if (start_paused) {
    facts.standing = {SESSION_STATE_PAUSED, SESSION_REASON_REQUESTED, "created paused"};
  }
  return LifeCycle(std::move(facts));
}

void LifeCycle::recover(std::int64_t frame_count) {
  facts_.frame_count = frame_count;
  if (terminal()) {
    return;
  }
  if (frame_count > facts_.last_frame) {
    stand(SESSION_STATE_SUCCEEDED, SESSION_REASON_UNSPECIFIED);
  } else if (standing().state != SESSION_STATE_PAUSED) {
    stand(SESSION_STATE_PENDING, SESSION_REASON_RECOVERING, "the server was started again");
  }
}

bool LifeCycle::terminal() const { return is_terminal(standing().state); }

void LifeCycle::stand(SessionState state, SessionReason reason, std::string message) {
  facts_.standing = {state, reason, std::move(message)};
}

bool LifeCycle::take_up_pause() {
  if (!pausing_) {
    return false;
  }
  facts_.standing = *std::move(pausing_);
  pausing_.reset();
  return true;
}

WorkerWish LifeCycle::wish() const {
  if (terminal() || standing().reason == SESSION_REASON_DISK_FULL) {
    return WorkerWish::none;
  }
  if (standing().state == SESSION_STATE_PAUSED && !first_frame_missing()) {
    return WorkerWish::keep;
  }
  return WorkerWish::needed;
}

std::int64_t LifeCycle::run_limit() const {
  const bool hold = standing().state == SESSION_STATE_PAUSED || pausing();
  return hold ? -1 : facts_.run_until;
}

bool LifeCycle::pause(SessionReason reason, std::string message) {
  if (terminal()) {
    return false;
  }
  if (standing().state == SESSION_STATE_PAUSED || pausing()) {
    return true;
  }
  if (standing().state == SESSION_STATE_RUNNING) {
    pausing_ = Standing{SESSION_STATE_PAUSED, reason, std::move(message)};
  } else {
    stand(SESSION_STATE_PAUSED, reason, std::move(message));
  }
  return true;
}

bool LifeCycle::resume() {
  if (terminal()) {
    return false;
  }
  const bool paused = standing().state == SESSION_STATE_PAUSED;
  pausing_.reset();
  facts_.run_until = facts_.last_frame;
  if (paused) {
    facts_.restarts_in_a_row = 0;
    stand(SESSION_STATE_PENDING, SESSION_REASON_QUEUED);
  }
  return true;
}

bool LifeCycle::step(std::int64_t count) {
  if (standing().state != SESSION_STATE_PAUSED) {
    return false;
  }
  const std::int64_t now = std::max<std::int64_t>(facts_.frame_count - 1, 0);
  facts_.run_until = count >= facts_.last_frame - now ? facts_.last_frame : now + count;
  facts_.restarts_in_a_row = 0;
  stand(SESSION_STATE_PENDING, SESSION_REASON_QUEUED);
  return true;
}

bool LifeCycle::cancel() {
  if (standing().state == SESSION_STATE_CANCELLED) {
    return true;
  }
  if (terminal()) {
    return false;
  }
  pausing_.reset();
  stand(SESSION_STATE_CANCELLED, SESSION_REASON_REQUESTED, "cancelled by a client");
  return true;
}

void LifeCycle::worker_launched() {
  if (standing().state == SESSION_STATE_PENDING) {
    const bool again = standing().reason == SESSION_REASON_RECOVERING;
    facts_.standing.state = SESSION_STATE_STARTING;
    facts_.standing.reason = again ? SESSION_REASON_RECOVERING : SESSION_REASON_UNSPECIFIED;
  }
}

void LifeCycle::worker_ready() {
  if (standing().state == SESSION_STATE_STARTING || standing().state == SESSION_STATE_PENDING) {
    stand(SESSION_STATE_RUNNING, SESSION_REASON_UNSPECIFIED);
  }
}

void LifeCycle::worker_holds() {
  if (terminal()) {
    return;
  }
  if (!take_up_pause() && standing().state == SESSION_STATE_RUNNING &&
      facts_.frame_count > facts_.run_until) {
    stand(SESSION_STATE_PAUSED, SESSION_REASON_REQUESTED,
          fmt::format("stepped to frame {}", facts_.run_until));
  }
}

void LifeCycle::worker_gone(std::string why) {
  if (terminal()) {
    return;
  }
  ++facts_.restart_count;
  if (take_up_pause()) {
    return;
  }
  if (standing().state == SESSION_STATE_PAUSED && !first_frame_missing()) {
    return;
  }
  if (facts_.restarts_in_a_row >= facts_.max_restarts) {
    fail(SESSION_REASON_WORKER_DIED,
         fmt::format("the worker died {} times in a row without a new frame; the last time: {}",
                     facts_.restarts_in_a_row + 1, why));
    return;
  }
  ++facts_.restarts_in_a_row;
  if (standing().state != SESSION_STATE_PAUSED) {
    stand(SESSION_STATE_PENDING, SESSION_REASON_RECOVERING, std::move(why));
  }
}

void LifeCycle::worker_released() {
  if (terminal()) {
    return;
  }
  if (!take_up_pause() &&
      (standing().state == SESSION_STATE_RUNNING || standing().state == SESSION_STATE_STARTING)) {
    stand(SESSION_STATE_PENDING, SESSION_REASON_QUEUED);
  }
}

void LifeCycle::frame_stored(std::int64_t index, bool is_new,
                             std::optional<std::string> limit_reached) {
  if (terminal()) {
    return;
  }
  facts_.frame_count = std::max(facts_.frame_count, index + 1);
  if (is_new) {
    facts_.restarts_in_a_row = 0;
  }
  if (limit_reached) {
    fail(SESSION_REASON_WARNING_LIMIT, *std::move(limit_reached));
  } else if (facts_.frame_count > facts_.last_frame) {
    pausing_.reset();
    stand(SESSION_STATE_SUCCEEDED, SESSION_REASON_UNSPECIFIED);
  }
}

void LifeCycle::disk_full(std::string message) {
  if (!terminal()) {
    pausing_.reset();
    stand(SESSION_STATE_PAUSED, SESSION_REASON_DISK_FULL, std::move(message));
  }
}

void LifeCycle::fail(SessionReason reason, std::string message) {
  if (!terminal()) {
    pausing_.reset();
    stand(SESSION_STATE_FAILED, reason, std::move(message));
  }
}

}  // namespace sluice::session
