// SPDX-License-Identifier: Apache-2.0
// Oracles: the texts of PROTOCOL-WEB.md and PROTOCOL-HTTP2.md (grpc/grpc, doc), RFC 4648
// section 10.
#include "server/web/grpc_web.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::web {
namespace {

using namespace std::chrono_literals;
using grpc::StatusCode;
using testing::HasSubstr;

std::string framed(std::string_view prefix, std::string_view message) {
  return std::string(prefix) + std::string(message);
}

StatusCode error_of(std::string_view body) {
  const auto read = read_message(body);
  const auto* status = std::get_if<grpc::Status>(&read);
  return status == nullptr ? StatusCode::OK : status->error_code();
}

TEST(GrpcWeb, reads_the_one_message_of_a_request_without_copying) {
  const std::string body = framed({"\0\0\0\0\3", 5}, "abc");
  const auto read = read_message(body);
  const auto message = std::get<std::string_view>(read);
  EXPECT_EQ(message, "abc");
  EXPECT_EQ(message.data(), body.data() + 5);
}

TEST(GrpcWeb, an_empty_message_is_a_message) {
  const std::string body({"\0\0\0\0\0", 5});
  EXPECT_EQ(std::get<std::string_view>(read_message(body)), "");
}

TEST(GrpcWeb, refuses_what_is_not_one_message) {
  EXPECT_EQ(error_of(""), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error_of({"\0\0\0\0", 4}), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error_of(framed({"\0\0\0\0\4", 5}, "abc")), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error_of(framed({"\0\0\0\0\2", 5}, "abc")), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error_of(framed({"\0\xff\xff\xff\xff", 5}, "abc")), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error_of(framed({"\x80\0\0\0\3", 5}, "abc")), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error_of(framed({"\2\0\0\0\3", 5}, "abc")), StatusCode::INVALID_ARGUMENT);
  // Two messages are a stream from the client, which gRPC-Web does not have.
  EXPECT_EQ(error_of(std::string(10, '\0')), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error_of(framed({"\1\0\0\0\3", 5}, "abc")), StatusCode::UNIMPLEMENTED);
}

TEST(GrpcWeb, prefixes_are_big_endian) {
  EXPECT_EQ(message_prefix(0x01020304), (FramePrefix{0, 1, 2, 3, 4}));
  EXPECT_EQ(message_prefix(0xffffffff), (FramePrefix{0, -1, -1, -1, -1}));
}

TEST(GrpcWeb, a_status_is_the_last_frame) {
  EXPECT_EQ(trailer_frame(grpc::Status::OK), framed({"\x80\0\0\0\x10", 5}, "grpc-status: 0\r\n"));
  const std::string lines = status_lines({StatusCode::NOT_FOUND, "no\r\nsuch 100%", "\1\2"});
  EXPECT_EQ(lines,
            "grpc-status: 5\r\ngrpc-message: no%0D%0Asuch 100%25\r\n"
            "grpc-status-details-bin: AQI\r\n");
}

TEST(GrpcWeb, base64_is_that_of_the_rfc_without_padding) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg");
  EXPECT_EQ(base64("fo"), "Zm8");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xef"), "/+8");
}

TEST(GrpcWeb, timeouts_have_a_unit) {
  EXPECT_EQ(parse_timeout("2H"), 2h);
  EXPECT_EQ(parse_timeout("3M"), 3min);
  EXPECT_EQ(parse_timeout("4S"), 4s);
  EXPECT_EQ(parse_timeout("5m"), 5ms);
  EXPECT_EQ(parse_timeout("6u"), 6us);
  EXPECT_EQ(parse_timeout("99999999n"), 99'999'999ns);
  EXPECT_EQ(parse_timeout("0S"), 0s);
  for (const char* longest : {"99999999H", "99999999M"}) {
    EXPECT_EQ(parse_timeout(longest), 8760h) << longest;
  }
}

TEST(GrpcWeb, refuses_what_is_no_timeout) {
  for (const char* text : {"", "S", "1", "1s", "1h", "-1S", "+1S", " 1S", "1 S", "1.5S",
                           "100000000S", "1SS", "0x1S"}) {
    EXPECT_EQ(parse_timeout(text), std::nullopt) << text;
  }
}

TEST(GrpcWeb, knows_its_content_types) {
  EXPECT_TRUE(is_grpc_web("application/grpc-web+proto"));
  EXPECT_TRUE(is_grpc_web("application/grpc-web"));
  EXPECT_TRUE(is_grpc_web("application/grpc-web+proto; charset=utf-8"));
  for (const char* type : {"", "text/plain", "application/grpc", "application/grpc-web-text",
                           "application/grpc-web+json", "application/json"}) {
    EXPECT_FALSE(is_grpc_web(type)) << type;
  }
}

TEST(GrpcWeb, knows_the_form_of_a_method) {
  EXPECT_TRUE(is_method("/sluice.v1.Frames/Stream"));
  for (const char* path : {"", "/", "//", "/a", "/a/", "//b", "a/b", "/a/b/c", "/a/b?c", "/a/b%20",
                           "/a b/c", "/a/\xc3\xa4"}) {
    EXPECT_FALSE(is_method(path)) << path;
  }
}

TEST(GrpcWeb, metadata_is_printable_ascii) {
  EXPECT_TRUE(is_metadata_value(" Bearer ~"));
  for (const char* value : {"\t", "\x7f", "\x80", "a\nb"}) {
    EXPECT_FALSE(is_metadata_value(value)) << value;
  }
}

}  // namespace
}  // namespace sluice::web
