// SPDX-License-Identifier: Apache-2.0
// A session and its worker's process: slot, start, orders, end (session.h).
#include <fmt/format.h>
#include <spdlog/logger.h>

#include <algorithm>

#include "server/session/assignment.h"
#include "server/session/names.h"
#include "server/session/recovery.h"
#include "server/session/session.h"

namespace sluice::session {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds watch_interval{5'000};
// A worker that is told to end has its state on the wire already or nothing to save.
constexpr milliseconds stop_patience{5'000};
constexpr milliseconds first_restart_delay{100};
constexpr milliseconds longest_restart_delay{10'000};

}  // namespace

void Session::settle_worker() {
  const WorkerWish wish = shutting_down_ || erase_reply_ ? WorkerWish::none : life_.wish();
  const bool needed = wish == WorkerWish::needed || (wish == WorkerWish::keep && !steers_.empty());
  if (worker_) {
    if (!worker_->told_to_stop) {
      life_.worker_launched();
      if (worker_->ready) {
        life_.worker_ready();
      }
    }
    if (wish == WorkerWish::none) {
      // Only a stopping server lets a worker finish; what was cancelled or has no room is killed.
      if (shutting_down_ && !erase_reply_ && !life_.terminal()) {
        stop_worker(true);
      } else if (life_.standing().state == v1::SESSION_STATE_SUCCEEDED && !erase_reply_) {
        stop_worker(false);
      } else {
        kill_worker("no longer needed");
      }
    } else if (!needed && environment_.slots.waiting_count() > 0) {
      stop_worker(true);  // Somebody else can use the place.
    } else if (worker_->ready) {
      send_orders();
    }
    return;
  }
  held_logs_.reset();
  if (!needed) {
    release_slot();
    return;
  }
  if (slot_ == Slot::none) {
    request_slot();
  } else if (slot_ == Slot::held && !start_delayed_) {
    launch_worker();
  }
}

void Session::request_slot() {
  slot_ = Slot::waiting;
  RunSlots::Client client;
  client.granted = [weak = weak_from_this(), request = ++slot_request_] {
    if (const auto self = weak.lock()) {
      self->post([raw = self.get(), request] {
        if (raw->slot_ == Slot::waiting && raw->slot_request_ == request) {
          raw->slot_ = Slot::held;
        }
      });
    }
  };
  client.please_yield = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->post([] {});
    }
  };
  environment_.slots.request(spec_.id, std::move(client));
}

void Session::release_slot() {
  if (slot_ != Slot::none) {
    slot_ = Slot::none;
    environment_.slots.release(spec_.id);
  }
}

void Session::launch_worker() {
  auto opened = logs();
  if (!opened) {
    life_.fail(v1::SESSION_REASON_STORAGE_FAILED, opened.error().message);
    return;
  }
  held_logs_ = *opened;
  worker_ = std::make_unique<Worker>(environment_.settings.limits);
  const std::uint64_t run = next_run_++;
  worker_->run = run;
  worker_->token = random_hex(32);
  worker_->last_sign = steady_clock::now();
  WorkerLaunch launch{name_, worker_->token, spec_.options.thread_count(),
                      environment_.settings.limits.worker_memory_bytes};
  WorkerCallbacks callbacks;
  callbacks.on_exit = [weak = weak_from_this(), run](WorkerExit exit) {
    if (const auto self = weak.lock()) {
      self->post([raw = self.get(), run, exit] { raw->on_exit(run, exit); });
    }
  };
  callbacks.on_error_output = [weak = weak_from_this(), run](std::string line) {
    if (const auto self = weak.lock()) {
      self->post([raw = self.get(), run, line = std::move(line)]() mutable {
        if (raw->worker_ && raw->worker_->run == run) {
          raw->worker_->last_error_line = line;
        }
        raw->add_log_line(v1::LOG_LEVEL_WARNING, std::move(line));
      });
    }
  };
  auto process = environment_.executor.start(launch, std::move(callbacks));
  if (!process) {
    log_->error("{}", process.error().message);
    worker_.reset();
    life_.worker_gone(process.error().message);
    if (life_.terminal() || life_.wish() != WorkerWish::needed) {
      drop_pending_steers(worker_lost(name_));
    }
    delay_next_start();
    post([] {});
    return;
  }
  worker_->process = std::move(*process);
  log_->info("worker {} started", worker_->process->pid());
  ++environment_.totals->worker_start_count;
  life_.worker_launched();
  watch_over_worker(run);
}

void Session::watch_over_worker(std::uint64_t run) {
  strand_->post_after(watch_interval, [weak = weak_from_this(), run] {
    const auto self = weak.lock();
    if (!self || !self->worker_ || self->worker_->run != run) {
      return;
    }
    if (steady_clock::now() - self->worker_->last_sign > worker_silence) {
      self->kill_worker("no sign of life");
    }
    self->watch_over_worker(run);
  });
}

void Session::kill_worker(std::string_view why) {
  if (worker_ && worker_->process) {
    log_->debug("worker {} killed: {}", worker_->process->pid(), why);
    worker_->process->kill();
  }
}

void Session::stop_worker(bool save) {
  if (worker_->told_to_stop) {
    return;
  }
  worker_->told_to_stop = true;
  if (!worker_->channel || !worker_->ready) {
    kill_worker("told to stop before it was ready");
    return;
  }
  v1::ServerMessage message;
  message.mutable_stop()->set_checkpoint(save);
  worker_->channel->send(std::move(message));
  const milliseconds patience = save ? environment_.settings.stop_grace : stop_patience;
  strand_->post_after(patience, [weak = weak_from_this(), run = worker_->run] {
    const auto self = weak.lock();
    if (self && self->worker_ && self->worker_->run == run) {
      self->kill_worker("did not stop in time");
    }
  });
}

void Session::worker_broke(const Error& error) {
  log_->error("{}", error.message);
  if (worker_) {
    worker_->last_error_line = error.message;
  }
  kill_worker(error.message);
}

void Session::on_exit(std::uint64_t run, WorkerExit exit) {
  if (!worker_ || worker_->run != run) {
    return;
  }
  const std::unique_ptr<Worker> worker = std::move(worker_);
  if (worker->channel) {
    worker->channel->close();
  }
  const bool asked =
      worker->told_to_stop || life_.wish() == WorkerWish::none || erase_reply_ || shutting_down_;
  log_->info("worker {} ended: {}{}", worker->process->pid(), exit.in_words(),
             asked ? ", as it was no longer needed" : "");
  const bool out_of_memory = worker->outcome.reason() == v1::SESSION_REASON_OUT_OF_MEMORY;
  if (out_of_memory && !asked) {
    // The next one would need as much.
    life_.fail(v1::SESSION_REASON_OUT_OF_MEMORY, worker->outcome.message());
  }
  drop_pending_steers(life_.terminal() ? state_error("a session that has not ended")
                                       : worker_lost(name_));
  if (asked) {
    life_.worker_released();
    release_slot();
    return;
  }
  if (worker->outcome.reason() == v1::SESSION_REASON_STORAGE_FAILED &&
      worker->from_checkpoint > 0) {
    log_->warn("the checkpoint of frame {} cannot be restored, going further back: {}",
               worker->from_checkpoint, worker->outcome.message());
    checkpoint_at_most_ = worker->from_checkpoint - 1;
  }
  std::string why = exit.in_words();
  if (!worker->outcome.message().empty()) {
    why = worker->outcome.message();
  } else if (!worker->last_error_line.empty()) {
    why += ": " + worker->last_error_line;
  }
  ++environment_.totals->worker_death_count;
  life_.worker_gone(std::move(why));
  delay_next_start();
}

// The first start after a frame goes at once: a single kill costs no time. Further ones wait longer
// and longer, so that what makes them fail has time to pass.
void Session::delay_next_start() {
  const int again = life_.facts().restarts_in_a_row;
  if (life_.terminal() || again <= 1 || std::exchange(start_delayed_, true)) {
    return;
  }
  const milliseconds delay =
      std::min(first_restart_delay * (1 << std::min(again - 2, 10)), longest_restart_delay);
  strand_->post_after(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->post([raw = self.get()] { raw->start_delayed_ = false; });
    }
  });
}

void Session::attach(std::string token, std::shared_ptr<WorkerChannel> channel,
                     std::function<void(Result<std::uint64_t>)> reply) {
  post([this, token = std::move(token), channel = std::move(channel),
        reply = std::move(reply)]() mutable {
    if (!worker_ || token != worker_->token) {
      reply(bad_token());
      return;
    }
    if (worker_->channel) {
      reply(session_has_worker(name_));
      return;
    }
    worker_->channel = std::move(channel);
    worker_->link = next_link_++;
    worker_->last_sign = steady_clock::now();
    reply(worker_->link);
    send_assignment();
  });
}

void Session::link_closed(std::uint64_t link) {
  post([this, link] {
    if (worker_ && worker_->link == link) {
      // A worker without its link can only end; one that hangs is helped.
      const std::uint64_t run = worker_->run;
      strand_->post_after(stop_patience, [weak = weak_from_this(), run] {
        const auto self = weak.lock();
        if (self && self->worker_ && self->worker_->run == run) {
          self->kill_worker("its link is closed");
        }
      });
    }
  });
}

void Session::send_assignment() {
  const auto bytes = stored_scene(environment_, spec_.id);
  v1::Scene scene;
  if (!bytes || !scene.ParseFromString(*bytes)) {
    life_.fail(v1::SESSION_REASON_STORAGE_FAILED,
               bytes ? scene_damaged(name_).message : bytes.error().message);
    return;
  }
  AssignmentOrder order;
  order.options = spec_.options;
  order.memory_bytes = environment_.settings.limits.worker_memory_bytes;
  order.stored_frame_count = life_.facts().frame_count;
  // A checkpoint may be ahead of the frames after a power cut; then an older one, or none, serves.
  std::int64_t at_most = life_.facts().frame_count - 1;
  if (checkpoint_at_most_ >= 0) {
    at_most = std::min(at_most, checkpoint_at_most_);
  }
  if (at_most > 0) {
    order.checkpoint = held_logs_->checkpoints->latest(static_cast<std::uint64_t>(at_most));
  }
  worker_->from_checkpoint =
      order.checkpoint ? static_cast<std::int64_t>(order.checkpoint->frame_index) : -1;
  auto commands = environment_.database.list_commands(
      spec_.id, std::max<std::int64_t>(worker_->from_checkpoint + 1, 0));
  if (!commands) {
    life_.fail(v1::SESSION_REASON_STORAGE_FAILED, commands.error().message);
    return;
  }
  order.commands = std::move(commands).value();
  order.scene = std::move(scene);
  auto source = make_assignment(std::move(order), environment_.assets, environment_.database);
  if (!source) {
    life_.fail(v1::SESSION_REASON_SCENE_INVALID, source.error().message);
    return;
  }
  worker_->channel->send_all(std::move(*source));
}

void Session::send_orders() {
  const std::int64_t limit = life_.run_limit();
  if (limit != worker_->sent_limit) {
    worker_->sent_limit = limit;
    v1::ServerMessage message;
    message.mutable_run()->set_until_frame_index(limit);
    message.mutable_run()->set_id(++worker_->order_id);
    worker_->channel->send(std::move(message));
  }
  for (auto& [id, steer] : steers_) {
    if (!std::exchange(steer.sent, true)) {
      v1::ServerMessage message;
      message.mutable_steer()->set_id(id);
      *message.mutable_steer()->mutable_command() = steer.command;
      worker_->channel->send(std::move(message));
    }
  }
}

}  // namespace sluice::session
