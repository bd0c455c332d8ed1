// SPDX-License-Identifier: Apache-2.0
// The handling of what clients ask of a session (session.h).
#include <google/protobuf/util/time_util.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <filesystem>

#include "server/session/session.h"

namespace sluice::session {

using google::protobuf::util::TimeUtil;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

Error Session::state_error(std::string_view allowed) const {
  return wrong_state(name_, state_name(life_.standing().state), allowed);
}

std::optional<Error> Session::refusal() const {
  if (erase_reply_ || erased_) {
    return session_not_found(name_);
  }
  if (shutting_down_) {
    return server_stopping();
  }
  return std::nullopt;
}

void Session::change(SessionReply reply, std::string_view needed, std::function<bool()> apply) {
  post([this, reply = std::move(reply), needed, apply = std::move(apply)]() mutable {
    const LifeCycle before = life_;
    if (const auto refused = refusal()) {
      reply(*refused);
    } else if (!apply()) {
      reply(state_error(needed));
    } else if (life_.pausing()) {
      pause_replies_.push_back(std::move(reply));  // When the worker holds.
    } else if (const auto kept = persist(); !kept) {
      life_ = before;  // A change that cannot be written down is undone, as a crash would do.
      reply(from_store(kept.error(), "cannot write down the change, nothing was changed"));
    } else {
      settle();
      reply(snapshot());
    }
  });
}

void Session::pause(SessionReply reply) {
  change(std::move(reply), "a session that has not ended",
         [this] { return life_.pause(v1::SESSION_REASON_REQUESTED, "paused by a client"); });
}

void Session::resume(SessionReply reply) {
  change(std::move(reply), "a session that has not ended", [this] {
    const bool allowed = life_.resume();
    if (allowed) {
      start_lease();
    }
    return allowed;
  });
}

void Session::step(std::int64_t count, SessionReply reply) {
  change(std::move(reply), "a paused session", [this, count] {
    const bool allowed = life_.step(count);
    if (allowed) {
      start_lease();
    }
    return allowed;
  });
}

void Session::cancel(SessionReply reply) {
  change(std::move(reply), "a session that has neither succeeded nor failed",
         [this] { return life_.cancel(); });
}

void Session::steer(v1::SteerCommand command, SteerReply reply) {
  post([this, command = std::move(command), reply = std::move(reply)]() mutable {
    const v1::SessionState state = life_.standing().state;
    const bool has_state = state == v1::SESSION_STATE_RUNNING || state == v1::SESSION_STATE_PAUSED;
    if (const auto refused = refusal()) {
      reply(*refused);
    } else if (!has_state || life_.standing().reason == v1::SESSION_REASON_DISK_FULL) {
      reply(state_error("a running or paused session with room on the disk"));
    } else if (steers_.size() >= max_pending_steers) {
      reply(limit_reached("commands under way", max_pending_steers, "wait for answers"));
    } else {
      // A paused session without a worker gets one for this: settle_worker sees the command.
      steers_.emplace(next_steer_id_++, PendingSteer{std::move(command), std::move(reply)});
    }
  });
}

void Session::drop_pending_steers(const Error& error) {
  for (auto& [id, steer] : std::exchange(steers_, {})) {
    steer.reply(error);
  }
}

void Session::start_lease() {
  if (!spec_.options.has_lease() || life_.terminal()) {
    return;
  }
  const milliseconds lease{TimeUtil::DurationToMilliseconds(spec_.options.lease())};
  lease_end_ = steady_clock::now() + lease;
  {
    const std::lock_guard lock(mutex_);
    *snapshot_.mutable_lease_expire_time() =
        TimeUtil::MicrosecondsToTimestamp(now_micros() + lease.count() * 1000);
  }
  if (!std::exchange(lease_timed_, true)) {
    time_lease();
  }
}

// One timer, however often the lease is renewed: a client could ask for millions of them.
void Session::time_lease() {
  const auto left = std::chrono::ceil<milliseconds>(lease_end_ - steady_clock::now());
  strand_->post_after(std::max(left, milliseconds(1)), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->post([raw = self.get()] { raw->check_lease(); });
    }
  });
}

void Session::check_lease() {
  if (life_.terminal()) {
    return;
  }
  if (steady_clock::now() < lease_end_) {
    time_lease();  // It was renewed.
    return;
  }
  lease_timed_ = false;
  if (life_.standing().state != v1::SESSION_STATE_PAUSED) {
    life_.pause(v1::SESSION_REASON_LEASE_EXPIRED, "nobody renewed the lease");
  }
}

void Session::renew_lease(SessionReply reply) {
  post([this, reply = std::move(reply)]() mutable {
    if (const auto refused = refusal()) {
      reply(*refused);
    } else if (!spec_.options.has_lease()) {
      reply(no_lease(name_));
    } else {
      start_lease();
      reply(snapshot());
    }
  });
}

void Session::erase(StatusReply reply) {
  post([this, reply = std::move(reply)]() mutable {
    if (erase_reply_ || erased_) {
      reply(session_not_found(name_));
      return;
    }
    erase_reply_ = std::move(reply);
  });
}

void Session::finish_erase() {
  if (!erase_reply_) {
    return;
  }
  const StatusReply reply = *std::move(erase_reply_);
  erase_reply_.reset();
  release_slot();
  drop_pending_steers(session_not_found(name_));
  for (SessionReply& waiting : std::exchange(pause_replies_, {})) {
    waiting(session_not_found(name_));
  }
  {
    const std::lock_guard lock(logs_mutex_);  // Nobody opens the files from here on.
    const std::lock_guard state_lock(mutex_);
    deleted_ = true;
  }
  held_logs_.reset();
  // Its folder's way into the trash is what deletes it; it makes room for what follows.
  const auto grave = environment_.directory.bury(spec_.id);
  if (!grave) {
    {
      const std::lock_guard lock(mutex_);
      deleted_ = false;
    }
    reply(from_store(grave.error(), "cannot delete the session"));
    post([] {});  // It is as it was, without a worker: one is started again if it should run.
    return;
  }
  erased_ = true;
  {
    const std::lock_guard lock(mutex_);
    ++standing_version_;
  }
  tell_feed(stream::FeedState::deleted);
  observers_.notify();
  // Streams that read the files keep them open; their space comes back when they end.
  bool is_gone = true;
  if (!grave->empty()) {
    if (const auto emptied = environment_.directory.empty_grave(*grave); !emptied) {
      log_->error("the session is deleted, some of its files are left for the next start: {}",
                  emptied.error().message);
      is_gone = false;
    }
  }
  const auto row = environment_.database.delete_session(spec_.id);
  if (!row && row.error().code != store::ErrorCode::not_found) {
    log_->error("the session is deleted, its row is left for the next start: {}",
                row.error().message);
  } else if (is_gone && !grave->empty()) {
    std::error_code error;
    std::filesystem::remove(*grave, error);
  }
  reply(ok());
}

void Session::shut_down(std::function<void()> done) {
  post([this, done = std::move(done)]() mutable {
    shutting_down_ = true;
    shut_down_done_ = std::move(done);
    drop_pending_steers(server_stopping());
    for (SessionReply& reply : std::exchange(pause_replies_, {})) {
      reply(server_stopping());
    }
  });
}

}  // namespace sluice::session
