// SPDX-License-Identifier: Apache-2.0
// The server with the real solver. Oracle: the same scene in an undisturbed run of one thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/server_process.h"

namespace sluice::e2e::server_physics_test {
namespace {

constexpr std::int64_t frame_count = 24;

std::vector<std::string> real_worker() {
  return {"--worker", (binary_directory() / "sluice-worker").string(), "--threads-per-session",
          "2"};
}

FrameContents run(ServerProcess& server, int thread_count) {
  v1::CreateSessionRequest request = create_request(small_scene("physics"), frame_count);
  request.mutable_session()->mutable_options()->set_thread_count(thread_count);
  const std::string name = create(server, request).name();
  const v1::Session end = wait_until(
      server, name,
      [](const v1::Session& s) {
        return s.state() == v1::SESSION_STATE_SUCCEEDED || s.state() == v1::SESSION_STATE_FAILED;
      },
      std::chrono::seconds(120));
  EXPECT_EQ(end.state(), v1::SESSION_STATE_SUCCEEDED) << end.message();
  return read_existing(server, name);
}

TEST(ServerPhysics, gives_the_same_bytes_with_one_thread_two_threads_and_a_killed_worker) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), real_worker());
  const FrameContents expected = run(server, 1);
  ASSERT_EQ(expected.size(), frame_count + 1);
  EXPECT_EQ(run(server, 2), expected);

  v1::CreateSessionRequest request = create_request(small_scene("physics"), frame_count);
  request.mutable_session()->mutable_options()->set_checkpoint_interval_frames(4);
  const std::string name = create(server, request).name();
  const v1::Session session = wait_until(server, name, [](const v1::Session& s) {
    return s.frame_count() > 6 && s.worker_pid() != 0;
  });
  ASSERT_EQ(kill(static_cast<pid_t>(session.worker_pid()), SIGKILL), 0);
  const v1::Session end = wait_until(
      server, name,
      [](const v1::Session& s) {
        return s.state() == v1::SESSION_STATE_SUCCEEDED || s.state() == v1::SESSION_STATE_FAILED;
      },
      std::chrono::seconds(120));
  EXPECT_EQ(end.state(), v1::SESSION_STATE_SUCCEEDED) << end.message();
  EXPECT_EQ(end.restart_count(), 1);
  EXPECT_EQ(read_existing(server, name), expected);
}

// The scene leaves the integrator open: what Scenes.Validate says was chosen is what frames name.
TEST(ServerPhysics, names_the_integrator_that_was_chosen_in_each_frame) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), real_worker());
  const v1::Scene scene = small_scene("physics");
  v1::ValidateSceneRequest question;
  *question.mutable_scene() = scene;
  v1::ValidateSceneResponse chosen;
  grpc::ClientContext validating;
  ASSERT_TRUE(server.scenes->Validate(&validating, question, &chosen).ok());
  std::string integrator;
  for (const v1::SceneChoice& choice : chosen.choices()) {
    if (choice.field() == "solid_solver.integrator") integrator = choice.value();
  }
  ASSERT_FALSE(integrator.empty());
  const std::string name = create(server, create_request(scene, 2)).name();
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  for (std::int64_t index = 1; index <= 2; ++index) {
    v1::GetFrameRequest get;
    get.set_session(name);
    get.mutable_cursor()->set_index(index);
    v1::Frame frame;
    grpc::ClientContext getting;
    ASSERT_TRUE(server.frames->Get(&getting, get, &frame).ok());
    EXPECT_EQ(frame.header().statistics().integrator(), integrator) << index;
  }
}

}  // namespace
}  // namespace sluice::e2e::server_physics_test
