// SPDX-License-Identifier: Apache-2.0
// Sessions that people steer, with the real solver. Oracle: a replay of what was recorded, bit for
// bit, however the session was disturbed; and the bodies that commands name move.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/server_process.h"

namespace sluice::e2e::server_steer_test {
namespace {

constexpr std::int64_t frame_count = 60;

std::vector<std::string> real_worker() {
  return {"--worker", (binary_directory() / "sluice-worker").string(), "--threads-per-session",
          "2"};
}

void set(google::protobuf::RepeatedField<double>& field, const std::vector<double>& values) {
  field.Assign(values.begin(), values.end());
}

v1::SteerCommand gravity(double z) {
  v1::SteerCommand command;
  set(*command.mutable_set_gravity()->mutable_gravity(), {0.5, 0, z});
  return command;
}

v1::SteerCommand ball(double z) {
  v1::SteerCommand command;
  command.mutable_move_obstacle()->set_body("ball");
  set(*command.mutable_move_obstacle()->mutable_velocity(), {0.2, 0, z});
  return command;
}

/// One of each kind.
std::vector<v1::SteerCommand> all_kinds() {
  std::vector<v1::SteerCommand> commands{gravity(-8), ball(0.3)};
  v1::DragBody& drag = *commands.emplace_back().mutable_drag_body();
  drag.set_body("sheet");
  set(*drag.mutable_from(), {0.5, 0.5, 0.4});
  set(*drag.mutable_to(), {0.5, 0.5, 0.45});
  drag.set_radius(0.15);
  drag.set_frame_count(5);
  v1::PushFluid& push = *commands.emplace_back().mutable_push_fluid();
  set(*push.mutable_center(), {0.5, 0.5, 0.7});
  push.set_radius(0.2);
  set(*push.mutable_acceleration(), {20, 0, 0});
  push.set_frame_count(3);
  v1::MovePin& pin = *commands.emplace_back().mutable_move_pin();
  pin.set_body("sheet");
  pin.set_pin("pin0");
  set(*pin.mutable_velocity(), {0, 0, 0.1});
  return commands;
}

v1::CreateSessionRequest steerable() {
  v1::Scene scene = small_scene("steered");
  scene.mutable_output()->add_fields(v1::FIELD_PRESSURE);
  scene.mutable_output()->add_fields(v1::FIELD_CONTACT_FORCE);
  v1::Obstacle& obstacle = *scene.add_obstacles();
  obstacle.set_name("ball");
  obstacle.mutable_shape()->mutable_sphere()->set_radius(0.1);
  set(*obstacle.mutable_shape()->mutable_transform()->mutable_translation(), {0.5, 0.5, 0.15});
  scene.mutable_cloths(0)->mutable_pins(0)->set_name("pin0");
  v1::CreateSessionRequest request = create_request(scene, frame_count);
  request.mutable_session()->mutable_options()->set_checkpoint_interval_frames(7);
  return request;
}

std::int64_t steer(ServerProcess& server, const std::string& name,
                   const v1::SteerCommand& command) {
  grpc::ClientContext context;
  v1::SteerSessionRequest request;
  request.set_name(name);
  *request.mutable_command() = command;
  v1::SteerSessionResponse response;
  const grpc::Status status = server.sessions->Steer(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.frame_index();
}

void resume(ServerProcess& server, const std::string& name) {
  grpc::ClientContext context;
  v1::ResumeSessionRequest request;
  request.set_name(name);
  v1::Session session;
  EXPECT_TRUE(server.sessions->Resume(&context, request, &session).ok());
}

void step(ServerProcess& server, const std::string& name, std::int64_t count) {
  grpc::ClientContext context;
  v1::StepSessionRequest request;
  request.set_name(name);
  request.set_frame_count(count);
  v1::Session session;
  EXPECT_TRUE(server.sessions->Step(&context, request, &session).ok());
  wait_for_state(server, name, v1::SESSION_STATE_PAUSED);
}

std::vector<v1::RecordedCommand> list_commands(ServerProcess& server, const std::string& name,
                                               int page_size) {
  std::vector<v1::RecordedCommand> commands;
  v1::ListCommandsRequest request;
  request.set_name(name);
  request.set_page_size(page_size);
  do {
    grpc::ClientContext context;
    v1::ListCommandsResponse page;
    const grpc::Status status = server.sessions->ListCommands(&context, request, &page);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_LE(page.commands_size(), page_size);
    commands.insert(commands.end(), page.commands().begin(), page.commands().end());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return commands;
}

v1::Session wait_for_end(ServerProcess& server, const std::string& name) {
  const v1::Session end = wait_until(
      server, name,
      [](const v1::Session& s) {
        return s.state() == v1::SESSION_STATE_SUCCEEDED || s.state() == v1::SESSION_STATE_FAILED;
      },
      2 * usual_patience);
  EXPECT_EQ(end.state(), v1::SESSION_STATE_SUCCEEDED) << end.message();
  return end;
}

void kill_worker(ServerProcess& server, const std::string& name) {
  const v1::Session session =
      wait_until(server, name, [](const v1::Session& s) { return s.worker_pid() != 0; });
  ASSERT_EQ(kill(static_cast<pid_t>(session.worker_pid()), SIGKILL), 0);
}

v1::FrameHeader header_of(ServerProcess& server, const std::string& name, std::int64_t index) {
  grpc::ClientContext context;
  v1::GetFrameRequest request;
  request.set_session(name);
  request.mutable_cursor()->set_index(index);
  v1::Frame frame;
  EXPECT_TRUE(server.frames->Get(&context, request, &frame).ok());
  return frame.header();
}

TEST(ServerSteer, a_steered_session_is_repeated_bit_for_bit_whatever_killed_it) {
  const TemporaryDirectory data;
  std::string name;
  {
    ServerProcess server(data.path(), real_worker());
    v1::CreateSessionRequest request = steerable();
    request.mutable_session()->mutable_options()->set_start_paused(true);
    name = create(server, request).name();
    wait_until(server, name, [](const v1::Session& s) { return s.frame_count() == 1; });
    step(server, name, 5);
    for (const v1::SteerCommand& command : all_kinds()) {
      EXPECT_EQ(steer(server, name, command), 6) << "a paused session takes it for its next frame";
    }
    kill_worker(server, name);  // Its state is gone; the record is not.
    step(server, name, 4);
    EXPECT_EQ(header_of(server, name, 5).obstacle_offsets_size(), 0);
    const v1::FrameHeader after = header_of(server, name, 9);
    ASSERT_EQ(after.obstacle_offsets_size(), 1);
    EXPECT_EQ(after.obstacle_offsets(0).body(), "ball");
    EXPECT_NEAR(after.obstacle_offsets(0).offset(2), 4 * 0.3 / 60, 1e-9);
    resume(server, name);
    const std::int64_t live = steer(server, name, gravity(-12));  // Into the running session.
    kill_worker(server, name);
    EXPECT_GT(live, 9);
    wait_until(server, name, [](const v1::Session& s) { return s.restart_count() == 2; });
    server.kill();  // And all of it.
  }
  ServerProcess server(data.path(), real_worker());
  wait_for_end(server, name);
  const FrameContents frames = read_existing(server, name);
  ASSERT_EQ(frames.size(), frame_count + 1);
  const std::vector<v1::RecordedCommand> recorded = list_commands(server, name, 2);
  ASSERT_EQ(recorded.size(), 6U);
  EXPECT_EQ(recorded.front().frame_index(), 6);
  EXPECT_EQ(recorded.front().command().set_gravity().gravity(2), -8);

  for (const int thread_count : {1, 2}) {
    v1::CreateSessionRequest replay = steerable();
    replay.mutable_session()->mutable_options()->set_thread_count(thread_count);
    replay.mutable_recorded_commands()->Assign(recorded.begin(), recorded.end());
    const std::string again = create(server, replay).name();
    if (thread_count == 2) {
      wait_for_frames(server, again, 8);
      kill_worker(server, again);
    }
    EXPECT_EQ(wait_for_end(server, again).recorded_command_count(), 6);
    EXPECT_EQ(read_existing(server, again), frames) << thread_count << " threads";
    EXPECT_EQ(list_commands(server, again, 1000).size(), 6U);
  }
  const std::string unsteered = create(server, steerable()).name();
  wait_for_end(server, unsteered);
  EXPECT_NE(read_existing(server, unsteered), frames);
}

TEST(ServerSteer, a_replay_may_be_steered_besides_and_stays_repeatable) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), real_worker());
  v1::CreateSessionRequest request = steerable();
  request.mutable_session()->mutable_options()->set_start_paused(true);
  for (const std::int64_t frame : {4, 20}) {
    v1::RecordedCommand& recorded = *request.add_recorded_commands();
    recorded.set_frame_index(frame);
    *recorded.mutable_command() = gravity(static_cast<double>(-frame));
  }
  const std::string name = create(server, request).name();
  wait_until(server, name, [](const v1::Session& s) { return s.frame_count() == 1; });
  step(server, name, 9);
  EXPECT_EQ(steer(server, name, ball(0.3)), 10);  // Between the two.
  resume(server, name);
  wait_for_frames(server, name, 24);
  kill_worker(server, name);
  wait_for_end(server, name);

  const auto all = list_commands(server, name, 1000);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].frame_index(), 10);
  request.mutable_recorded_commands()->Assign(all.begin(), all.end());
  request.mutable_session()->mutable_options()->set_start_paused(false);
  const std::string again = create(server, request).name();
  wait_for_end(server, again);
  EXPECT_EQ(read_existing(server, again), read_existing(server, name));
}

TEST(ServerSteer, a_command_that_the_scene_cannot_take_fails_the_replay_and_says_which) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), real_worker());
  v1::CreateSessionRequest request = steerable();
  v1::RecordedCommand& recorded = *request.add_recorded_commands();
  recorded.set_frame_index(3);
  *recorded.mutable_command() = ball(1);
  recorded.mutable_command()->mutable_move_obstacle()->set_body("cube");
  const std::string name = create(server, request).name();
  const v1::Session end = wait_for_state(server, name, v1::SESSION_STATE_FAILED);
  EXPECT_EQ(end.reason(), v1::SESSION_REASON_NOT_REPRODUCIBLE);
  EXPECT_THAT(end.message(), testing::HasSubstr("frame 3"));
  EXPECT_THAT(end.message(), testing::HasSubstr("cube"));
  EXPECT_EQ(end.frame_count(), 3);
}

TEST(ServerSteer, creating_a_replay_is_checked_and_idempotent) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  v1::CreateSessionRequest request = create_request(small_scene("slow=5"), 10);
  request.set_request_id("one");
  for (const std::int64_t frame : {2, 2, 7}) {
    v1::RecordedCommand& recorded = *request.add_recorded_commands();
    recorded.set_frame_index(frame);
    *recorded.mutable_command() = gravity(static_cast<double>(-frame));
  }
  const std::string name = create(server, request).name();
  EXPECT_EQ(create(server, request).name(), name);
  v1::CreateSessionRequest other = request;
  *other.mutable_recorded_commands(1)->mutable_command() = gravity(-3);
  grpc::ClientContext first;
  v1::Session session;
  EXPECT_EQ(server.sessions->Create(&first, other, &session).error_code(),
            grpc::StatusCode::ALREADY_EXISTS);
  other.set_request_id("two");
  other.mutable_recorded_commands(2)->set_frame_index(11);
  other.mutable_recorded_commands(1)->set_frame_index(1);
  other.mutable_recorded_commands(0)->clear_command();
  grpc::ClientContext second;
  const grpc::Status refused = server.sessions->Create(&second, other, &session);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  for (const char* const path : {"recorded_commands[0].command", "recorded_commands[1].frame_index",
                                 "recorded_commands[2].frame_index"}) {
    EXPECT_THAT(refused.error_details(), testing::HasSubstr(path));
  }
}

}  // namespace
}  // namespace sluice::e2e::server_steer_test
