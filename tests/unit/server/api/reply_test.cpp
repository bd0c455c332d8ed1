// SPDX-License-Identifier: Apache-2.0
#include "server/api/reply.h"

#include <gtest/gtest.h>

namespace sluice::api {
namespace {

// Symptom: one call that asked for too much ended the server, and with it every session's worker.
TEST(AnswerOf, turns_missing_memory_into_an_error) {
  auto greedy = []() -> session::Result<int> { throw std::bad_alloc(); };
  const auto refused = answer_of<int>(greedy);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, session::ErrorKind::resource_exhausted);
  EXPECT_NE(refused.error().message, "");
  auto modest = []() -> session::Result<int> { return 7; };
  EXPECT_EQ(*answer_of<int>(modest), 7);
}

}  // namespace
}  // namespace sluice::api
