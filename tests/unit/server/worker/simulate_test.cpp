// SPDX-License-Identifier: Apache-2.0
// The loop of a worker, with a simulation that only notes what is asked of it. Oracle: the order of
// messages that worker_link.proto and simulate.h promise.
#include "server/worker/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstring>
#include <new>
#include <thread>

#include "server/worker/log_sink.h"

namespace sluice::worker {
namespace {

using testing::ElementsAre;

class NotingSimulation final : public Simulation {
 public:
  NotingSimulation(std::vector<std::string>& notes, std::int64_t frame)
      : notes_(notes), frame_(frame) {}

  Result<FrameStatistics> advance_frame() override {
    if (frame_ + 1 == fails_at) {
      return Error{ErrorCode::solver_diverged,
                   "frame " + std::to_string(fails_at) + ": sheet tears"};
    }
    if (frame_ + 1 == no_memory_at) {
      throw std::bad_alloc();
    }
    notes_.push_back("advance " + std::to_string(++frame_));
    if (observer != nullptr) show_substep();
    return FrameStatistics{};
  }
  [[nodiscard]] std::int64_t frame_index() const override { return frame_; }
  [[nodiscard]] double time() const override { return 0; }
  [[nodiscard]] const std::vector<BodyLayout>& layout() const override { return layout_; }
  [[nodiscard]] std::int64_t epoch() const override { return 0; }
  [[nodiscard]] std::vector<FieldView> fields() const override { return {}; }
  [[nodiscard]] std::vector<ObstacleOffset> obstacle_offsets() const override { return {}; }
  Result<std::monostate> steer(const SteerCommand& command) override {
    if (const auto* gravity = std::get_if<SetGravity>(&command)) {
      notes_.push_back("gravity " + std::to_string(static_cast<int>(gravity->gravity.z())));
      return std::monostate{};
    }
    return Error{ErrorCode::invalid_scene, "no such thing"};
  }
  [[nodiscard]] std::vector<std::byte> save() const override {
    notes_.push_back("save " + std::to_string(frame_));
    return std::vector<std::byte>(1);
  }

  std::int64_t fails_at = -1;
  std::int64_t no_memory_at = -1;
  SubstepObserver* observer = nullptr;

 private:
  /// A drop that rests on nothing, and falls through the sheet in frame 2.
  void show_substep() {
    const Vec3f before{0.25F, 0.25F, frame_ <= 2 ? 1.0F : -1.0F};
    const Vec3f after{0.25F, 0.25F, frame_ < 2 ? 1.0F : -1.0F};
    const std::vector<Vec3> sheet{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const TriangleIndices triangle{0, 1, 2};
    observer->on_substep(
        {0.1, 0.1, std::span(&before, 1), std::span(&after, 1), sheet, sheet, {&triangle, 1}});
  }

  std::vector<std::string>& notes_;
  std::vector<BodyLayout> layout_{{"water", BodyKind::particles, 1, {}, {}},
                                  {"sheet", BodyKind::surface, 3, {{0, 1, 2}}, {}}};
  std::int64_t frame_;
};

v1::SteerCommand gravity(double z) {
  v1::SteerCommand command;
  for (const double component : {0.0, 0.0, z}) {
    command.mutable_set_gravity()->add_gravity(component);
  }
  return command;
}

class Simulate : public testing::Test {
 protected:
  Simulate() {
    job_.assignment.set_last_frame_index(100);
    job_.assignment.set_checkpoint_interval_frames(100);
    v1::Scene& scene = *job_.assignment.mutable_scene();
    for (int axis = 0; axis < 3; ++axis) {
      scene.mutable_domain()->add_lower(-1);
      scene.mutable_domain()->add_upper(1);
    }
    v1::Cloth& cloth = *scene.add_cloths();
    cloth.set_name("sheet");
    for (int axis = 0; axis < 2; ++axis) {
      cloth.mutable_grid()->add_size(0.5);
      cloth.mutable_grid()->add_vertices(3);
    }
  }
  v1::WorkerOutcome run(std::int64_t from = 0) {
    return simulate(
        job_,
        [&](const scene::Scene&, const SimulationOptions& options,
            std::span<const std::byte>) -> Result<std::unique_ptr<Simulation>> {
          auto made = std::make_unique<NotingSimulation>(notes_, from);
          made->observer = options.observer;
          made->fails_at = fails_at_;
          made->no_memory_at = no_memory_at_;
          return std::unique_ptr<Simulation>(std::move(made));
        },
        orders_, outbox_);
  }
  void order_until(std::int64_t frame, std::int64_t id) {
    v1::RunOrder order;
    order.set_until_frame_index(frame);
    order.set_id(id);
    orders_.run(order);
  }
  std::vector<std::string> sent() {
    std::vector<std::string> kinds;
    v1::WorkerMessage message;
    v1::WorkerMessage end;
    end.mutable_hello();
    outbox_.put(std::move(end));
    while (outbox_.take(message) && !message.has_hello()) {
      if (message.has_ready()) kinds.emplace_back("ready");
      if (message.has_frame_header()) {
        kinds.push_back("frame " + std::to_string(message.frame_header().cursor().index()));
      }
      if (message.has_checkpoint()) {
        kinds.push_back("checkpoint " + std::to_string(message.checkpoint().frame_index()));
      }
      if (message.has_steer_result()) {
        kinds.push_back(message.steer_result().error().empty()
                            ? "steers " + std::to_string(message.steer_result().frame_index())
                            : "refused");
      }
    }
    return kinds;
  }

  /// The frames' headers; with `warnings`, also what was logged in between.
  std::vector<v1::FrameHeader> sent_headers(std::vector<std::string>* warnings = nullptr) {
    std::vector<v1::FrameHeader> headers;
    v1::WorkerMessage message;
    v1::WorkerMessage end;
    end.mutable_hello();
    outbox_.put(std::move(end));
    while (outbox_.take(message) && !message.has_hello()) {
      if (message.has_frame_header()) headers.push_back(message.frame_header());
      if (message.has_log() && warnings != nullptr) {
        EXPECT_EQ(message.log().level(), v1::LOG_LEVEL_WARNING);
        warnings->push_back(message.log().message());
      }
    }
    return headers;
  }

  Job job_;
  Orders orders_{1000};
  Outbox outbox_;
  std::vector<std::string> notes_;
  std::int64_t fails_at_ = -1;
  std::int64_t no_memory_at_ = -1;
};

TEST_F(Simulate, sends_frame_zero_unasked_and_stops_with_its_state) {
  orders_.stop(true);
  EXPECT_EQ(run().reason(), v1::SESSION_REASON_UNSPECIFIED);
  EXPECT_THAT(sent(), ElementsAre("ready", "frame 0"));
  EXPECT_THAT(notes_, ElementsAre()) << "frame 0 needs no checkpoint";
}

TEST_F(Simulate, computes_stored_frames_again_with_their_commands_and_no_earlier_ones) {
  job_.checkpoint.resize(1);
  job_.assignment.set_stored_frame_count(5);
  for (const int frame : {1, 3, 5}) {  // 1 is in the checkpoint of frame 2.
    v1::RecordedCommand& recorded = *job_.assignment.add_recorded_commands();
    recorded.set_frame_index(frame);
    *recorded.mutable_command() = gravity(frame);
  }
  fails_at_ = 6;  // Ends the run.
  order_until(100, 1);
  const v1::WorkerOutcome outcome = run(2);
  EXPECT_EQ(outcome.reason(), v1::SESSION_REASON_SOLVER_DIVERGED);
  EXPECT_EQ(outcome.message(), "frame 6: sheet tears");
  EXPECT_THAT(notes_, ElementsAre("gravity 3", "advance 3", "advance 4", "gravity 5", "advance 5"));
  EXPECT_THAT(sent(), ElementsAre("ready", "frame 3", "frame 4", "frame 5"));
}

TEST_F(Simulate, no_checkpoint_lies_between_a_command_and_its_frame) {
  job_.checkpoint.resize(1);
  v1::SteerOrder order;
  *order.mutable_command() = gravity(7);
  orders_.steer(order);
  job_.assignment.set_stored_frame_count(4);  // Frame 3 is computed first.
  no_memory_at_ = 4;
  order_until(100, 1);
  EXPECT_EQ(run(2).reason(), v1::SESSION_REASON_OUT_OF_MEMORY);
  EXPECT_THAT(notes_, ElementsAre("advance 3", "gravity 7"));
  EXPECT_THAT(sent(), ElementsAre("ready", "frame 3", "steers 4"));
}

TEST_F(Simulate, a_worker_that_holds_sends_its_state_before_the_first_command) {
  job_.checkpoint.resize(1);
  job_.assignment.set_stored_frame_count(4);
  order_until(3, 1);  // Frame 3 is stored; none beyond it is ordered.
  v1::SteerOrder order;
  *order.mutable_command() = gravity(7);
  orders_.steer(order);
  *order.mutable_command() = gravity(8);
  orders_.steer(order);
  // Once both commands were answered: on, to an end.
  std::jthread later([this] {
    v1::WorkerMessage message;
    for (int answered = 0; answered < 2 && outbox_.take(message);) {
      answered += message.has_steer_result() ? 1 : 0;
    }
    order_until(100, 2);
  });
  no_memory_at_ = 4;
  run(2);
  later.join();
  EXPECT_THAT(notes_, ElementsAre("advance 3", "save 3", "gravity 7", "gravity 8"));
}

TEST_F(Simulate, says_that_memory_ran_out_also_when_the_state_cannot_be_built) {
  for (const std::size_t checkpoint_bytes : {0, 1}) {
    job_.checkpoint.resize(checkpoint_bytes);
    job_.assignment.set_memory_byte_limit(std::int64_t{300} << 20);
    const v1::WorkerOutcome outcome = simulate(
        job_,
        [](const scene::Scene&, const SimulationOptions&, std::span<const std::byte>)
            -> Result<std::unique_ptr<Simulation>> { throw std::bad_alloc(); },
        orders_, outbox_);
    EXPECT_EQ(outcome.reason(), v1::SESSION_REASON_OUT_OF_MEMORY);
    EXPECT_THAT(outcome.message(), testing::HasSubstr("300 MiB"));
  }
}

TEST_F(Simulate, checkpoints_at_its_interval) {
  job_.assignment.set_checkpoint_interval_frames(4);
  fails_at_ = 6;
  order_until(100, 1);
  run();
  EXPECT_THAT(notes_, ElementsAre("advance 1", "advance 2", "advance 3", "advance 4", "save 4",
                                  "advance 5"));
}

TEST_F(Simulate, refused_commands_are_answered_and_a_recorded_one_ends_the_run) {
  v1::SteerOrder order;
  order.mutable_command()->mutable_move_pin()->set_body("sheet");
  orders_.steer(order);
  fails_at_ = 1;
  order_until(1, 1);
  run();
  EXPECT_THAT(sent(), ElementsAre("ready", "frame 0", "refused"));
  v1::RecordedCommand& recorded = *job_.assignment.add_recorded_commands();
  recorded.set_frame_index(1);
  *recorded.mutable_command() = order.command();
  EXPECT_EQ(run().reason(), v1::SESSION_REASON_NOT_REPRODUCIBLE);
}

TEST_F(Simulate, a_scene_that_cannot_be_built_says_which_field) {
  job_.assignment.mutable_scene()->mutable_cloths(0)->set_mesh("assets/gone");
  const v1::WorkerOutcome outcome = run();
  EXPECT_EQ(outcome.reason(), v1::SESSION_REASON_SCENE_INVALID);
  EXPECT_THAT(outcome.message(), testing::HasSubstr("cloths[0].mesh"));
}

TEST_F(Simulate, watches_no_substep_unasked) {
  fails_at_ = 3;
  order_until(100, 1);
  run();
  for (const v1::FrameHeader& header : sent_headers()) {
    EXPECT_FALSE(header.statistics().has_certificate());
  }
}

TEST_F(Simulate, certifies_each_frame_and_goes_on_after_a_crossing) {
  const auto usual = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("worker", std::make_shared<LogSink>(outbox_)));
  job_.assignment.set_certify(true);
  fails_at_ = 4;
  order_until(100, 1);
  run();
  spdlog::set_default_logger(usual);
  std::vector<std::string> warnings;
  const std::vector<v1::FrameHeader> headers = sent_headers(&warnings);
  ASSERT_EQ(headers.size(), 4U);
  EXPECT_FALSE(headers[0].has_statistics());
  for (std::size_t frame = 1; frame < 4; ++frame) {
    const v1::Certificate& certificate = headers[frame].statistics().certificate();
    EXPECT_EQ(certificate.substep_count(), 1);
    EXPECT_EQ(certificate.jump_count(), 0);
    EXPECT_EQ(certificate.crossing_count(), frame == 2 ? 1 : 0);
    EXPECT_EQ(certificate.pair_count(), frame == 2 ? 1 : 0);
    EXPECT_EQ(certificate.exact_count(), frame == 2 ? 1 : 0);
    if (frame != 2) {
      EXPECT_THAT(certificate.first_crossing(), testing::IsEmpty());
    }
  }
  const std::string words =
      "a particle of \"water\" met a triangle of \"sheet\" in substep 1 of frame 2";
  EXPECT_THAT(headers[2].statistics().certificate().first_crossing(), testing::StartsWith(words));
  EXPECT_THAT(warnings, ElementsAre(testing::HasSubstr(words)));
}

}  // namespace
}  // namespace sluice::worker
