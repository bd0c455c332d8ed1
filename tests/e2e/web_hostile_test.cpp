// SPDX-License-Identifier: Apache-2.0
// Requests that are broken, lie or never end, on real sockets. What counts: the server answers as
// HTTP says or closes, in bounded time, and goes on for everybody else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/write.hpp>
#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <random>
#include <thread>
#include <tuple>

#include "tests/e2e/server_process.h"
#include "tests/e2e/web_client.h"

namespace sluice::e2e::web_hostile_test {
namespace {

namespace http = boost::beast::http;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view call_lines =
    "Host: localhost\r\nContent-Type: application/grpc-web+proto\r\n";

std::string post(std::string_view lines, std::string_view body) {
  return "POST /sluice.v1.Server/GetInfo HTTP/1.1\r\n" + std::string(call_lines) +
         std::string(lines) + "\r\n" + std::string(body);
}

class HostileRequests : public testing::Test {
 protected:
  [[nodiscard]] int port() const { return server_.web_port(); }

  /// What comes back until the server closes; the client sends no more after `request`.
  std::string answer_to(std::string_view request) {
    WebConnection connection(port());
    boost::system::error_code ignored;  // It may close before it has read everything.
    boost::asio::write(connection.socket(), boost::asio::buffer(request), ignored);
    std::ignore =
        connection.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    return connection.read_to_end();
  }

  void TearDown() override {
    EXPECT_EQ(fetch(port(), "/healthz").body(), "serving\n");
    // A call that was cut off ends a moment after its connection.
    const auto deadline = std::chrono::steady_clock::now() + seconds(10);
    std::string metrics;
    do {
      metrics = fetch(port(), "/metrics").body();
    } while (metrics.find("sluice_grpc_web_calls_open 0\n") == std::string::npos &&
             std::chrono::steady_clock::now() < deadline);
    EXPECT_THAT(metrics, HasSubstr("sluice_grpc_web_calls_open 0\n"));
  }

  TemporaryDirectory data_;
  ServerProcess server_{data_.path()};
};

TEST_F(HostileRequests, broken_heads_are_refused) {
  const std::string long_line(20'000, 'x');
  const std::pair<std::string, const char*> requests[] = {
      {"GARBAGE\r\n\r\n", "HTTP/1.1 400"},
      {std::string("\0\1\2\3\r\n\r\n", 8), "HTTP/1.1 400"},
      {"\x16\x03\x01\x02\x00\x01\r\n\r\n", "HTTP/1.1 400"},  // The start of TLS.
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 400"},  // The start of HTTP/2.
      {"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", "HTTP/1.1 400"},
      {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400"},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "HTTP/1.1 400"},
      {"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 400"},
      {"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", "HTTP/1.1 400"},
      {"GET / HTTP/1.1\r\nHost: local\x01host\r\n\r\n", "HTTP/1.1 400"},
      {"GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n", "HTTP/1.1"},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + long_line + "\r\n\r\n", "HTTP/1.1 431"},
      {"GET /" + long_line + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 431"},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 400"},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       "HTTP/1.1 400"},
  };
  for (const auto& [request, expected] : requests) {
    EXPECT_THAT(answer_to(request), StartsWith(expected)) << request.substr(0, 100);
  }
}

TEST_F(HostileRequests, lying_lengths_are_refused) {
  const std::string empty_message(5, '\0');
  const std::pair<std::string, const char*> requests[] = {
      {post("Content-Length: -1\r\n", ""), "HTTP/1.1 400"},
      {post("Content-Length: 5x\r\n", empty_message), "HTTP/1.1 400"},
      {post("Content-Length: 99999999999999999999999\r\n", ""), "HTTP/1.1 400"},
      {post("Content-Length: 5\r\nContent-Length: 6\r\n", empty_message), "HTTP/1.1 400"},
      {post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", empty_message), "HTTP/1.1 400"},
      {post("Transfer-Encoding: chunked\r\n", "zz\r\nhello\r\n0\r\n\r\n"), "HTTP/1.1 400"},
      {post("Transfer-Encoding: chunked\r\n", "ffffffffffffffffff\r\n"), "HTTP/1.1 400"},
      {post("Transfer-Encoding: chunked\r\n", "5\r\nhelloworld\r\n0\r\n\r\n"), "HTTP/1.1 400"},
  };
  for (const auto& [request, expected] : requests) {
    EXPECT_THAT(answer_to(request), StartsWith(expected)) << request;
  }
  // Larger than any message may be: said so as gRPC does.
  for (const char* lines :
       {"Content-Length: 9223372036854775807\r\n", "Content-Length: 33554438\r\n"}) {
    EXPECT_THAT(answer_to(post(lines, "")), HasSubstr("grpc-status: 8\r\n")) << lines;
  }
  EXPECT_THAT(answer_to(post("Transfer-Encoding: chunked\r\n", "7fffffff\r\nx")),
              HasSubstr("grpc-status: 8\r\n"));
}

TEST_F(HostileRequests, truncated_bodies_are_dropped) {
  for (const std::string& request :
       {post("Content-Length: 1000\r\n", "short"), post("Content-Length: 1000\r\n", ""),
        post("Transfer-Encoding: chunked\r\n", "5\r\nhel"),
        post("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n"), std::string("GET / HT"),
        std::string("GET / HTTP/1.1\r\nHost: loc")}) {
    EXPECT_EQ(answer_to(request), "") << request;
  }
}

TEST_F(HostileRequests, bodies_that_are_no_message_are_refused) {
  using namespace std::string_literals;
  const std::pair<std::string, int> bodies[] = {
      {"", 3},
      {"\0\0\0\0"s, 3},
      {"\0\0\0\0\5abc"s, 3},
      {"\0\0\0\0\0abc"s, 3},
      {"hello world"s, 3},
      {"\x80\0\0\0\0"s, 3},
      {"\1\0\0\0\0"s, 12},
      {"\0\xff\xff\xff\xff"s, 3},
      // A message of a length that is right, which protobuf cannot read.
      {"\0\0\0\0\3\xff\xff\xff"s, 3},
  };
  for (const auto& [body, code] : bodies) {
    const std::string answer =
        answer_to(post("Content-Length: " + std::to_string(body.size()) + "\r\n", body));
    if (answer.find("grpc-status") == std::string::npos) {
      EXPECT_EQ(answer, "") << "the peer had ended its side before the service answered";
    } else {
      EXPECT_THAT(answer, HasSubstr("grpc-status: " + std::to_string(code) + "\r\n")) << answer;
    }
  }
}

TEST_F(HostileRequests, fields_that_grpc_would_die_of_are_refused) {
  for (const char* lines :
       {"authorization: \x80\xff\r\n", "x-request-id: a\tb\r\n", "traceparent: \xc3\xa4\r\n",
        "grpc-timeout: forever\r\n", "grpc-timeout: -1S\r\n", "grpc-timeout:\r\n"}) {
    WebCall call(port(), "Server/GetInfo", v1::GetServerInfoRequest(), lines);
    EXPECT_EQ(call.finish().code, grpc::StatusCode::INVALID_ARGUMENT) << lines;
  }
  v1::ServerInfo info;
  EXPECT_EQ(call(port(), "Server/GetInfo", v1::GetServerInfoRequest(), info,
                 "authorization: Bearer x\r\nauthorization: twice\r\nCookie: \x80\r\n"
                 "grpc-timeout: 99999999H\r\n")
                .code,
            0);
}

TEST_F(HostileRequests, other_kinds_of_call_are_refused) {
  const auto status = [&](std::string_view path, std::string_view type) {
    WebConnection connection(port());
    connection.send("POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
                    std::string(type) + "\r\nContent-Length: 2\r\n\r\n{}");
    return connection.read_response().result_int();
  };
  // What a form or a script can send without leave (a "simple request") is never a call.
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                           "application/json", "application/grpc", "application/grpc-web-text"}) {
    EXPECT_EQ(status("/sluice.v1.Server/GetInfo", type), 415U) << type;
  }
  for (const char* path : {"/", "/a", "/a/b/c", "/a/../b", "/sluice.v1.Server/Get%49nfo"}) {
    EXPECT_EQ(status(path, "application/grpc-web+proto"), 404U) << path;
  }
}

TEST_F(HostileRequests, garbage_of_any_kind_is_survived) {
  std::mt19937 random(7);
  const std::string good = call_request("Server/GetInfo", v1::GetServerInfoRequest());
  for (int i = 0; i < 300; ++i) {
    std::string bytes = i % 2 == 0 ? good : std::string(random() % 3000, '\0');
    const unsigned changes = i % 2 == 0 ? 1 + random() % 8 : static_cast<unsigned>(bytes.size());
    for (unsigned change = 0; change < changes; ++change) {
      bytes[i % 2 == 0 ? random() % bytes.size() : change] = static_cast<char>(random());
    }
    answer_to(bytes);
  }
}

TEST_F(HostileRequests, requests_sent_ahead_are_answered_in_order) {
  WebConnection connection(port());
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many += get_request(i % 2 == 0 ? "/healthz" : "/missing.txt");
  }
  connection.send(many);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(connection.read_response().result_int(), i % 2 == 0 ? 200U : 404U) << i;
  }
}

TEST_F(HostileRequests, who_sends_too_far_ahead_of_a_stream_is_cut_off) {
  v1::StreamFramesRequest request;
  request.set_session(create(server_, "slow=20", 100'000).name());
  const std::string ahead(1 << 20, 'x');
  WebCall call(port(), "Frames/Stream", request);
  ASSERT_TRUE(call.read_bytes());
  EXPECT_ANY_THROW({
    call.connection().send(ahead);
    call.connection().send(ahead);
    call.finish();
  });
  WebConnection at_once(port());
  EXPECT_ANY_THROW({
    at_once.send(call_request("Frames/Stream", request) + ahead);
    at_once.send(ahead);
    at_once.send(ahead);
    at_once.read_response();
  });
}

TEST(HostileConnections, are_no_more_than_allowed_and_none_stays_for_ever) {
  const TemporaryDirectory data;
  const ServerProcess server(data.path(), {"--max-web-connections", "4"});
  const int port = server.web_port();
  // Slow ones of every kind, at the same time: nothing at all, a head and a body a byte at a time.
  const std::string trickled = post("Content-Length: 1000000\r\n", "");
  auto silent = std::make_unique<WebConnection>(port);
  auto head = std::make_unique<WebConnection>(port);
  auto body = std::make_unique<WebConnection>(port);
  body->send(trickled);
  auto idle = std::make_unique<WebConnection>(port);
  idle->send(get_request("/healthz"));
  EXPECT_EQ(idle->read_response().result_int(), 200U);

  WebConnection one_too_many(port);
  EXPECT_THAT(one_too_many.read_to_end(), StartsWith("HTTP/1.1 503"));

  const auto closed = [](std::unique_ptr<WebConnection>& connection, std::string_view drip) {
    return std::async(std::launch::async,
                      [&connection, drip] { return connection->time_until_closed(drip); });
  };
  auto silent_closed = closed(silent, "");
  auto head_closed = closed(head, "X-Slow: 1\r\n");
  auto body_closed = closed(body, "x");
  EXPECT_LT(silent_closed.get(), seconds(15));
  EXPECT_LT(head_closed.get(), seconds(15));
  EXPECT_LT(body_closed.get(), seconds(30));
  EXPECT_EQ(fetch(port, "/healthz").result_int(), 200U);
}

}  // namespace
}  // namespace sluice::e2e::web_hostile_test
