// SPDX-License-Identifier: Apache-2.0
// What clients ask of sessions, on a real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tests/e2e/server_process.h"

namespace sluice::e2e::server_control_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ServerControl : public testing::Test {
 protected:
  template <typename Request>
  grpc::Status call(grpc::Status (v1::Sessions::Stub::*method)(grpc::ClientContext*, const Request&,
                                                               v1::Session*),
                    const std::string& name, v1::Session* session = nullptr) {
    Request request;
    request.set_name(name);
    return call(method, request, session);
  }
  template <typename Request>
  grpc::Status call(grpc::Status (v1::Sessions::Stub::*method)(grpc::ClientContext*, const Request&,
                                                               v1::Session*),
                    const Request& request, v1::Session* session = nullptr) {
    grpc::ClientContext context;
    v1::Session answer;
    return (server_->sessions.get()->*method)(&context, request,
                                              session == nullptr ? &answer : session);
  }
  grpc::Status pause(const std::string& name, v1::Session* session = nullptr) {
    return call<v1::PauseSessionRequest>(&v1::Sessions::Stub::Pause, name, session);
  }
  grpc::Status resume(const std::string& name, v1::Session* session = nullptr) {
    return call<v1::ResumeSessionRequest>(&v1::Sessions::Stub::Resume, name, session);
  }
  grpc::Status cancel(const std::string& name, v1::Session* session = nullptr) {
    return call<v1::CancelSessionRequest>(&v1::Sessions::Stub::Cancel, name, session);
  }
  grpc::Status step(const std::string& name, std::int64_t count) {
    v1::StepSessionRequest request;
    request.set_name(name);
    request.set_frame_count(count);
    return call(&v1::Sessions::Stub::Step, request);
  }
  grpc::Status erase(const std::string& name) {
    grpc::ClientContext context;
    v1::DeleteSessionRequest request;
    request.set_name(name);
    google::protobuf::Empty nothing;
    return server_->sessions->Delete(&context, request, &nothing);
  }
  grpc::Status steer_gravity(const std::string& name, double z, std::int64_t* frame) {
    grpc::ClientContext context;
    v1::SteerSessionRequest request;
    request.set_name(name);
    for (const double component : {0.0, 0.0, z}) {
      request.mutable_command()->mutable_set_gravity()->add_gravity(component);
    }
    v1::SteerSessionResponse response;
    const grpc::Status status = server_->sessions->Steer(&context, request, &response);
    if (frame != nullptr) *frame = response.frame_index();
    return status;
  }
  std::string create_paused(const std::string& script, std::int64_t frames) {
    v1::CreateSessionRequest request = create_request(small_scene(script), frames);
    request.mutable_session()->mutable_options()->set_start_paused(true);
    return create(*server_, request).name();
  }
  void restart() {
    server_.reset();
    server_ = std::make_unique<ServerProcess>(data_.path());
  }

  TemporaryDirectory data_;
  std::unique_ptr<ServerProcess> server_ = std::make_unique<ServerProcess>(data_.path());
};

TEST_F(ServerControl, starts_paused_at_frame_zero_and_steps_exactly) {
  const std::string name = create_paused("", 20);
  EXPECT_EQ(get(*server_, name).state(), v1::SESSION_STATE_PAUSED);
  wait_for_frames(*server_, name, 1);
  for (const std::int64_t count : {1, 3}) {
    const std::int64_t before = get(*server_, name).frame_count();
    ASSERT_TRUE(step(name, count).ok());
    const v1::Session session = wait_for_state(*server_, name, v1::SESSION_STATE_PAUSED);
    EXPECT_EQ(session.frame_count(), before + count);
    EXPECT_EQ(session.reason(), v1::SESSION_REASON_REQUESTED);
  }
  ASSERT_TRUE(step(name, 1000).ok());
  EXPECT_EQ(wait_for_state(*server_, name, v1::SESSION_STATE_SUCCEEDED).frame_count(), 21);
  EXPECT_EQ(step(name, 1).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(ServerControl, pause_answers_when_no_frame_follows) {
  const std::string name = create(*server_, "slow=20", 1000).name();
  wait_for_frames(*server_, name, 3);
  v1::Session paused;
  ASSERT_TRUE(pause(name, &paused).ok());
  EXPECT_EQ(paused.state(), v1::SESSION_STATE_PAUSED);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(get(*server_, name).frame_count(), paused.frame_count());
  EXPECT_TRUE(pause(name).ok()) << "pausing a paused session does nothing";
  ASSERT_TRUE(resume(name).ok());
  wait_for_frames(*server_, name, paused.frame_count() + 2);
  EXPECT_TRUE(resume(name).ok()) << "resuming a running session does nothing";
  v1::Session cancelled;
  ASSERT_TRUE(cancel(name, &cancelled).ok());
  EXPECT_EQ(cancelled.state(), v1::SESSION_STATE_CANCELLED);
  EXPECT_TRUE(cancel(name).ok());
  EXPECT_EQ(resume(name).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_GE(read_existing(*server_, name).size(), 5U) << "a cancelled session keeps its frames";
}

TEST_F(ServerControl, a_paused_session_stays_paused_over_a_restart) {
  const std::string name = create(*server_, "slow=5", 60).name();
  wait_for_frames(*server_, name, 5);
  v1::Session paused;
  ASSERT_TRUE(pause(name, &paused).ok());
  restart();
  const v1::Session after = get(*server_, name);
  EXPECT_EQ(after.state(), v1::SESSION_STATE_PAUSED);
  EXPECT_EQ(after.frame_count(), paused.frame_count());
  EXPECT_EQ(after.worker_pid(), 0) << "nothing to do, so no worker";
  ASSERT_TRUE(step(name, 2).ok());
  const v1::Session stepped = wait_for_state(*server_, name, v1::SESSION_STATE_PAUSED);
  EXPECT_EQ(stepped.frame_count(), paused.frame_count() + 2);
}

TEST_F(ServerControl, delete_removes_a_running_session_with_its_files) {
  const std::string name = create(*server_, "slow=5", 1000).name();
  const v1::Session session = wait_for_frames(*server_, name, 3);
  ASSERT_TRUE(erase(name).ok());
  grpc::ClientContext context;
  v1::GetSessionRequest request;
  request.set_name(name);
  v1::Session gone;
  const grpc::Status status = server_->sessions->Get(&context, request, &gone);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  google::rpc::ResourceInfo info;
  ASSERT_EQ(details.details_size(), 1);
  ASSERT_TRUE(details.details(0).UnpackTo(&info));
  EXPECT_EQ(info.resource_name(), name);
  EXPECT_NE(kill(static_cast<pid_t>(session.worker_pid()), 0), 0) << "its worker is gone";
  EXPECT_FALSE(std::filesystem::exists(data_.path() / name));
  EXPECT_EQ(erase(name).error_code(), grpc::StatusCode::NOT_FOUND);
  restart();
  EXPECT_THROW(get(*server_, name), std::runtime_error);
}

TEST_F(ServerControl, create_is_idempotent_by_request_id) {
  v1::CreateSessionRequest request = create_request(small_scene(), 5);
  request.set_request_id("one");
  const v1::Session first = create(*server_, request);
  restart();
  EXPECT_EQ(create(*server_, request).name(), first.name());
  request.mutable_session()->mutable_options()->set_frame_count(6);
  EXPECT_EQ(call(&v1::Sessions::Stub::Create, request).error_code(),
            grpc::StatusCode::ALREADY_EXISTS);
  request = create_request(small_scene(), 5);
  request.set_session_id("mine");
  EXPECT_EQ(create(*server_, request).name(), "sessions/mine");
  EXPECT_EQ(call(&v1::Sessions::Stub::Create, request).error_code(),
            grpc::StatusCode::ALREADY_EXISTS);
}

TEST_F(ServerControl, create_tells_every_bad_field_at_once) {
  v1::CreateSessionRequest request = create_request(small_scene(), 0);
  request.mutable_session()->set_frame_count(7);
  request.mutable_session()->mutable_options()->set_thread_count(100'000);
  request.mutable_session()->mutable_options()->mutable_lease()->set_nanos(5);
  request.set_session_id("A");
  request.mutable_scene()->mutable_fluids(0)->set_density(-1);
  request.mutable_scene()->mutable_cloths(0)->set_mesh("curtain.obj");
  const grpc::Status status = call(&v1::Sessions::Stub::Create, request);
  ASSERT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  google::rpc::Status details;
  google::rpc::BadRequest bad;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  ASSERT_TRUE(details.details(0).UnpackTo(&bad));
  std::set<std::string> fields;
  for (const auto& violation : bad.field_violations()) {
    fields.insert(violation.field());
    EXPECT_FALSE(violation.description().empty());
  }
  EXPECT_THAT(fields, testing::IsSupersetOf({"session.frame_count", "session.options.frame_count",
                                             "session.options.thread_count",
                                             "session.options.lease", "session_id",
                                             "scene.fluids[0].density", "scene.cloths[0].mesh"}));
}

TEST_F(ServerControl, lists_pages_newest_first) {
  std::vector<std::string> names;
  names.reserve(5);
  for (int i = 0; i < 5; ++i) {
    names.push_back(create(*server_, "", 1).name());
  }
  for (const std::string& name : names) {
    wait_for_state(*server_, name, v1::SESSION_STATE_SUCCEEDED);
  }
  restart();
  std::vector<std::string> listed;
  v1::ListSessionsRequest request;
  request.set_page_size(2);
  request.add_states(v1::SESSION_STATE_SUCCEEDED);
  do {
    grpc::ClientContext context;
    v1::ListSessionsResponse page;
    ASSERT_TRUE(server_->sessions->List(&context, request, &page).ok());
    EXPECT_LE(page.sessions_size(), 2);
    for (const v1::Session& session : page.sessions()) {
      listed.push_back(session.name());
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(listed, ElementsAre(names[4], names[3], names[2], names[1], names[0]));
  for (const std::string token : {"nonsense", "3.4.five!"}) {
    grpc::ClientContext context;
    v1::ListSessionsResponse page;
    request.set_page_token(token);
    EXPECT_EQ(server_->sessions->List(&context, request, &page).error_code(),
              grpc::StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(ServerControl, steering_is_recorded_and_replayed_after_a_kill) {
  const std::string name = create_paused("slow=5", 40);
  wait_for_frames(*server_, name, 1);
  ASSERT_TRUE(step(name, 12).ok());
  wait_for_state(*server_, name, v1::SESSION_STATE_PAUSED);
  std::int64_t first = 0;
  ASSERT_TRUE(steer_gravity(name, -1.5, &first).ok());
  EXPECT_EQ(first, 13);
  ASSERT_TRUE(steer_gravity(name, -2.5, &first).ok());
  EXPECT_EQ(first, 13);
  ASSERT_TRUE(step(name, 3).ok());
  wait_for_state(*server_, name, v1::SESSION_STATE_PAUSED);
  const FrameContents before = read_existing(*server_, name);
  // The checkpoint is of frame 10 or 12: frames 13 to 15 are computed again, with the commands, and
  // compared with the stored ones by the server.
  const v1::Session session = get(*server_, name);
  ASSERT_EQ(kill(static_cast<pid_t>(session.worker_pid()), SIGKILL), 0);
  (void)steer_gravity(name, -3.5, &first);  // May meet the dead worker.
  restart();
  ASSERT_TRUE(resume(name).ok());
  const v1::Session end = wait_until(*server_, name, [](const v1::Session& s) {
    return s.state() == v1::SESSION_STATE_SUCCEEDED || s.state() == v1::SESSION_STATE_FAILED;
  });
  EXPECT_EQ(end.state(), v1::SESSION_STATE_SUCCEEDED) << end.message();
  const FrameContents after = read_existing(*server_, name);
  EXPECT_EQ(after.size(), 41U);
  for (const auto& [index, content] : before) {
    EXPECT_EQ(after.at(index), content) << "frame " << index;
  }
  // The oracle that steering did something: a run without it differs from frame 13 on.
  const std::string plain = create(*server_, "slow=5", 14).name();
  wait_for_state(*server_, plain, v1::SESSION_STATE_SUCCEEDED);
  const FrameContents unsteered = read_existing(*server_, plain);
  EXPECT_EQ(unsteered.at(12), after.at(12));
  EXPECT_NE(unsteered.at(13), after.at(13));
}

TEST_F(ServerControl, steering_a_paused_session_without_worker_starts_one) {
  const std::string name = create(*server_, "slow=5", 60).name();
  wait_for_frames(*server_, name, 5);
  v1::Session paused;
  ASSERT_TRUE(pause(name, &paused).ok());
  restart();
  std::int64_t first = 0;
  ASSERT_TRUE(steer_gravity(name, -1, &first).ok());
  EXPECT_EQ(first, paused.frame_count());
  grpc::ClientContext context;
  v1::SteerSessionRequest request;
  request.set_name(name);
  request.mutable_command()->mutable_move_pin()->set_body("sheet");
  request.mutable_command()->mutable_move_pin()->set_pin("pin0");
  for (int i = 0; i < 3; ++i)
    request.mutable_command()->mutable_move_pin()->add_velocity(1);
  v1::SteerSessionResponse response;
  const grpc::Status refused = server_->sessions->Steer(&context, request, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("only gravity is in the script"));
  EXPECT_EQ(steer_gravity(name, 1e9, nullptr).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServerControl, lease_that_nobody_renews_pauses_the_session) {
  v1::CreateSessionRequest request = create_request(small_scene("slow=20"), 1000);
  request.mutable_session()->mutable_options()->mutable_lease()->set_seconds(3);
  const std::string name = create(*server_, request).name();
  for (int i = 0; i < 10; ++i) {  // Longer than the lease in all, each wait much shorter.
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    ASSERT_TRUE(call<v1::RenewLeaseRequest>(&v1::Sessions::Stub::RenewLease, name).ok());
  }
  EXPECT_EQ(get(*server_, name).state(), v1::SESSION_STATE_RUNNING);
  const v1::Session paused = wait_for_state(*server_, name, v1::SESSION_STATE_PAUSED);
  EXPECT_EQ(paused.reason(), v1::SESSION_REASON_LEASE_EXPIRED);
  const std::string without = create(*server_, "", 1).name();
  EXPECT_EQ(call<v1::RenewLeaseRequest>(&v1::Sessions::Stub::RenewLease, without).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(ServerControl, sessions_wait_for_a_place_and_paused_ones_give_theirs_up) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), {"--max-running-sessions", "1"});
  const std::string first = create(server, "slow=10", 1000).name();
  wait_for_frames(server, first, 2);
  const std::string second = create(server, "", 5).name();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const v1::Session waiting = get(server, second);
  EXPECT_EQ(waiting.state(), v1::SESSION_STATE_PENDING);
  EXPECT_EQ(waiting.reason(), v1::SESSION_REASON_QUEUED);
  grpc::ClientContext context;
  v1::PauseSessionRequest request;
  request.set_name(first);
  v1::Session paused;
  ASSERT_TRUE(server.sessions->Pause(&context, request, &paused).ok());
  wait_for_state(server, second, v1::SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(get(server, first).state(), v1::SESSION_STATE_PAUSED);
}

TEST_F(ServerControl, watch_shows_each_state_and_ends_with_the_session) {
  const std::string name = create_paused("slow=5", 6);
  wait_for_frames(*server_, name, 1);
  grpc::ClientContext context;
  v1::WatchSessionRequest request;
  request.set_name(name);
  const auto watch = server_->sessions->Watch(&context, request);
  v1::WatchSessionResponse event;
  ASSERT_TRUE(watch->Read(&event)) << "the session at once";
  EXPECT_EQ(event.session().state(), v1::SESSION_STATE_PAUSED);
  ASSERT_TRUE(resume(name).ok());
  std::vector<v1::SessionState> states;
  while (watch->Read(&event)) {
    if (states.empty() || states.back() != event.session().state()) {
      states.push_back(event.session().state());
    }
  }
  EXPECT_TRUE(watch->Finish().ok());
  ASSERT_FALSE(states.empty());
  EXPECT_EQ(states.back(), v1::SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(event.session().frame_count(), 7);
  EXPECT_EQ(event.statistics().substep_count(), 2);
}

}  // namespace
}  // namespace sluice::e2e::server_control_test
