// SPDX-License-Identifier: Apache-2.0
// Calls over a WebSocket (server/web/channel_message.h) on a real server: what a browser's tab
// makes of it, and what somebody hostile could. The oracle is the same call over gRPC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "tests/e2e/server_process.h"
#include "tests/e2e/web_client.h"

namespace sluice::e2e::web_channel_test {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

std::string id_bytes(std::uint32_t id) {
  return {static_cast<char>(id >> 24 & 0xff), static_cast<char>(id >> 16 & 0xff),
          static_cast<char>(id >> 8 & 0xff), static_cast<char>(id & 0xff)};
}

std::string request_bytes(std::uint32_t id, const std::string& method,
                          const google::protobuf::MessageLite& message) {
  const std::string path = "/sluice.v1." + method;
  return id_bytes(id) + static_cast<char>(path.size()) + path + message.SerializeAsString();
}

/// An answer of the channel, taken apart.
struct Answer {
  std::uint32_t id = 0;
  bool is_status = false;
  std::string content;  ///< A message's bytes, or the lines of a status.
};

/// A channel, as a page opens it.
class Channel {
 public:
  explicit Channel(int port, const std::string& origin = {},
                   const std::string& protocol = "sluice.calls.v1")
      : connection_(port), socket_(connection_.socket()) {
    socket_.set_option(websocket::stream_base::decorator([&](websocket::request_type& request) {
      request.set(beast::http::field::sec_websocket_protocol, protocol);
      if (!origin.empty()) {
        request.set(beast::http::field::origin, origin);
      }
    }));
    socket_.binary(true);
    socket_.handshake(response_, "127.0.0.1:" + std::to_string(port), "/calls", error_);
  }

  [[nodiscard]] unsigned http_status() const { return response_.result_int(); }
  [[nodiscard]] bool is_open() const { return !error_; }
  void send(const std::string& bytes) { socket_.write(boost::asio::buffer(bytes)); }
  void send_text(const std::string& text) {
    socket_.text(true);
    send(text);
  }

  Answer read() {
    beast::flat_buffer buffer;
    socket_.read(buffer);
    const std::string bytes = beast::buffers_to_string(buffer.data());
    EXPECT_GE(bytes.size(), 9U);
    Answer answer;
    for (std::size_t i = 0; i < 4; ++i) {
      answer.id = answer.id << 8 | static_cast<unsigned char>(bytes[i]);
    }
    answer.is_status = (static_cast<unsigned char>(bytes[4]) & 0x80) != 0;
    answer.content = bytes.substr(9);
    return answer;
  }

  /// The code with which the server closes the channel; whatever it answers before is dropped.
  unsigned close_code() {
    beast::error_code error;
    while (!error) {
      beast::flat_buffer buffer;
      socket_.read(buffer, error);
    }
    return socket_.reason().code;
  }

  boost::asio::ip::tcp::socket& tcp() { return connection_.socket(); }

 private:
  WebConnection connection_;
  websocket::stream<boost::asio::ip::tcp::socket&> socket_;
  websocket::response_type response_;
  beast::error_code error_;
};

class WebChannel : public testing::Test {
 protected:
  [[nodiscard]] int port() const { return server_.web_port(); }

  std::string metric(const std::string& name) {
    const std::string text = fetch(port(), "/metrics").body();
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos ? "none" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  }
  /// Waits for what ends a moment after its connection.
  void expect_metric(const std::string& line) {
    const std::string name = line.substr(0, line.find(' '));
    const auto end = steady_clock::now() + seconds(20);
    while (metric(name) != line && steady_clock::now() < end) {
      wait_a_little();
    }
    EXPECT_EQ(metric(name), line);
  }

  TemporaryDirectory data_;
  ServerProcess server_{data_.path()};
};

v1::StreamFramesRequest stream_of(const std::string& session, bool existing_only) {
  v1::StreamFramesRequest request;
  request.set_session(session);
  request.set_existing_only(existing_only);
  return request;
}

TEST_F(WebChannel, calls_side_by_side_carry_the_messages_of_grpc) {
  const std::string name = create(server_, "", 20).name();
  wait_for_state(server_, name, v1::SESSION_STATE_SUCCEEDED);
  const v1::StreamFramesRequest request = stream_of(name, true);
  grpc::ClientContext context;
  const auto reader = server_.frames->Stream(&context, request);
  std::vector<std::string> expected;
  for (v1::StreamFramesResponse message; reader->Read(&message);) {
    if (!message.has_start()) {  // Each stream has a name of its own.
      expected.push_back(message.SerializeAsString());
    }
  }
  Channel channel(port());
  ASSERT_TRUE(channel.is_open());
  constexpr std::uint32_t streams = 4;
  for (std::uint32_t id = 1; id <= streams; ++id) {
    channel.send(request_bytes(id, "Frames/Stream", request));
  }
  channel.send(request_bytes(streams + 1, "Server/GetInfo", v1::GetServerInfoRequest()));
  channel.send(request_bytes(streams + 2, "Sessions/Get", v1::GetSessionRequest()));
  std::map<std::uint32_t, std::vector<std::string>> messages;
  std::map<std::uint32_t, std::string> statuses;
  while (statuses.size() < streams + 2) {
    const Answer answer = channel.read();
    if (answer.is_status) {
      statuses[answer.id] = answer.content;
    } else {
      messages[answer.id].push_back(answer.content);
    }
  }
  for (std::uint32_t id = 1; id <= streams; ++id) {
    ASSERT_FALSE(messages[id].empty());
    messages[id].erase(messages[id].begin());
    EXPECT_EQ(messages[id], expected);
    EXPECT_THAT(statuses[id], HasSubstr("grpc-status: 0\r\n"));
  }
  v1::ServerInfo info;
  ASSERT_EQ(messages[streams + 1].size(), 1U);
  EXPECT_TRUE(info.ParseFromString(messages[streams + 1][0]));
  EXPECT_FALSE(info.version().empty());
  EXPECT_THAT(statuses[streams + 2], HasSubstr("grpc-status: 3\r\n"));  // INVALID_ARGUMENT
  expect_metric("sluice_grpc_web_calls_open 0");
}

TEST_F(WebChannel, a_call_that_is_given_up_ends_and_leaves_the_others) {
  const std::string name = create(server_, "slow=20", 100'000).name();
  wait_for_frames(server_, name, 2);
  Channel channel(port());
  channel.send(request_bytes(1, "Frames/Stream", stream_of(name, false)));
  channel.send(request_bytes(2, "Frames/Stream", stream_of(name, false)));
  while (channel.read().id != 1) {
  }
  channel.send(id_bytes(1));
  Answer answer;
  do {
    answer = channel.read();
  } while (answer.id != 1 || !answer.is_status);
  EXPECT_THAT(answer.content, HasSubstr("grpc-status: 1\r\n"));  // CANCELLED
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(channel.read().id, 2U);
  }
  expect_metric("sluice_streams 1");
  channel.tcp().close();  // A tab that crashes closes it so.
  expect_metric("sluice_streams 0");
  expect_metric("sluice_grpc_web_calls_open 0");
}

TEST_F(WebChannel, who_reads_nothing_holds_back_nobody_else) {
  const std::string name = create(server_, "", 300).name();
  wait_for_state(server_, name, v1::SESSION_STATE_SUCCEEDED);
  Channel deaf(port());
  for (std::uint32_t id = 1; id <= 64; ++id) {
    deaf.send(request_bytes(id, "Frames/Stream", stream_of(name, true)));
  }
  Channel other(port());
  other.send(request_bytes(1, "Frames/Stream", stream_of(name, true)));
  while (!other.read().is_status) {
  }
  EXPECT_EQ(fetch(port(), "/healthz").body(), "serving\n");
}

// Symptom: the answer of a call that was given up, written after another call had taken its number,
// asked that one for two messages at once, and gRPC stopped the server.
TEST_F(WebChannel, a_number_is_free_again_while_an_answer_of_the_old_call_waits) {
  constexpr int frames = 500;
  const std::string name = create(server_, "", frames).name();
  wait_for_state(server_, name, v1::SESSION_STATE_SUCCEEDED);
  const std::string request = request_bytes(1, "Frames/Stream", stream_of(name, true));
  Channel channel(port());
  for (std::uint32_t id = 1; id <= 8; ++id) {
    channel.send(request_bytes(id, "Frames/Stream", stream_of(name, true)));
  }
  const auto sent_bytes = [this] {
    const std::string line = metric("sluice_http_sent_bytes_total");
    return std::stod(line.substr(line.find(' ')));
  };
  for (double before = -1e9; sent_bytes() - before > 100'000;) {  // Until the socket is full.
    before = sent_bytes();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  expect_metric("sluice_grpc_web_calls_open 8");  // None got to its end.
  channel.send(id_bytes(1));
  expect_metric("sluice_grpc_web_calls_open 7");
  channel.send(request);
  expect_metric("sluice_grpc_web_calls_open 8");
  std::map<std::uint32_t, int> ended;
  int messages_of_the_new = 0;
  for (int all = 0; all < 9; ++all) {
    Answer answer = channel.read();
    while (!answer.is_status) {
      messages_of_the_new += answer.id == 1 && ended[1] == 1 ? 1 : 0;
      answer = channel.read();
    }
    ++ended[answer.id];
    if (answer.id == 1 && ended[1] == 1) {
      EXPECT_THAT(answer.content, HasSubstr("grpc-status: 1\r\n"));  // CANCELLED
    } else {
      EXPECT_THAT(answer.content, HasSubstr("grpc-status: 0\r\n")) << answer.id;
    }
  }
  EXPECT_EQ(ended[1], 2);
  EXPECT_GE(messages_of_the_new, frames);
  EXPECT_EQ(fetch(port(), "/healthz").body(), "serving\n");
}

TEST_F(WebChannel, more_calls_than_it_takes_are_refused_one_by_one) {
  const std::string name = create(server_, "slow=50", 100'000).name();
  Channel channel(port());
  v1::WatchSessionRequest request;
  request.set_name(name);
  for (std::uint32_t id = 1; id <= 65; ++id) {
    channel.send(request_bytes(id, "Sessions/Watch", request));
  }
  Answer answer;
  do {
    answer = channel.read();
  } while (!answer.is_status);
  EXPECT_EQ(answer.id, 65U);
  EXPECT_THAT(answer.content, HasSubstr("grpc-status: 8\r\n"));  // RESOURCE_EXHAUSTED
}

TEST_F(WebChannel, what_is_no_request_closes_it) {
  const v1::GetServerInfoRequest request;
  const auto code_after = [this](const std::string& bytes) {
    Channel channel(port());
    channel.send(bytes);
    return channel.close_code();
  };
  EXPECT_EQ(code_after("abc"), websocket::close_code::protocol_error);
  EXPECT_EQ(code_after(id_bytes(1) + "\x05/a/b"), websocket::close_code::protocol_error);
  // The code is lost where the kernel still holds a part of what was too big: then it is a reset.
  EXPECT_THAT(code_after(std::string(70'000, 'x')),
              testing::AnyOf(websocket::close_code::too_big, websocket::close_code::none));
  Channel text(port());
  text.send_text(request_bytes(1, "Server/GetInfo", request));
  EXPECT_EQ(text.close_code(), websocket::close_code::protocol_error);
  Channel twice(port());
  v1::WatchSessionRequest watch;
  watch.set_name(create(server_, "slow=50", 100'000).name());
  twice.send(request_bytes(1, "Sessions/Watch", watch));
  twice.send(request_bytes(1, "Sessions/Watch", watch));
  EXPECT_EQ(twice.close_code(), websocket::close_code::protocol_error);
  expect_metric("sluice_grpc_web_calls_open 0");
}

TEST_F(WebChannel, pages_of_others_open_none) {
  EXPECT_EQ(Channel(port(), "http://127.0.0.1:" + std::to_string(port())).http_status(), 101U);
  EXPECT_FALSE(Channel(port(), "https://evil.example.org").is_open());
  EXPECT_FALSE(Channel(port(), {}, "another").is_open());
  EXPECT_EQ(fetch(port(), "/calls").result_int(), 426U);
}

TEST_F(WebChannel, a_server_that_stops_ends_its_calls_and_it) {
  const std::string name = create(server_, "slow=50", 100'000).name();
  Channel channel(port());
  v1::WatchSessionRequest request;
  request.set_name(name);
  channel.send(request_bytes(1, "Sessions/Watch", request));
  EXPECT_FALSE(channel.read().is_status);
  std::thread stopping([this] { EXPECT_EQ(server_.terminate().exit_code, 0); });
  Answer answer;
  do {
    answer = channel.read();
  } while (!answer.is_status);
  EXPECT_THAT(answer.content, HasSubstr("grpc-status: 14\r\n"));  // UNAVAILABLE
  EXPECT_EQ(channel.close_code(), websocket::close_code::going_away);
  stopping.join();
}

}  // namespace
}  // namespace sluice::e2e::web_channel_test
