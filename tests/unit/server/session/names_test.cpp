// SPDX-License-Identifier: Apache-2.0
// Oracle: sessions.proto, CreateSessionRequest.session_id.
#include "server/session/names.h"

#include <gtest/gtest.h>

namespace sluice::session {
namespace {

TEST(Names, session_names_are_read_back_and_nothing_else_is) {
  EXPECT_EQ(session_id_of(session_name("dam-break-2")), "dam-break-2");
  for (const char* const bad :
       {"", "sessions/", "sessions/abc", "sessions/Abcd", "sessions/1abc", "sessions/a/b/c/d",
        "sessions/../etc", "session/abcd", "sessions/abc_d"}) {
    EXPECT_FALSE(session_id_of(bad)) << bad;
  }
  EXPECT_TRUE(is_valid_session_id("a" + std::string(62, '0')));
  EXPECT_FALSE(is_valid_session_id("a" + std::string(63, '0')));
}

TEST(Names, random_ones_are_valid_and_differ) {
  EXPECT_TRUE(is_valid_session_id(new_session_id()));
  EXPECT_EQ(random_hex(33).size(), 33U);
  EXPECT_NE(random_hex(32), random_hex(32));
}

}  // namespace
}  // namespace sluice::session
