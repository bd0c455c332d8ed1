// SPDX-License-Identifier: Apache-2.0
#include "server/session/session.h"

#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include "server/session/names.h"
#include "server/store/session_note.h"

namespace sluice::session {

using google::protobuf::util::TimeUtil;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// A logger of its own carries the session's name into every line, structured or not.
std::shared_ptr<spdlog::logger> logger_of(const std::string& name) {
  const auto base = spdlog::default_logger();
  auto logger = std::make_shared<spdlog::logger>(name, base->sinks().begin(), base->sinks().end());
  logger->set_level(base->level());
  logger->flush_on(spdlog::level::warn);
  return logger;
}

std::int64_t bytes_below(const std::filesystem::path& directory) {
  std::error_code error;
  std::uintmax_t bytes = 0;
  using Iterator = std::filesystem::recursive_directory_iterator;
  for (Iterator entry(directory, error); !error && entry != Iterator(); entry.increment(error)) {
    std::error_code unreadable;
    const bool is_file = entry->is_regular_file(unreadable);
    const std::uintmax_t size = is_file ? entry->file_size(unreadable) : 0;
    bytes += unreadable ? 0 : size;
  }
  return static_cast<std::int64_t>(bytes);
}

// How long a change that the database refused waits for the next try.
constexpr milliseconds persist_retry{5'000};

}  // namespace

Session::Session(Environment& environment, StoredSession stored)
    : environment_(environment),
      spec_(std::move(stored.spec)),
      name_(session_name(spec_.id)),
      log_(logger_of(name_)),
      strand_(Strand::create(environment.pool)),
      life_(stored.facts),
      persisted_(stored.facts.standing),
      update_time_micros_(stored.update_time_micros),
      noted_(stored.facts.standing),
      noted_run_until_(stored.facts.run_until),
      persisted_run_until_(stored.facts.run_until),
      persisted_restarts_(stored.facts.restart_count) {
  snapshot_.set_name(name_);
  snapshot_.set_display_name(spec_.display_name);
  *snapshot_.mutable_options() = spec_.options;
  *snapshot_.mutable_create_time() = TimeUtil::MicrosecondsToTimestamp(spec_.create_time_micros);
  *snapshot_.mutable_update_time() = TimeUtil::MicrosecondsToTimestamp(stored.update_time_micros);
  snapshot_.set_total_frame_count(life_.facts().last_frame + 1);
  snapshot_.set_particle_count(spec_.particle_count);
  snapshot_.set_vertex_count(spec_.vertex_count);
  snapshot_.set_epoch(stored.epoch);
  snapshot_.set_checkpoint_frame(stored.checkpoint_frame);
  snapshot_.set_recorded_command_count(spec_.recorded_command_count);
  snapshot_.set_frame_count(life_.facts().frame_count);
  snapshot_.set_state(life_.standing().state);
  snapshot_.set_reason(life_.standing().reason);
  snapshot_.set_message(life_.standing().message);
  snapshot_.set_restart_count(life_.facts().restart_count);
}

void Session::read_warnings() {
  const auto stored = environment_.database.get_warnings(spec_.id);
  if (!stored) {
    log_->warn("cannot read the warnings: {}", stored.error().message);
    return;
  }
  warnings_ = SessionWarnings(stored.value());
  const std::lock_guard lock(mutex_);
  *snapshot_.mutable_warnings() = warnings_.all();
}

Session::~Session() = default;

void Session::start() {
  post([this] { start_lease(); });
}

void Session::recover() {
  read_warnings();
  if (life_.terminal()) {
    // The row was written with its end; its files are opened when somebody reads them.
    const std::lock_guard lock(mutex_);
    snapshot_.set_stored_byte_count(bytes_below(environment_.directory.session_path(spec_.id)));
    feed_state_ = stream::FeedState::complete;
    return;
  }
  // The files on disk count, not the numbers that the row noted last.
  const auto opened = logs();
  if (!opened) {
    life_.fail(v1::SESSION_REASON_STORAGE_FAILED, opened.error().message);
  } else {
    life_.recover(static_cast<std::int64_t>((*opened)->frames->range().next));
    const std::lock_guard lock(mutex_);
    snapshot_.set_stored_byte_count((*opened)->stored_bytes());
    const auto checkpoint = (*opened)->checkpoints->latest_frame_index();
    snapshot_.set_checkpoint_frame(checkpoint ? static_cast<std::int64_t>(*checkpoint) : -1);
  }
  publish();
}

void Session::post(std::function<void()> task) {
  strand_->post([self = shared_from_this(), task = std::move(task)] {
    task();
    self->settle();
  });
}

void Session::settle() {
  if (erased_) {
    return;
  }
  settle_worker();
  const auto kept = persist();
  publish();
  if (!life_.pausing()) {
    // After the row was written: what a client was told outlives a crash.
    for (SessionReply& reply : std::exchange(pause_replies_, {})) {
      kept ? reply(snapshot())
           : reply(from_store(kept.error(), "it holds, but that cannot be written down"));
    }
  }
  if (shutting_down_ && !worker_ && shut_down_done_) {
    held_logs_.reset();
    std::exchange(shut_down_done_, nullptr)();
  }
  if (!worker_) {
    finish_erase();
  }
}

store::Status Session::persist() {
  const LifeCycle::Facts& facts = life_.facts();
  if (persisted_ == facts.standing && persisted_run_until_ == facts.run_until &&
      persisted_restarts_ == facts.restart_count) {
    return store::ok();
  }
  const bool standing_changed = persisted_ != facts.standing;
  store::SessionUpdate update;
  update.state = facts.standing.state;
  update.state_reason = facts.standing.reason;
  update.state_message = facts.standing.message;
  update.target_frame_count = facts.run_until + 1;
  update.frame_count = facts.frame_count;
  update.epoch = snapshot_.epoch();  // Written on this strand alone, as is the next.
  update.checkpoint_frame = snapshot_.checkpoint_frame();
  update.restart_count = facts.restart_count;
  // Rises also when the clock was set back: the start compares it with the folder's.
  update.update_time_micros = std::max(now_micros(), update_time_micros_ + 1);
  if (standing_changed) {
    {
      const std::lock_guard lock(mutex_);
      *snapshot_.mutable_update_time() =
          TimeUtil::MicrosecondsToTimestamp(update.update_time_micros);
    }
    log_->info("{} {} {}", state_name(facts.standing.state),
               v1::SessionReason_Name(facts.standing.reason), facts.standing.message);
  }
  auto result = environment_.database.update_session(spec_.id, update);
  if (!result) {
    log_->error("cannot write down the session's state, will try again: {}",
                result.error().message);
    if (!std::exchange(persist_retry_posted_, true)) {
      strand_->post_after(persist_retry, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
          self->persist_retry_posted_ = false;
          self->post([] {});
        }
      });
    }
    return result;
  }
  persisted_ = facts.standing;
  persisted_run_until_ = facts.run_until;
  persisted_restarts_ = facts.restart_count;
  update_time_micros_ = update.update_time_micros;
  note_standing(update);
  return store::ok();
}

// The row is the truth; the folder keeps what a start would need without it. On the way from
// PENDING to RUNNING that does not change.
void Session::note_standing(const store::SessionUpdate& update) {
  const LifeCycle::Facts& facts = life_.facts();
  const auto runs = [](const Standing& standing) {
    return !is_terminal(standing.state) && standing.state != v1::SESSION_STATE_PAUSED;
  };
  const bool is_same = noted_ && noted_run_until_ == facts.run_until &&
                       (*noted_ == facts.standing || (runs(*noted_) && runs(facts.standing)));
  if (is_same) {
    return;
  }
  store::SessionRecord row;
  row.id = spec_.id;
  row.state = facts.standing.state;
  row.state_reason = facts.standing.reason;
  row.state_message = facts.standing.message;
  row.update_time_micros = update.update_time_micros;
  row.target_frame_count = facts.run_until + 1;
  row.frame_count = facts.frame_count;
  row.epoch = snapshot_.epoch();
  row.restart_count = facts.restart_count;
  row.checkpoint_frame = snapshot_.checkpoint_frame();
  const auto written =
      store::write_standing_note(environment_.directory.session_path(spec_.id), row);
  if (!written) {
    log_->warn("the folder does not say yet what the row does: {}", written.error().message);
    return;
  }
  noted_ = facts.standing;
  noted_run_until_ = facts.run_until;
}

void Session::publish() {
  const LifeCycle::Facts& facts = life_.facts();
  {
    const std::lock_guard lock(mutex_);
    if (snapshot_.state() != facts.standing.state || snapshot_.reason() != facts.standing.reason ||
        snapshot_.message() != facts.standing.message) {
      ++standing_version_;
    }
    snapshot_.set_state(facts.standing.state);
    snapshot_.set_reason(facts.standing.reason);
    snapshot_.set_message(facts.standing.message);
    snapshot_.set_frame_count(facts.frame_count);
    snapshot_.set_restart_count(facts.restart_count);
    snapshot_.set_worker_pid(worker_ && worker_->process ? worker_->process->pid() : 0);
    const bool running = facts.standing.state == v1::SESSION_STATE_RUNNING;
    snapshot_.set_frames_per_second(running && seconds_per_frame_ > 0 ? 1 / seconds_per_frame_ : 0);
    if (held_logs_) {
      snapshot_.set_stored_byte_count(held_logs_->stored_bytes());
    }
  }
  tell_feed(shutting_down_     ? stream::FeedState::stopping
            : life_.terminal() ? stream::FeedState::complete
                               : stream::FeedState::live);
  observers_.notify();
}

void Session::tell_feed(stream::FeedState state) {
  // Under the lock of `logs`, so that a feed that is opened meanwhile has the state too.
  const std::lock_guard lock(logs_mutex_);
  {
    const std::lock_guard state_lock(mutex_);
    if (std::exchange(feed_state_, state) == state) {
      return;
    }
  }
  if (const auto open = open_logs_.lock()) {
    open->frames->set_state(state);
  }
}

v1::Session Session::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

WatchEvent Session::watch_event(std::uint64_t& log_cursor) const {
  const std::lock_guard lock(mutex_);
  WatchEvent event;
  *event.response.mutable_session() = snapshot_;
  if (has_statistics_) {
    *event.response.mutable_statistics() = statistics_;
  }
  const std::uint64_t first = log_end_ - log_lines_.size();
  for (std::uint64_t line = std::max(first, log_cursor); line < log_end_; ++line) {
    *event.response.add_log_lines() = log_lines_[line - first];
  }
  log_cursor = log_end_;
  event.standing_version = standing_version_;
  event.deleted = deleted_;
  return event;
}

Result<std::shared_ptr<SessionLogs>> Session::logs() {
  const std::lock_guard lock(logs_mutex_);
  if (auto open = open_logs_.lock()) {
    return open;
  }
  stream::FeedState state = stream::FeedState::live;
  auto mode = store::OpenMode::write;
  {
    const std::lock_guard state_lock(mutex_);
    if (deleted_) {
      return session_not_found(name_);
    }
    state = feed_state_;
    if (is_terminal(snapshot_.state())) {
      mode = store::OpenMode::read;  // Nothing is appended any more: what is damaged stays to see.
    }
  }
  auto opened = open_session_logs(environment_, spec_.id, state, mode);
  if (!opened) {
    return from_store(opened.error(), "cannot open the session's files");
  }
  const store::OpenReport& report = (*opened)->frames->open_report();
  if (report.torn_bytes > 0 || report.damaged_bytes > 0 || report.index_rebuilt) {
    log_->warn("frames opened after an unclean end: {} torn bytes {}, {} damaged, index {}",
               report.torn_bytes, mode == store::OpenMode::write ? "cut off" : "at the end",
               report.damaged_bytes, report.index_rebuilt ? "rebuilt" : "good");
  }
  if (mode == store::OpenMode::read) {
    tell_lost_frames(*(*opened)->frames);
  }
  open_logs_ = *opened;
  return *opened;
}

// The session has ended: nobody computes the lost frames again.
void Session::tell_lost_frames(stream::FrameFeed& frames) {
  const store::FrameRange range = frames.range();
  const std::lock_guard lock(mutex_);
  const auto promised = static_cast<std::uint64_t>(snapshot_.frame_count());
  frames.expect_frames(promised);
  if (range.next >= promised && range.first == 0) {
    return;
  }
  const std::string what = fmt::format(
      "some of its {} frames are lost to damage on disk: {} to {} can be read in one piece",
      promised, range.first, static_cast<std::int64_t>(range.next) - 1);
  log_->error("{}", what);
  if (snapshot_.message().find(what) == std::string::npos) {
    snapshot_.set_message(snapshot_.message().empty() ? what : snapshot_.message() + "; " + what);
    ++standing_version_;
  }
}

void Session::add_log_line(v1::LogLevel level, std::string text) {
  switch (level) {
    case v1::LOG_LEVEL_DEBUG:
      log_->debug("worker: {}", text);
      break;
    case v1::LOG_LEVEL_WARNING:
      log_->warn("worker: {}", text);
      break;
    case v1::LOG_LEVEL_ERROR:
      log_->error("worker: {}", text);
      break;
    default:
      log_->info("worker: {}", text);
  }
  const std::lock_guard lock(mutex_);
  v1::LogLine line;
  *line.mutable_time() = TimeUtil::MicrosecondsToTimestamp(now_micros());
  line.set_level(level);
  line.set_message(std::move(text));
  log_lines_.push_back(std::move(line));
  ++log_end_;
  if (log_lines_.size() > kept_log_lines) {
    log_lines_.pop_front();
  }
}

}  // namespace sluice::session
