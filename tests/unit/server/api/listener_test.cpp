// SPDX-License-Identifier: Apache-2.0
#include "server/api/listener.h"

#include <gtest/gtest.h>

namespace sluice::api {
namespace {

TEST(Listener, reads_addresses_and_refuses_the_rest) {
  const auto loopback = parse_listen_address("127.0.0.1:0");
  ASSERT_TRUE(loopback);
  EXPECT_TRUE(loopback->is_local());
  EXPECT_EQ(loopback->in_words(41), "127.0.0.1:41");
  const auto six = parse_listen_address("[::1]:7780");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->port, 7780);
  EXPECT_TRUE(six->is_local());
  EXPECT_FALSE(parse_listen_address("0.0.0.0:7780")->is_local());
  EXPECT_FALSE(parse_listen_address("[::]:7780")->is_local());
  const auto socket = parse_listen_address("unix:/run/api.sock");
  ASSERT_TRUE(socket);
  EXPECT_TRUE(socket->is_unix());
  EXPECT_EQ(socket->in_words(1), "unix:/run/api.sock");
  for (const std::string bad : {"", "7780", ":7780", "::1:7780", "host:", "host:x", "host:65536",
                                "host:-1", "host:1x", "unix:"}) {
    EXPECT_FALSE(parse_listen_address(bad)) << bad;
  }
  EXPECT_FALSE(parse_listen_address("unix:/" + std::string(107, 'x'))) << "sun_path has 108 bytes";
}

}  // namespace
}  // namespace sluice::api
