// SPDX-License-Identifier: Apache-2.0
#include "sluice/connection.h"

#include <gtest/gtest.h>

#include <thread>

#include "sluice/error.h"
#include "sluice/session.h"
#include "tests/unit/client/lib/fake_server.h"

namespace sluice::client {
namespace {

grpc::Status two_violations() {
  google::rpc::BadRequest bad;
  auto* first = bad.add_field_violations();
  first->set_field("scene.cloths[0].mesh");
  first->set_description("no such asset");
  auto* second = bad.add_field_violations();
  second->set_field("scene.domain.upper");
  second->set_description("must be larger than lower");
  google::rpc::Status details;
  details.set_code(3);
  details.add_details()->PackFrom(google::rpc::RetryInfo());
  details.add_details()->PackFrom(bad);
  return {grpc::StatusCode::INVALID_ARGUMENT, "2 problems", details.SerializeAsString()};
}

TEST(Connection, decodes_every_field_violation) {
  FakeServer server;
  server.create = [](const v1::CreateSessionRequest&, v1::Session&) { return two_violations(); };
  try {
    (void)create_session(Connection(server.address()), v1::Scene());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    EXPECT_STREQ(error.what(), "2 problems");
    ASSERT_EQ(error.violations().size(), 2U);
    EXPECT_EQ(error.violations()[1].field, "scene.domain.upper");
    EXPECT_EQ(error.violations()[1].description, "must be larger than lower");
  }
}

TEST(Connection, survives_details_that_are_none) {
  FakeServer server;
  server.get = [](const v1::GetSessionRequest&, v1::Session&) {
    return grpc::Status(grpc::StatusCode::INTERNAL, "", "\xff\xff garbage");
  };
  try {
    (void)get_session(Connection(server.address()), "sessions/a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_STRNE(error.what(), "");
  }
}

TEST(Connection, says_which_server_is_not_there) {
  try {
    (void)get_session(Connection("127.0.0.1:1"), "sessions/a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_NE(std::string(error.what()).find("127.0.0.1:1"), std::string::npos);
  }
  EXPECT_THROW(Connection(""), Error);
}

// Symptom: "server at ... is not available" where the server had said what was not.
TEST(Connection, repeats_what_a_server_says_that_is_there) {
  FakeServer server;
  server.get = [](const v1::GetSessionRequest&, v1::Session&) {
    google::rpc::Status details;
    details.add_details()->PackFrom(google::rpc::RetryInfo());
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the worker went away: try again",
                        details.SerializeAsString());
  };
  try {
    (void)get_session(Connection(server.address()), "sessions/a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_STREQ(error.what(), "the worker went away: try again");
  }
}

TEST(Connection, gives_up_at_the_deadline) {
  FakeServer server;
  server.get = [](const v1::GetSessionRequest&, v1::Session&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return grpc::Status::OK;
  };
  const Connection connection(server.address(), {.deadline = std::chrono::milliseconds(50)});
  try {
    (void)get_session(connection, "sessions/a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::deadline_exceeded);
  }
}

TEST(CreateSession, tries_again_with_the_same_request_id) {
  FakeServer server;
  std::vector<std::string> ids;
  server.create = [&](const v1::CreateSessionRequest& in, v1::Session& out) {
    ids.push_back(in.request_id());
    EXPECT_EQ(in.session().options().frame_count(), 5);
    EXPECT_EQ(in.session_id(), "mine");
    out.set_name("sessions/mine");
    return ids.size() < 3 ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "stopping")
                          : grpc::Status::OK;
  };
  CreateOptions options;
  options.session_id = "mine";
  options.run.set_frame_count(5);
  EXPECT_EQ(create_session(Connection(server.address()), v1::Scene(), options).name(),
            "sessions/mine");
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_EQ(ids[0].size(), 36U);
  EXPECT_EQ(ids[0], ids[2]);
}

TEST(ListSessions, reads_every_page) {
  FakeServer server;
  server.list = [](const v1::ListSessionsRequest& in, v1::ListSessionsResponse& out) {
    EXPECT_EQ(in.states(0), v1::SESSION_STATE_RUNNING);
    out.add_sessions()->set_name("sessions/" + in.page_token() + "x");
    out.set_next_page_token(in.page_token().size() < 3 ? in.page_token() + "x" : "");
    return grpc::Status::OK;
  };
  const auto sessions = list_sessions(Connection(server.address()), {v1::SESSION_STATE_RUNNING});
  ASSERT_EQ(sessions.size(), 4U);
  EXPECT_EQ(sessions[3].name(), "sessions/xxxx");
}

}  // namespace
}  // namespace sluice::client
