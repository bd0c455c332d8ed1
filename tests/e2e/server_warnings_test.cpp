// SPDX-License-Identifier: Apache-2.0
// What goes wrong in frames, as the clients of a real server see it. Oracle: a script that says
// which frames have warnings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/server_process.h"

namespace sluice::e2e::server_warnings_test {
namespace {

using testing::HasSubstr;

class ServerWarnings : public testing::Test {
 protected:
  v1::Session end_of(const v1::CreateSessionRequest& request, v1::SessionState state) {
    return wait_for_state(server, create(server, request).name(), state);
  }
  v1::Frame frame(const std::string& session, std::int64_t index) {
    v1::GetFrameRequest request;
    request.set_session(session);
    request.mutable_cursor()->set_index(index);
    v1::Frame frame;
    grpc::ClientContext context;
    const grpc::Status status = server.frames->Get(&context, request, &frame);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return frame;
  }

  TemporaryDirectory data;
  ServerProcess server{data.path()};
};

TEST_F(ServerWarnings, are_on_the_frame_and_summed_up_on_the_session) {
  const auto session =
      end_of(create_request(small_scene("unconverged=4"), 6), v1::SESSION_STATE_SUCCEEDED);
  ASSERT_EQ(session.warnings_size(), 1);
  const v1::SessionWarning& summed = session.warnings(0);
  EXPECT_EQ(summed.warning().kind(), v1::WARNING_KIND_NOT_CONVERGED);
  EXPECT_EQ(summed.warning().body(), "sheet");
  EXPECT_NEAR(summed.warning().value(), 0.56, 1e-12);  // The worst one.
  EXPECT_EQ(summed.first_frame_index(), 4);
  EXPECT_EQ(summed.last_frame_index(), 6);
  EXPECT_EQ(summed.frame_count(), 3);
  EXPECT_EQ(frame(session.name(), 3).header().statistics().warnings_size(), 0);
  const auto statistics = frame(session.name(), 4).header().statistics();
  ASSERT_EQ(statistics.warnings_size(), 1);
  EXPECT_EQ(statistics.warnings(0).message(), "the residual is 0.5");
}

TEST_F(ServerWarnings, end_a_session_that_loses_its_water_and_keep_its_frames) {
  const auto session = end_of(create_request(small_scene("lost=3"), 6), v1::SESSION_STATE_FAILED);
  EXPECT_EQ(session.reason(), v1::SESSION_REASON_WARNING_LIMIT);
  EXPECT_THAT(session.message(), HasSubstr("frame 3: the warning of \"water\" reached 0.3"));
  EXPECT_EQ(session.frame_count(), 4);
  EXPECT_EQ(frame(session.name(), 3).header().statistics().warnings_size(), 1);
}

TEST_F(ServerWarnings, end_a_session_at_the_last_frame_too) {
  const auto session = end_of(create_request(small_scene("lost=6"), 6), v1::SESSION_STATE_FAILED);
  EXPECT_EQ(session.frame_count(), 7);
}

TEST_F(ServerWarnings, end_a_session_only_as_it_was_told_to) {
  auto request = create_request(small_scene("lost=3 unconverged=1"), 6);
  auto& options = *request.mutable_session()->mutable_options();
  options.add_failure_limits()->set_kind(v1::WARNING_KIND_VOLUME_LOST);
  EXPECT_EQ(end_of(request, v1::SESSION_STATE_SUCCEEDED).warnings_size(), 2);
  v1::FailureLimit& limit = *options.add_failure_limits();
  limit.set_kind(v1::WARNING_KIND_NOT_CONVERGED);
  limit.set_frame_count(5);
  const auto session = end_of(request, v1::SESSION_STATE_FAILED);
  EXPECT_EQ(session.frame_count(), 6);
  EXPECT_THAT(session.message(), HasSubstr("5 frames have the warning of \"sheet\""));
}

TEST_F(ServerWarnings, tell_of_a_frame_that_takes_far_longer_than_the_others) {
  auto request = create_request(small_scene("pause=5"), 6);
  const auto session = end_of(request, v1::SESSION_STATE_SUCCEEDED);
  ASSERT_EQ(session.warnings_size(), 1);
  const v1::SessionWarning& slow = session.warnings(0);
  EXPECT_EQ(slow.warning().kind(), v1::WARNING_KIND_SLOW_FRAME);
  EXPECT_GE(slow.warning().value(), 2);
  EXPECT_EQ(slow.first_frame_index(), 5);
  EXPECT_EQ(slow.frame_count(), 1);
  EXPECT_EQ(frame(session.name(), 5).header().statistics().warnings_size(), 1);
  // Who does not want to wait for such a session says so.
  v1::FailureLimit& limit = *request.mutable_session()->mutable_options()->add_failure_limits();
  limit.set_kind(v1::WARNING_KIND_SLOW_FRAME);
  limit.set_value(1.5);
  const auto ended = end_of(request, v1::SESSION_STATE_FAILED);
  EXPECT_EQ(ended.reason(), v1::SESSION_REASON_WARNING_LIMIT);
  EXPECT_EQ(ended.frame_count(), 6);
}

TEST_F(ServerWarnings, refuse_limits_that_make_no_sense) {
  auto request = create_request(small_scene(), 6);
  auto& options = *request.mutable_session()->mutable_options();
  options.set_certify(true);
  options.add_failure_limits();
  for (int i = 0; i < 2; ++i)
    options.add_failure_limits()->set_kind(v1::WARNING_KIND_CROSSING);
  options.mutable_failure_limits(1)->set_value(-1);
  options.mutable_failure_limits(1)->set_frame_count(0);
  const auto refusal = [&]() -> std::string {
    try {
      create(server, request);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "was taken";
  };
  EXPECT_THAT(refusal(),
              HasSubstr("4 fields are wrong; the first: session.options.failure_limits[0].kind"));
  // Nothing looks for crossings then, and the limit would never be met.
  options.clear_failure_limits();
  options.add_failure_limits()->set_kind(v1::WARNING_KIND_CROSSING);
  options.set_certify(false);
  EXPECT_THAT(refusal(), HasSubstr("certify"));
}

TEST(ServerWarningsAfterACrash, are_counted_once) {
  const TemporaryDirectory data;
  std::string name;
  {
    ServerProcess server(data.path());
    auto request = create_request(small_scene("slow=20 unconverged=2"), 60);
    request.mutable_session()->mutable_options()->set_checkpoint_interval_frames(5);
    name = create(server, request).name();
    wait_for_frames(server, name, 18);
    server.kill();
  }
  ServerProcess server(data.path());
  const auto session = wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  ASSERT_EQ(session.warnings_size(), 1);
  EXPECT_EQ(session.warnings(0).first_frame_index(), 2);
  EXPECT_EQ(session.warnings(0).last_frame_index(), 60);
  EXPECT_EQ(session.warnings(0).frame_count(), 59);
  // And after a start at which nothing runs.
  server.terminate();
  ServerProcess again(data.path());
  EXPECT_EQ(get(again, name).warnings(0).frame_count(), 59);
  // And where the database was lost.
  again.terminate();
  for (const char* file : {"sluice.db", "sluice.db-wal", "sluice.db-shm"}) {
    std::filesystem::remove(data.path() / file);
  }
  ServerProcess without_database(data.path());
  ASSERT_EQ(get(without_database, name).warnings_size(), 1);
  EXPECT_EQ(get(without_database, name).warnings(0).frame_count(), 59);
}

}  // namespace
}  // namespace sluice::e2e::server_warnings_test
