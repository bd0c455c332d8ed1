// SPDX-License-Identifier: Apache-2.0
// Kill anything, lose nothing. Oracle: an undisturbed run of the same scene gives the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/server_process.h"

namespace sluice::e2e::server_recovery_test {
namespace {

constexpr std::int64_t frame_count = 40;

FrameContents undisturbed(const std::string& script) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  const std::string name = create(server, script, frame_count).name();
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  return read_existing(server, name);
}

TEST(ServerRecovery, runs_a_tiny_session_to_its_end) {
  const FrameContents frames = undisturbed("");
  ASSERT_EQ(frames.size(), frame_count + 1);
  EXPECT_EQ(frames.begin()->first, 0);
  EXPECT_EQ(frames.rbegin()->first, frame_count);
  EXPECT_NE(frames.at(1), frames.at(2));
}

TEST(ServerRecovery, killed_worker_goes_on_from_its_checkpoint_with_the_same_bytes) {
  const FrameContents expected = undisturbed("slow=5");
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  const std::string name = create(server, "slow=5", frame_count).name();
  for (const std::int64_t at : {3, 14, 27}) {
    const v1::Session session = wait_until(server, name, [&](const v1::Session& s) {
      return s.frame_count() > at && s.worker_pid() != 0;
    });
    ASSERT_EQ(kill(static_cast<pid_t>(session.worker_pid()), SIGKILL), 0);
    wait_until(server, name,
               [&](const v1::Session& s) { return s.restart_count() > session.restart_count(); });
  }
  const v1::Session end = wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(end.restart_count(), 3);
  EXPECT_EQ(read_existing(server, name), expected);
}

TEST(ServerRecovery, killed_server_keeps_every_announced_frame_and_goes_on) {
  const FrameContents expected = undisturbed("slow=5");
  const TemporaryDirectory data;
  std::string name;
  std::int64_t announced = 0;
  {
    ServerProcess server(data.path());
    name = create(server, "slow=5", frame_count).name();
    const v1::Session session = wait_for_frames(server, name, 15);
    announced = session.frame_count();
    server.kill();
    // Workers die with their server.
    const auto worker = static_cast<pid_t>(session.worker_pid());
    for (int i = 0; i < 400 && kill(worker, 0) == 0; ++i) {
      wait_a_little();
    }
    EXPECT_NE(kill(worker, 0), 0);
  }
  for (const std::int64_t more : {announced + 8, announced + 16}) {
    ServerProcess server(data.path());
    EXPECT_GE(get(server, name).frame_count(), announced);
    announced = wait_for_frames(server, name, more).frame_count();
    server.kill();
  }
  ServerProcess server(data.path());
  EXPECT_GE(get(server, name).frame_count(), announced);
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(read_existing(server, name), expected);
}

TEST(ServerRecovery, stops_on_sigterm_with_a_checkpoint_and_goes_on) {
  const FrameContents expected = undisturbed("slow=10");
  const TemporaryDirectory data;
  std::string name;
  std::int64_t announced = 0;
  {
    ServerProcess server(data.path());
    v1::CreateSessionRequest request = create_request(small_scene("slow=10"), frame_count);
    request.mutable_session()->mutable_options()->set_checkpoint_interval_frames(1000);
    name = create(server, request).name();
    announced = wait_for_frames(server, name, 12).frame_count();
    const ProgramEnd end = server.terminate();
    EXPECT_EQ(end.exit_code, 0) << end.error_output;
  }
  ServerProcess server(data.path());
  const v1::Session session = get(server, name);
  EXPECT_GE(session.frame_count(), announced);
  EXPECT_EQ(session.checkpoint_frame(), session.frame_count() - 1)
      << "the worker saved its state where it stood";
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(read_existing(server, name), expected);
}

TEST(ServerRecovery, knows_the_checkpoint_of_a_session_that_had_ended) {
  const TemporaryDirectory data;
  std::string name;
  v1::Session before;
  {
    ServerProcess server(data.path());
    name = create(server, "", 25).name();
    before = wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
    EXPECT_EQ(before.checkpoint_frame(), 20);
    server.kill();
  }
  ServerProcess server(data.path());
  EXPECT_EQ(get(server, name).checkpoint_frame(), before.checkpoint_frame());
}

TEST(ServerRecovery, worker_that_always_dies_fails_the_session_and_keeps_its_frames) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  v1::CreateSessionRequest request = create_request(small_scene("abort=5"), frame_count);
  request.mutable_session()->mutable_options()->set_max_restarts(2);
  const std::string name = create(server, request).name();
  const v1::Session end = wait_for_state(server, name, v1::SESSION_STATE_FAILED);
  EXPECT_EQ(end.reason(), v1::SESSION_REASON_WORKER_DIED);
  EXPECT_THAT(end.message(), testing::HasSubstr("3 times"));
  EXPECT_THAT(end.message(), testing::HasSubstr("exit code 42"));
  // A process that dies may take the last of the frames 0 to 4 with it, before they were sent.
  EXPECT_GE(end.frame_count(), 3);
  EXPECT_LE(end.frame_count(), 5);
  EXPECT_EQ(read_existing(server, name).size(), static_cast<std::size_t>(end.frame_count()));
}

TEST(ServerRecovery, diverged_solver_fails_at_once_with_body_and_frame) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  const std::string name = create(server, "diverge=7", frame_count).name();
  const v1::Session end = wait_for_state(server, name, v1::SESSION_STATE_FAILED);
  EXPECT_EQ(end.reason(), v1::SESSION_REASON_SOLVER_DIVERGED);
  EXPECT_EQ(end.message(), "frame 7: cloth 'sheet' has no finite state");
  EXPECT_EQ(end.restart_count(), 0);
  EXPECT_EQ(read_existing(server, name).size(), 7U);
}

TEST(ServerRecovery, worker_out_of_memory_fails_at_once_and_says_so) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  const std::string name = create(server, "memory=3", frame_count).name();
  const v1::Session end = wait_for_state(server, name, v1::SESSION_STATE_FAILED);
  EXPECT_EQ(end.reason(), v1::SESSION_REASON_OUT_OF_MEMORY);
  EXPECT_THAT(end.message(), testing::HasSubstr("memory"));
}

TEST(ServerRecovery, a_run_that_does_not_repeat_itself_fails_instead_of_mixing_frames) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  const std::string name = create(server, "drift slow=5", frame_count).name();
  const v1::Session session = wait_for_frames(server, name, 15);
  ASSERT_EQ(kill(static_cast<pid_t>(session.worker_pid()), SIGKILL), 0);
  const v1::Session end = wait_for_state(server, name, v1::SESSION_STATE_FAILED);
  EXPECT_EQ(end.reason(), v1::SESSION_REASON_NOT_REPRODUCIBLE) << end.message();
}

}  // namespace
}  // namespace sluice::e2e::server_recovery_test
