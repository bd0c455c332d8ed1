// SPDX-License-Identifier: Apache-2.0
// Oracle: the ranges that sessions.proto documents.
#include "server/api/command_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/server/api/refused_fields.h"

namespace sluice::api {
namespace {

v1::CreateSessionRequest with_gravity_at(std::initializer_list<std::int64_t> frames) {
  v1::CreateSessionRequest request;
  for (const std::int64_t frame : frames) {
    v1::RecordedCommand& recorded = *request.add_recorded_commands();
    recorded.set_frame_index(frame);
    for (const double component : {0.0, 0.0, -1.0})
      recorded.mutable_command()->mutable_set_gravity()->add_gravity(component);
  }
  return request;
}

TEST(CommandChecks, takes_commands_in_the_order_of_their_frames) {
  Violations violations;
  check_recorded_commands(with_gravity_at({1, 1, 7, 10}), 10, violations);
  EXPECT_TRUE(violations.empty());
}

TEST(CommandChecks, tells_every_frame_out_of_place_and_every_bad_value) {
  v1::CreateSessionRequest request = with_gravity_at({0, 5, 4, 11});
  request.mutable_recorded_commands(1)->mutable_command()->mutable_set_gravity()->set_gravity(2,
                                                                                              5000);
  request.add_recorded_commands()->set_frame_index(10);
  Violations violations;
  check_recorded_commands(request, 10, violations);
  ASSERT_FALSE(violations.empty());
  EXPECT_THAT(
      fields_of(std::move(violations).error()),
      testing::ElementsAre("recorded_commands[0].frame_index",
                           "recorded_commands[1].command.set_gravity.gravity[2]",
                           "recorded_commands[2].frame_index", "recorded_commands[3].frame_index",
                           "recorded_commands[4].frame_index", "recorded_commands[4].command"));
}

TEST(CommandChecks, refuses_more_commands_than_are_allowed) {
  v1::CreateSessionRequest request;
  for (int i = 0; i <= session::max_recorded_commands; ++i)
    request.add_recorded_commands();
  Violations violations;
  check_recorded_commands(request, 10, violations);
  EXPECT_THAT(fields_of(std::move(violations).error()), testing::ElementsAre("recorded_commands"));
}

TEST(CommandChecks, gives_back_the_cursor_of_its_tokens) {
  v1::ListCommandsRequest request;
  request.set_name("sessions/dam-break");
  const auto first = check_list_commands(request);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->session_id, "dam-break");
  EXPECT_EQ(first->page_size, 1000);
  request.set_page_token(command_page_token({12, 345}));
  const auto next = check_list_commands(request);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->after.frame_index, 12);
  EXPECT_EQ(next->after.sequence, 345);
  for (const char* const bad : {"x", "1", "1.", ".1", "1.2.", "1.2x"}) {
    request.set_page_token(bad);
    EXPECT_FALSE(check_list_commands(request)) << bad;
  }
  request.set_name("dam-break");
  request.set_page_size(10'001);
  EXPECT_THAT(fields_of(check_list_commands(request).error()),
              testing::ElementsAre("name", "page_size", "page_token"));
}

}  // namespace
}  // namespace sluice::api
