// SPDX-License-Identifier: Apache-2.0
// Calls over gRPC-Web on a real server. The oracle is the same call over gRPC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <span>
#include <thread>

#include "proto/wire/sha256.h"
#include "tests/e2e/server_process.h"
#include "tests/e2e/web_client.h"

namespace sluice::e2e::web_call_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

v1::StreamFramesRequest request_for(const std::string& session, bool existing_only = false) {
  v1::StreamFramesRequest request;
  request.set_session(session);
  request.set_existing_only(existing_only);
  return request;
}

class WebCalls : public testing::Test {
 protected:
  [[nodiscard]] int port() const { return server_.web_port(); }

  TemporaryDirectory data_;
  ServerProcess server_{data_.path(), {"--max-streams", "3"}};
};

TEST_F(WebCalls, a_unary_call_answers_as_over_grpc) {
  grpc::ClientContext context;
  v1::ServerInfo expected;
  ASSERT_TRUE(server_.server->GetInfo(&context, {}, &expected).ok());
  v1::ServerInfo info;
  const WebStatus status = call(port(), "Server/GetInfo", v1::GetServerInfoRequest(), info);
  EXPECT_EQ(status.code, 0);
  EXPECT_EQ(info.SerializeAsString(), expected.SerializeAsString());
  EXPECT_EQ(info.viewer_url(), "http://127.0.0.1:" + std::to_string(port()));
}

TEST_F(WebCalls, many_calls_use_one_connection) {
  WebConnection connection(port());
  for (int i = 0; i < 100; ++i) {
    WebCall call(connection, "Server/GetInfo", v1::GetServerInfoRequest());
    v1::ServerInfo info;
    ASSERT_TRUE(call.read(info));
    ASSERT_EQ(call.finish().code, 0);
  }
}

TEST_F(WebCalls, a_stream_carries_the_messages_of_grpc) {
  const std::string name = create(server_, "", 20).name();
  wait_for_state(server_, name, v1::SESSION_STATE_SUCCEEDED);
  grpc::ClientContext context;
  const auto stream = server_.frames->Stream(&context, request_for(name, true));
  WebCall call(port(), "Frames/Stream", request_for(name, true));
  v1::StreamFramesResponse expected;
  v1::StreamFramesResponse message;
  int count = 0;
  while (stream->Read(&expected)) {
    ASSERT_TRUE(call.read(message));
    if (!expected.has_start()) {  // Which names the stream.
      EXPECT_EQ(message.SerializeAsString(), expected.SerializeAsString());
      ++count;
    }
  }
  EXPECT_GT(count, 40);
  EXPECT_EQ(call.finish().code, 0);
  EXPECT_FALSE(call.trailers_only());
}

TEST_F(WebCalls, messages_come_when_they_are_made) {
  const std::string name = create(server_, "slow=50", 1000).name();
  WebCall call(port(), "Frames/Stream", request_for(name));
  v1::StreamFramesResponse message;
  int frames = 0;
  while (frames < 10 && call.read(message)) {
    frames += message.has_header() ? 1 : 0;
  }
  EXPECT_EQ(frames, 10);
  const v1::Session now = get(server_, name);
  EXPECT_EQ(now.state(), v1::SESSION_STATE_RUNNING);
  EXPECT_LT(now.frame_count(), 20) << "no buffer held them back";
}

TEST_F(WebCalls, closing_the_connection_ends_the_calls) {
  const std::string name = create(server_, "slow=20", 100'000).name();
  // Each stream takes one of three places; a place that is not given back is missed at once.
  for (int round = 0; round < 10; ++round) {
    std::vector<std::unique_ptr<WebCall>> calls;
    for (int i = 0; i < 3; ++i) {
      const auto end = steady_clock::now() + seconds(10);
      for (;;) {
        auto call = std::make_unique<WebCall>(port(), "Frames/Stream", request_for(name));
        if (call->read_bytes()) {
          calls.push_back(std::move(call));
          break;
        }
        ASSERT_EQ(call->status().code, grpc::StatusCode::RESOURCE_EXHAUSTED);
        ASSERT_LT(steady_clock::now(), end) << "a place was not given back";
        std::this_thread::sleep_for(milliseconds(5));
      }
    }
  }
}

TEST_F(WebCalls, a_deadline_ends_a_stream) {
  const std::string name = create(server_, "slow=20", 100'000).name();
  const auto start = steady_clock::now();
  WebCall call(port(), "Frames/Stream", request_for(name), "grpc-timeout: 300m\r\n");
  EXPECT_EQ(call.finish().code, grpc::StatusCode::DEADLINE_EXCEEDED);
  const auto taken = steady_clock::now() - start;
  EXPECT_GE(taken, milliseconds(300));
  EXPECT_LT(taken, seconds(5));
}

TEST_F(WebCalls, errors_are_those_of_grpc_with_their_details) {
  v1::GetSessionRequest request;
  request.set_name("sessions/missing");
  grpc::ClientContext context;
  v1::Session session;
  const grpc::Status expected = server_.sessions->Get(&context, request, &session);
  ASSERT_EQ(expected.error_code(), grpc::StatusCode::NOT_FOUND);
  WebCall missing(port(), "Sessions/Get", request);
  const WebStatus status = missing.finish();
  EXPECT_TRUE(missing.trailers_only());
  EXPECT_EQ(status.code, expected.error_code());
  EXPECT_EQ(status.message, expected.error_message());
  EXPECT_EQ(status.details, expected.error_details());
  EXPECT_FALSE(status.details.empty());
}

TEST_F(WebCalls, a_long_status_comes_behind_the_head) {
  v1::CreateSessionRequest request = create_request(small_scene(), 10);
  for (int i = 0; i < 60; ++i) {
    *request.mutable_scene()->add_fluids() = v1::Fluid();
  }
  grpc::ClientContext context;
  v1::Session session;
  const grpc::Status expected = server_.sessions->Create(&context, request, &session);
  ASSERT_EQ(expected.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  WebCall invalid(port(), "Sessions/Create", request);
  const WebStatus status = invalid.finish();
  EXPECT_FALSE(invalid.trailers_only()) << "proxies refuse heads of several KiB";
  EXPECT_EQ(status.code, expected.error_code());
  EXPECT_EQ(status.message, expected.error_message());
  EXPECT_EQ(status.details, expected.error_details());
}

TEST_F(WebCalls, a_method_that_is_not_there_is_unimplemented) {
  EXPECT_EQ(WebCall(port(), "Sessions/Fly", v1::GetServerInfoRequest()).finish().code,
            grpc::StatusCode::UNIMPLEMENTED);
  // The workers' service is not for clients, on this way either.
  EXPECT_EQ(WebCall(port(), "WorkerLink/Attach", v1::GetServerInfoRequest()).finish().code,
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(WebCalls, an_old_proxy_gets_an_answer_that_ends_with_the_connection) {
  WebCall call(port(), "Server/GetInfo", v1::GetServerInfoRequest(), "", "1.0");
  v1::ServerInfo info;
  EXPECT_TRUE(call.read(info));
  EXPECT_EQ(call.finish().code, 0);
  EXPECT_EQ(call.response().version(), 10U);
  EXPECT_FALSE(call.response().chunked());
}

TEST_F(WebCalls, a_client_that_asks_first_is_told_to_go_on) {
  WebConnection connection(port());
  const std::string request =
      call_request("Server/GetInfo", v1::GetServerInfoRequest(), "Expect: 100-continue\r\n");
  const std::size_t body = request.find("\r\n\r\n") + 4;
  connection.send(std::string_view(request).substr(0, body));
  EXPECT_EQ(connection.read_response().result_int(), 100U);
  connection.send(std::string_view(request).substr(body));
  EXPECT_EQ(connection.read_response().result_int(), 200U);
}

TEST_F(WebCalls, a_chunked_request_is_a_request) {
  const std::string whole = call_request("Server/GetInfo", v1::GetServerInfoRequest());
  const std::string body = whole.substr(whole.find("\r\n\r\n") + 4);
  ASSERT_EQ(body.size(), 5U);
  WebConnection connection(port());
  connection.send(
      "POST /sluice.v1.Server/GetInfo HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/grpc-web\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n" +
      body.substr(0, 2) + "\r\n3;x=y\r\n" + body.substr(2) + "\r\n0\r\n\r\n");
  const HttpResponse response = connection.read_response();
  EXPECT_EQ(response.result_int(), 200U);
  EXPECT_THAT(response.body(), HasSubstr("grpc-status: 0\r\n"));
}

TEST_F(WebCalls, a_browser_uploads_an_asset_in_pieces) {
  std::string bytes(20 << 20, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 2654435761U >> 13);
  }
  WebConnection connection(port());
  v1::WriteAssetRequest request;
  constexpr std::size_t piece = 1 << 20;
  request.set_name("assets/" + wire::sha256_hex(std::as_bytes(std::span(bytes))));
  request.set_file_name("big.obj");
  request.set_byte_count(static_cast<std::int64_t>(bytes.size()));
  v1::Asset asset;
  for (std::size_t offset = 0; offset < bytes.size(); offset += piece) {
    request.set_offset(static_cast<std::int64_t>(offset));
    request.set_data(bytes.substr(offset, piece));
    WebCall call(connection, "Assets/Write", request);
    ASSERT_TRUE(call.read(asset)) << call.status().message;
    ASSERT_EQ(call.finish().code, 0);
  }
  EXPECT_TRUE(asset.complete()) << "the server found the hash that the name says";
}

TEST_F(WebCalls, a_message_over_the_limit_is_refused_and_said_so) {
  v1::WriteAssetRequest request;
  request.set_data(std::string((32 << 20) + 1, 'x'));
  WebCall call(port(), "Assets/Write", request);
  EXPECT_EQ(call.finish().code, grpc::StatusCode::RESOURCE_EXHAUSTED);
  v1::ServerInfo info;
  EXPECT_EQ(e2e::call(port(), "Server/GetInfo", v1::GetServerInfoRequest(), info).code, 0);
}

TEST_F(WebCalls, a_slow_reader_hurts_nobody) {
  const std::string name = create(server_, "slow=2", 400).name();
  WebCall slow(port(), "Frames/Stream", request_for(name));
  ASSERT_TRUE(slow.read_bytes());  // Nothing is read after.
  WebCall fast(port(), "Frames/Stream", request_for(name));
  v1::StreamFramesResponse message;
  int frames = 0;
  while (fast.read(message)) {
    frames += message.has_header() ? 1 : 0;
  }
  EXPECT_EQ(frames, 401);
  EXPECT_EQ(get(server_, name).state(), v1::SESSION_STATE_SUCCEEDED);
  int late = 0;
  while (slow.read(message)) {
    late += message.has_header() ? 1 : 0;
  }
  EXPECT_EQ(late, 401) << "it loses nothing either";
}

TEST_F(WebCalls, stopping_ends_streams_with_unavailable) {
  const std::string name = create(server_, "slow=20", 100'000).name();
  WebCall call(port(), "Frames/Stream", request_for(name));
  ASSERT_TRUE(call.read_bytes());
  WebConnection idle(port());
  std::thread stopping([&] { EXPECT_EQ(server_.terminate().exit_code, 0); });
  EXPECT_EQ(call.finish().code, grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(idle.read_to_end(), "");
  stopping.join();
}

}  // namespace
}  // namespace sluice::e2e::web_call_test
