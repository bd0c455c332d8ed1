// SPDX-License-Identifier: Apache-2.0
// The handling of the messages that a session's worker sends (session.h).
#include <fmt/format.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <array>

#include "server/session/session.h"
#include "server/store/session_note.h"

namespace sluice::session {

using std::chrono::steady_clock;

void Session::worker_message(std::uint64_t link, v1::WorkerMessage message,
                             std::function<void()> taken) {
  post([this, link, message = std::move(message), taken = std::move(taken)]() mutable {
    if (worker_ && worker_->link == link) {
      if (message.has_outcome()) {
        on_outcome(message.outcome());
      } else if (!life_.terminal() && !erase_reply_ &&
                 life_.standing().reason != v1::SESSION_REASON_DISK_FULL) {
        take(message);
      }
      // After it was taken: while the disk keeps us, the worker has no way to speak.
      worker_->last_sign = steady_clock::now();
    }
    taken();
  });
}

void Session::take(v1::WorkerMessage& message) {
  switch (message.message_case()) {
    case v1::WorkerMessage::kReady:
      on_ready(message.ready());
      return;
    case v1::WorkerMessage::kLayout:
      (void)store_layout(message.layout());
      return;
    case v1::WorkerMessage::kFrameHeader: {
      const auto whole = worker_->frames.begin(std::move(*message.mutable_frame_header()));
      if (!whole) {
        worker_broke(whole.error());
      } else if (const auto& frame = whole.value()) {
        on_frame(*frame);
      }
      return;
    }
    case v1::WorkerMessage::kFrameChunk: {
      const auto whole = worker_->frames.add(std::move(*message.mutable_frame_chunk()));
      if (!whole) {
        worker_broke(whole.error());
      } else if (const auto& frame = whole.value()) {
        on_frame(*frame);
      }
      return;
    }
    case v1::WorkerMessage::kCheckpoint: {
      const v1::CheckpointChunk& chunk = message.checkpoint();
      const auto whole = worker_->checkpoints.add(
          {chunk.frame_index(), chunk.byte_count(), chunk.offset()}, chunk.data());
      if (!whole) {
        worker_broke(whole.error());
      } else if (const auto& checkpoint = whole.value()) {
        on_checkpoint(*checkpoint);
      }
      return;
    }
    case v1::WorkerMessage::kLog:
      add_log_line(message.log().level(), std::move(*message.mutable_log()->mutable_message()));
      return;
    case v1::WorkerMessage::kSteerResult:
      on_steer_result(message.steer_result());
      return;
    case v1::WorkerMessage::kHolding:
      if (message.holding().order_id() == worker_->order_id) {
        last_frame_.reset();  // A pause is no part of the next frame's time.
        life_.worker_holds();
      }
      return;
    case v1::WorkerMessage::kOutcome:
    case v1::WorkerMessage::kHeartbeat:
    case v1::WorkerMessage::kHello:
    case v1::WorkerMessage::MESSAGE_NOT_SET:
      return;
  }
}

void Session::on_ready(const v1::WorkerReady& ready) {
  if (!store_layout(ready.layout())) {
    return;
  }
  worker_->ready = true;
  last_frame_.reset();
  life_.worker_ready();
}

bool Session::store_layout(const v1::Layout& layout) {
  const auto stored = held_logs_->frames->append_layout(layout);
  if (!stored) {
    store_failed(stored.error(), "cannot store the layout");
    return false;
  }
  const std::lock_guard lock(mutex_);
  // A worker that starts from a checkpoint comes by epochs again that there are already.
  snapshot_.set_epoch(std::max(snapshot_.epoch(), layout.epoch()));
  return true;
}

void Session::on_frame(const AssembledFrame& frame) {
  const std::int64_t index = frame.header.cursor().index();
  // Before the frame, so that no frame is there whose warnings were lost in a crash.
  if (const auto noted = note_warnings(index, frame.header.statistics()); !noted) {
    store_failed(noted.error(), fmt::format("cannot store the warnings of frame {}", index));
    return;
  }
  const auto stored = held_logs_->frames->append(frame.record);
  if (!stored) {
    store_failed(stored.error(), fmt::format("cannot store frame {}", index));
    return;
  }
  const bool is_new = stored.value() == store::AppendOutcome::appended;
  life_.frame_stored(index, is_new,
                     warnings_.limit_reached(index, frame.header.statistics(), spec_.options));
  if (is_new) {
    count_frame(frame);
  }
  // The frame can be read now: only from here on is it counted, announced and credited.
  v1::ServerMessage accepted;
  accepted.mutable_frame_accepted()->set_frame_index(index);
  worker_->channel->send(std::move(accepted));
  const auto now = steady_clock::now();
  if (is_new && last_frame_ && index > 0) {
    // The mean of about the last ten frames.
    const double seconds = std::chrono::duration<double>(now - *last_frame_).count();
    seconds_per_frame_ =
        seconds_per_frame_ > 0 ? 0.9 * seconds_per_frame_ + 0.1 * seconds : seconds;
  }
  last_frame_ = now;
  if (frame.header.has_statistics()) {
    const std::lock_guard lock(mutex_);
    statistics_ = frame.header.statistics();
    has_statistics_ = true;
  }
}

store::Status Session::note_warnings(std::int64_t index, const v1::FrameStatistics& statistics) {
  SessionWarnings after = warnings_;
  if (!after.add(index, statistics)) {
    return store::ok();
  }
  const std::string bytes = after.serialize();
  // Into the folder too, from which a lost database is made again.
  auto written = store::write_warnings_note(environment_.directory.session_path(spec_.id), bytes);
  if (written) {
    written = environment_.database.put_warnings(spec_.id, bytes);
  }
  if (!written) {
    return written;
  }
  warnings_ = std::move(after);
  const std::lock_guard lock(mutex_);
  *snapshot_.mutable_warnings() = warnings_.all();
  return store::ok();
}

void Session::count_frame(const AssembledFrame& frame) {
  Totals& totals = *environment_.totals;
  const v1::FrameStatistics& statistics = frame.header.statistics();
  ++totals.frame_count;
  totals.frame_byte_count += static_cast<std::int64_t>(frame.record.size());
  totals.substep_count += statistics.substep_count();
  totals.solve_microseconds += static_cast<std::int64_t>(1e6 * statistics.solve_seconds());
}

void Session::on_checkpoint(const CheckpointAssembler::Whole& checkpoint) {
  if (checkpoint.frame_index < 0 || checkpoint.frame_index >= life_.facts().frame_count) {
    worker_broke(internal_error(
        fmt::format("the worker sent a checkpoint of frame {} before it", checkpoint.frame_index)));
    return;
  }
  const std::array<store::ByteView, 1> slices{std::as_bytes(std::span(checkpoint.bytes))};
  const auto stored =
      held_logs_->checkpoints->append(static_cast<std::uint64_t>(checkpoint.frame_index), slices);
  if (!stored) {
    store_failed(stored.error(),
                 fmt::format("cannot store the checkpoint of frame {}", checkpoint.frame_index));
    return;
  }
  checkpoint_at_most_ = -1;
  ++environment_.totals->checkpoint_count;
  const std::lock_guard lock(mutex_);
  snapshot_.set_checkpoint_frame(checkpoint.frame_index);
}

void Session::on_steer_result(const v1::SteerResult& result) {
  const auto found = steers_.find(result.id());
  if (found == steers_.end()) {
    return;
  }
  const PendingSteer steer = std::move(found->second);
  steers_.erase(found);
  if (!result.error().empty()) {
    steer.reply(invalid_fields({{"command", result.error()}}));
    return;
  }
  // Written down before the first frame it shapes is stored (the worker sends both in this order),
  // so that no frame exists that could not be computed again.
  store::CommandRecord record;
  record.session_id = spec_.id;
  record.frame_index = result.frame_index();
  record.payload_bytes = steer.command.SerializeAsString();
  const auto recorded = environment_.database.append_command(record);
  if (!recorded) {
    // The worker's state holds the command and the record does not: only a worker that starts again
    // from the record agrees with it.
    steer.reply(from_store(recorded.error(), "cannot record the command"));
    store_failed(recorded.error(), "cannot record a command");
    return;
  }
  record.sequence = *recorded;
  if (const auto kept = held_logs_->frames->append_command(record); !kept) {
    log_->warn("a command is in the database and not with the frames: {}", kept.error().message);
  }
  ++environment_.totals->steer_count;
  steer.reply(result.frame_index());
}

void Session::on_outcome(const v1::WorkerOutcome& outcome) {
  worker_->outcome = outcome;
  if (outcome.reason() == v1::SESSION_REASON_SOLVER_DIVERGED ||
      outcome.reason() == v1::SESSION_REASON_SCENE_INVALID ||
      outcome.reason() == v1::SESSION_REASON_NOT_REPRODUCIBLE) {
    life_.fail(outcome.reason(), outcome.message());
  }
  // Its last message was taken: it may go.
  worker_->channel->close();
  link_closed(worker_->link);
}

void Session::store_failed(const store::Error& error, std::string_view what) {
  const std::string message = fmt::format("{}: {}", what, error.message);
  log_->error("{}", message);
  switch (error.code) {
    case store::ErrorCode::disk_full:
      life_.disk_full(fmt::format("{}; free some space, then resume the session", message));
      break;
    case store::ErrorCode::mismatch:
      life_.fail(
          v1::SESSION_REASON_NOT_REPRODUCIBLE,
          fmt::format("{}: computed again after a restart, it came out differently", message));
      break;
    default:
      life_.fail(v1::SESSION_REASON_STORAGE_FAILED, message);
  }
}

}  // namespace sluice::session
