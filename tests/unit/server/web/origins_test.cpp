// SPDX-License-Identifier: Apache-2.0
#include "server/web/origins.h"

#include <gtest/gtest.h>

namespace sluice::web {
namespace {

TEST(Origins, our_own_page_may_call) {
  const Origins origins({}, true);
  EXPECT_TRUE(origins.may_call("http://127.0.0.1:7781", "127.0.0.1:7781"));
  EXPECT_TRUE(origins.may_call("http://LOCALHOST:7781", "localhost:7781"));
  EXPECT_TRUE(origins.may_call("https://sim.example.org", "sim.example.org"))
      << "a proxy with TLS in front";
  EXPECT_TRUE(origins.may_call("", "127.0.0.1:7781")) << "no page of a browser";
}

TEST(Origins, pages_from_elsewhere_may_not) {
  const Origins origins({}, true);
  for (const char* origin :
       {"http://evil.example", "http://127.0.0.1", "http://127.0.0.1:7782", "null", "file://",
        "http://127.0.0.1:7781.evil.example", "127.0.0.1:7781"}) {
    EXPECT_FALSE(origins.may_call(origin, "127.0.0.1:7781")) << origin;
  }
  EXPECT_FALSE(origins.may_call("file://", ""));
}

TEST(Origins, those_on_the_list_may) {
  const Origins origins({"https://sim.example.org", "http://localhost:5173"}, true);
  EXPECT_TRUE(origins.may_call("https://sim.example.org", "127.0.0.1:7781"));
  EXPECT_TRUE(origins.may_call("https://SIM.example.org", "127.0.0.1:7781"));
  EXPECT_TRUE(origins.may_call("http://localhost:5173", "127.0.0.1:7781"));
  EXPECT_FALSE(origins.may_call("http://sim.example.org", "127.0.0.1:7781")) << "another scheme";
  EXPECT_FALSE(origins.may_call("https://sim.example.org:8443", "127.0.0.1:7781"));
  EXPECT_TRUE(Origins({"*"}, true).may_call("http://anywhere.example", "127.0.0.1:7781"));
}

TEST(Origins, a_loopback_server_answers_to_no_name_that_somebody_else_can_point_to_it) {
  const Origins origins({"https://sim.example.org:8443"}, true);
  for (const char* host : {"localhost", "localhost:7781", "127.0.0.1:7781", "[::1]:7781",
                           "192.168.1.2:80", "sim.example.org", "SIM.example.org:443"}) {
    EXPECT_TRUE(origins.answers_to(host)) << host;
  }
  for (const char* host : {"evil.example:7781", "evil.example", "127.0.0.1.evil.example",
                           "localhost.evil.example", "127.evil.example:7781"}) {
    EXPECT_FALSE(origins.answers_to(host)) << host;
  }
  EXPECT_TRUE(Origins({}, false).answers_to("any.example"));
}

TEST(Origins, knows_the_form_of_an_origin) {
  for (const char* text : {"*", "http://a", "https://a.b:1", "http://[::1]:80"}) {
    EXPECT_TRUE(Origins::is_origin(text)) << text;
  }
  for (const char* text : {"", "a", "a.b:80", "http://", "://a", "http://a/", "http://a/b"}) {
    EXPECT_FALSE(Origins::is_origin(text)) << text;
  }
}

}  // namespace
}  // namespace sluice::web
