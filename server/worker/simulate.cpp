// SPDX-License-Identifier: Apache-2.0
#include "server/worker/simulate.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>

#include "server/convert/frame_convert.h"
#include "server/convert/integrator_convert.h"
#include "server/convert/steer_convert.h"
#include "server/worker/frame_pace.h"
#include "server/worker/smoke_watch.h"
#include "solver/certificate/crossing_certificate.h"
#include "solver/certificate/crossing_words.h"

namespace sluice::worker {
namespace {

// One message holds at most this much of a checkpoint (worker_link.proto).
constexpr std::size_t checkpoint_piece_bytes = std::size_t{1} << 20;

// Monotonic; the solver has no clock of its own.
double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

v1::WorkerOutcome outcome(v1::SessionReason reason, std::string message) {
  v1::WorkerOutcome result;
  result.set_reason(reason);
  result.set_message(std::move(message));
  return result;
}

class Run {
 public:
  Run(Job job, Orders& orders, Outbox& outbox)
      : job_(std::move(job)), assignment_(job_.assignment), orders_(orders), outbox_(outbox) {}

  v1::WorkerOutcome go(const SimulationFactory& make);

 private:
  std::optional<v1::WorkerOutcome> build(const SimulationFactory& make);
  v1::Layout layout_of_epoch();
  void send_ready();
  void send_frame(const v1::FrameStatistics* statistics);
  void write_certificate(const certificate::Findings& found, v1::Certificate& certificate);
  void write_smoke(SmokeWatch& watch, v1::Certificate& certificate);
  void send_checkpoint();
  std::string apply(const v1::SteerCommand& message);
  std::optional<v1::WorkerOutcome> apply_recorded();
  std::optional<v1::WorkerOutcome> advance();
  std::optional<v1::WorkerOutcome> steer(const Steer& order);
  [[nodiscard]] bool checkpoint_due() const;

  Job job_;
  const v1::Assignment& assignment_;
  Orders& orders_;
  Outbox& outbox_;
  std::optional<certificate::CrossingCertificate> certificate_;  // Outlives the simulation.
  std::optional<SmokeWatch> smoke_watch_;
  FramePace pace_;
  std::unique_ptr<Simulation> simulation_;
  convert::SceneFacts scene_facts_;
  std::string integrator_;  // The integrator of the deformable solids; FrameStatistics.integrator.
  std::int64_t epoch_ = 0;  // The epoch of the layout that was sent last.
  bool restored_ = false;   // From a checkpoint, not the scene.
  int next_recorded_ = 0;
  bool steered_ = false;               // Since the last frame.
  std::int64_t checkpoint_frame_ = 0;  // The server has its checkpoint; frame 0 needs none.
  std::weak_ptr<const std::vector<std::byte>> checkpoint_on_its_way_;
};

std::optional<v1::WorkerOutcome> Run::build(const SimulationFactory& make) {
  const convert::AssetResolver resolve =
      [this](std::string_view name) -> Result<convert::AssetFile> {
    const auto found = job_.assets.find(std::string(name));
    if (found == job_.assets.end() || found->second.bytes.empty()) {
      return Error{ErrorCode::invalid_scene, fmt::format("the asset '{}' is missing", name)};
    }
    return found->second;
  };
  convert::LoadedScene loaded = convert::load_scene(assignment_.scene(), resolve, scene::Limits{});
  if (!loaded.runnable()) {
    const auto problem = std::ranges::find_if(loaded.problems, [](const scene::Problem& p) {
      return p.severity == scene::Severity::error;
    });
    return outcome(v1::SESSION_REASON_SCENE_INVALID,
                   fmt::format("{}: {}", problem->path, problem->message));
  }
  scene_facts_ = {.frames_per_second = loaded.scene.frame_rate,
                  .domain_lower = loaded.scene.domain_lower,
                  .domain_upper = loaded.scene.domain_upper};
  integrator_ = convert::name_of_integrator(loaded.scene);
  SimulationOptions options;
  options.thread_count = std::max(1, assignment_.thread_count());
  options.clock = seconds_now;
  if (assignment_.certify()) {
    options.observer = &certificate_.emplace();
  }
  auto made = make(loaded.scene, options, job_.checkpoint);
  if (!made) {
    return outcome(job_.checkpoint.empty() ? v1::SESSION_REASON_SCENE_INVALID
                                           : v1::SESSION_REASON_STORAGE_FAILED,
                   made.error().message);
  }
  simulation_ = std::move(made).value();
  if (assignment_.certify() && SmokeWatch::is_for(loaded.scene)) {
    smoke_watch_.emplace(loaded.scene, *simulation_);
  }
  checkpoint_frame_ = simulation_->frame_index();
  // The checkpoint is as large as the state itself: it is not to be kept beside it.
  restored_ = !job_.checkpoint.empty();
  job_.checkpoint = {};
  job_.assets.clear();
  return std::nullopt;
}

v1::Layout Run::layout_of_epoch() {
  epoch_ = simulation_->epoch();
  return convert::convert_layout(simulation_->layout(), scene_facts_, epoch_);
}

void Run::send_ready() {
  v1::WorkerMessage message;
  v1::WorkerReady& ready = *message.mutable_ready();
  *ready.mutable_layout() = layout_of_epoch();
  ready.set_frame_index(simulation_->frame_index());
  outbox_.put(std::move(message));
}

void Run::send_frame(const v1::FrameStatistics* statistics) {
  if (simulation_->epoch() != epoch_) {
    v1::WorkerMessage message;
    *message.mutable_layout() = layout_of_epoch();
    outbox_.put(std::move(message));
  }
  v1::Cursor cursor;
  cursor.set_epoch(epoch_);
  cursor.set_index(simulation_->frame_index());
  convert::FrameMessages frame =
      convert::convert_frame(simulation_->layout(), simulation_->fields(),
                             simulation_->obstacle_offsets(), cursor, simulation_->time());
  v1::WorkerMessage message;
  *message.mutable_frame_header() = std::move(frame.header);
  if (statistics != nullptr) {
    *message.mutable_frame_header()->mutable_statistics() = *statistics;
  }
  outbox_.put(std::move(message));
  for (v1::FrameChunk& chunk : frame.chunks) {
    v1::WorkerMessage piece;
    *piece.mutable_frame_chunk() = std::move(chunk);
    outbox_.put(std::move(piece));
  }
}

void Run::write_certificate(const certificate::Findings& found, v1::Certificate& certificate) {
  certificate.set_substep_count(found.substep_count);
  certificate.set_crossing_count(found.crossing_count);
  certificate.set_jump_count(found.jump_count);
  certificate.set_pair_count(found.pair_count);
  certificate.set_exact_count(found.exact_count);
  const std::int64_t frame = simulation_->frame_index();
  if (found.first_crossing) {
    certificate.set_first_crossing(
        certificate::in_words(*found.first_crossing, simulation_->layout(), frame));
    spdlog::warn("certificate: {} ({} crossings in this frame)", certificate.first_crossing(),
                 found.crossing_count);
  }
  if (found.jump_count > 0) {
    spdlog::warn("certificate: {} substeps of frame {} did not start where the one before ended",
                 found.jump_count, frame);
  }
}

void Run::write_smoke(SmokeWatch& watch, v1::Certificate& certificate) {
  const certificate::SmokeFindings found = watch.check(*simulation_);
  certificate.set_pair_count(certificate.pair_count() + found.face_count);
  if (found.beyond_part == 0) {
    return;
  }
  certificate.set_smoke_beyond_part(found.beyond_part);
  certificate.set_crossing_count(certificate.crossing_count() + 1);
  if (certificate.first_crossing().empty()) {
    certificate.set_first_crossing(
        fmt::format("{:.3g} % of the smoke is beyond closed walls in frame {}",
                    100 * found.beyond_part, simulation_->frame_index()));
  }
  spdlog::warn("certificate: {:.3g} % of the smoke is beyond closed walls in frame {}",
               100 * found.beyond_part, simulation_->frame_index());
}

bool Run::checkpoint_due() const {
  const std::int64_t index = simulation_->frame_index();
  const std::int64_t interval = std::max(1, assignment_.checkpoint_interval_frames());
  return index % interval == 0 && index != assignment_.last_frame_index();
}

void Run::send_checkpoint() {
  const std::int64_t index = simulation_->frame_index();
  if (steered_ || index == checkpoint_frame_) {
    return;
  }
  if (!checkpoint_on_its_way_.expired()) {
    outbox_.wait_until_empty();  // Memory for one at a time.
  }
  const auto bytes = std::make_shared<const std::vector<std::byte>>(simulation_->save());
  checkpoint_on_its_way_ = bytes;
  checkpoint_frame_ = index;
  outbox_.put_all([bytes, index, offset = std::size_t{0}](v1::WorkerMessage& message) mutable {
    if (offset == bytes->size()) {
      return false;
    }
    const std::size_t count = std::min(checkpoint_piece_bytes, bytes->size() - offset);
    v1::CheckpointChunk& chunk = *message.mutable_checkpoint();
    chunk.set_frame_index(index);
    chunk.set_byte_count(static_cast<std::int64_t>(bytes->size()));
    chunk.set_offset(static_cast<std::int64_t>(offset));
    chunk.set_data(bytes->data() + offset, count);
    offset += count;
    return true;
  });
}

// Why the command was refused, or nothing.
std::string Run::apply(const v1::SteerCommand& message) {
  const convert::ConvertedSteer converted = convert::convert_steer(message);
  if (!converted.command) {
    return fmt::format("{}: {}", converted.problems.front().path,
                       converted.problems.front().message);
  }
  const auto taken = simulation_->steer(*converted.command);
  if (!taken) {
    return taken.error().message.empty() ? "the solver refused it" : taken.error().message;
  }
  if (smoke_watch_) {
    smoke_watch_->on_command(*converted.command);
  }
  steered_ = true;
  return {};
}

// Commands of the past that act on the next frame, in the order they were given.
std::optional<v1::WorkerOutcome> Run::apply_recorded() {
  const std::int64_t next_frame = simulation_->frame_index() + 1;
  for (; next_recorded_ < assignment_.recorded_commands_size(); ++next_recorded_) {
    const v1::RecordedCommand& recorded = assignment_.recorded_commands(next_recorded_);
    if (recorded.frame_index() > next_frame) {
      return std::nullopt;
    }
    if (recorded.frame_index() < next_frame) {
      continue;  // In the checkpoint.
    }
    if (const std::string refusal = apply(recorded.command()); !refusal.empty()) {
      return outcome(
          v1::SESSION_REASON_NOT_REPRODUCIBLE,
          fmt::format("a recorded command of frame {} is refused now: {}", next_frame, refusal));
    }
  }
  return std::nullopt;
}

std::optional<v1::WorkerOutcome> Run::advance() {
  if (auto failure = apply_recorded()) {
    return failure;
  }
  const double begin = seconds_now();
  auto advanced = simulation_->advance_frame();
  const double taken = seconds_now() - begin;
  if (!advanced) {
    return outcome(v1::SESSION_REASON_SOLVER_DIVERGED, advanced.error().message);
  }
  steered_ = false;
  v1::FrameStatistics statistics = convert::convert_statistics(advanced.value(), taken);
  statistics.set_integrator(integrator_);
  if (auto slow = pace_.add(taken)) {
    *statistics.add_warnings() = *std::move(slow);
  }
  if (certificate_) {
    v1::Certificate& certificate = *statistics.mutable_certificate();
    write_certificate(certificate_->take_frame(), certificate);
    if (smoke_watch_) {
      write_smoke(*smoke_watch_, certificate);
    }
    const std::int64_t fault_count = certificate.crossing_count() + certificate.jump_count();
    if (fault_count > 0) {
      v1::Warning& warning = *statistics.add_warnings();
      warning.set_kind(v1::WARNING_KIND_CROSSING);
      warning.set_message(fmt::format("{} crossings and {} jumps in this frame (none may be){}{}",
                                      certificate.crossing_count(), certificate.jump_count(),
                                      certificate.first_crossing().empty() ? "" : "; first ",
                                      certificate.first_crossing()));
      warning.set_value(static_cast<double>(fault_count));
    }
  }
  send_frame(&statistics);
  if (checkpoint_due()) {
    send_checkpoint();
  }
  return std::nullopt;
}

std::optional<v1::WorkerOutcome> Run::steer(const Steer& order) {
  // Before the command gets into the state, if this may be its last chance for long. A session that
  // runs on has the next one soon, and somebody who drags waits for each frame.
  if (order.while_holding) {
    send_checkpoint();
  }
  if (auto failure = apply_recorded()) {
    return failure;
  }
  v1::WorkerMessage message;
  v1::SteerResult& result = *message.mutable_steer_result();
  result.set_id(order.id);
  result.set_error(apply(order.command));
  if (result.error().empty()) {
    result.set_frame_index(simulation_->frame_index() + 1);
  }
  outbox_.put(std::move(message));
  return std::nullopt;
}

v1::WorkerOutcome Run::go(const SimulationFactory& make) {
  if (auto failure = build(make)) {
    return *std::move(failure);
  }
  send_ready();
  if (!restored_) {
    orders_.take_credit();
    send_frame(nullptr);
  }
  for (;;) {
    const Task task = orders_.next({simulation_->frame_index(), assignment_.last_frame_index(),
                                    assignment_.stored_frame_count()});
    std::optional<v1::WorkerOutcome> failure;
    if (std::holds_alternative<Advance>(task)) {
      failure = advance();
    } else if (const auto* order = std::get_if<Steer>(&task)) {
      failure = steer(*order);
    } else if (const auto* hold = std::get_if<Hold>(&task)) {
      v1::WorkerMessage message;
      message.mutable_holding()->set_order_id(hold->order_id);
      message.mutable_holding()->set_frame_index(simulation_->frame_index());
      outbox_.put(std::move(message));
    } else {
      if (std::get<Stop>(task).checkpoint && simulation_->frame_index() > 0) {
        send_checkpoint();
      }
      return {};
    }
    if (failure) {
      return *std::move(failure);
    }
  }
}

}  // namespace

v1::WorkerOutcome simulate(Job job, const SimulationFactory& make, Orders& orders, Outbox& outbox) {
  const std::int64_t memory_bytes = job.assignment.memory_byte_limit();
  try {
    return Run(std::move(job), orders, outbox).go(make);
  } catch (const std::bad_alloc&) {
    return outcome(v1::SESSION_REASON_OUT_OF_MEMORY,
                   fmt::format("the scene needs more memory than the {} MiB that a worker may use: "
                               "fewer particles or vertices help, or a server that allows more",
                               memory_bytes >> 20));
  }
}

}  // namespace sluice::worker
