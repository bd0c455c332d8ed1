// SPDX-License-Identifier: Apache-2.0
#include "server/api/status.h"

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace sluice::api {
namespace {

TEST(Status, carries_code_message_and_details) {
  const grpc::Status status =
      to_status(session::invalid_fields({{"a.b", "is wrong"}, {"c", "too"}}));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(details.message(), status.error_message());
  google::rpc::BadRequest bad;
  ASSERT_TRUE(details.details(0).UnpackTo(&bad));
  ASSERT_EQ(bad.field_violations_size(), 2);
  EXPECT_EQ(bad.field_violations(0).field(), "a.b");
  EXPECT_EQ(bad.field_violations(1).description(), "too");
}

TEST(Status, tells_as_many_problems_as_clients_take) {
  std::vector<session::FieldViolation> violations;
  for (int i = 0; i < 1000; ++i)
    violations.push_back({"fluids[" + std::to_string(i) + "].regions", std::string(80, 'x')});
  const grpc::Status status = to_status(session::invalid_fields(violations));
  EXPECT_LT(status.error_details().size() + status.error_message().size(), 6000U)
      << "gRPC's own limit is 8 KiB";
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  google::rpc::BadRequest bad;
  ASSERT_TRUE(details.details(0).UnpackTo(&bad));
  const int told = bad.field_violations_size() - 1;
  ASSERT_GT(told, 30);
  EXPECT_EQ(bad.field_violations(told - 1).field(),
            violations[static_cast<std::size_t>(told) - 1].field);
  EXPECT_EQ(bad.field_violations(told).description(),
            "and " + std::to_string(1000 - told) + " more: mend these first");
}

TEST(Status, retryable_errors_say_when) {
  const grpc::Status status = to_status(session::server_stopping());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(details.details(0).UnpackTo(&retry));
  EXPECT_EQ(retry.retry_delay().seconds(), 1);
}

TEST(Status, no_error_has_an_empty_message) {
  for (const session::Error& error :
       {session::session_not_found("sessions/x"), session::asset_not_found("assets/x"),
        session::stream_not_found(""), session::session_exists(""), session::request_id_reused(""),
        session::wrong_state("", "", ""), session::no_lease(""), session::no_frames_yet(""),
        session::frame_out_of_range("", 1, 0, 0), session::frame_out_of_range("", 9, 0, 5),
        session::epoch_out_of_range("", 1, 0), session::limit_reached("", 0, ""),
        session::worker_lost(""), session::bad_token(), session::session_has_worker("")}) {
    const grpc::Status status = to_status(error);
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(status.error_message().empty());
  }
}

}  // namespace
}  // namespace sluice::api
