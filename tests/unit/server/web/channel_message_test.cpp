// SPDX-License-Identifier: Apache-2.0
#include "server/web/channel_message.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::web {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(ChannelMessage, a_request_has_an_id_a_path_and_a_message) {
  const std::string bytes = "\0\1\2\3\4/a/bxyz"s;
  const auto request = read_channel_request(bytes);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, 0x010203U);
  EXPECT_EQ(request->path, "/a/b");
  EXPECT_EQ(request->message, "xyz");
}

TEST(ChannelMessage, an_empty_message_is_a_request_too) {
  const auto request = read_channel_request("\0\0\0\1\4/a/b"sv);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/a/b");
  EXPECT_EQ(request->message, "");
}

TEST(ChannelMessage, an_id_alone_cancels) {
  const auto request = read_channel_request("\xff\xff\xff\xff"sv);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, 0xffffffffU);
  EXPECT_TRUE(request->path.empty());
}

TEST(ChannelMessage, what_is_cut_off_or_names_no_method_is_no_request) {
  for (const std::string_view bytes :
       {""sv, "\0\0\0"sv, "\0\0\0\1\0"sv, "\0\0\0\1\5/a/b"sv, "\0\0\0\1\4a//b"sv,
        "\0\0\0\1\4/../"sv, "\0\0\0\1\xff/a/b"sv}) {
    EXPECT_FALSE(read_channel_request(bytes)) << bytes.size();
  }
}

TEST(ChannelMessage, the_id_stands_before_the_answer_as_in_the_request) {
  const auto prefix = channel_prefix(0x01020304);
  EXPECT_EQ(read_channel_request({prefix.data(), prefix.size()})->id, 0x01020304U);
}

}  // namespace
}  // namespace sluice::web
