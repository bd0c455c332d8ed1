// SPDX-License-Identifier: Apache-2.0
#include "sluice/session_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sluice/error.h"
#include "tests/unit/client/lib/fake_server.h"

namespace sluice::client {
namespace {

void send(WatchWriter& out, v1::SessionState state, std::int64_t frame_count) {
  v1::WatchSessionResponse response;
  response.mutable_session()->set_state(state);
  response.mutable_session()->set_frame_count(frame_count);
  out.Write(response);
}

TEST(SessionWatch, goes_on_after_a_break_and_ends_with_the_session) {
  FakeServer server;
  std::atomic<int> calls{0};
  server.watch = [&](grpc::ServerContext&, WatchWriter& out) {
    if (calls++ == 0) {
      send(out, v1::SESSION_STATE_RUNNING, 1);
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "stopping");
    }
    send(out, v1::SESSION_STATE_RUNNING, 2);
    send(out, v1::SESSION_STATE_SUCCEEDED, 3);
    return grpc::Status::OK;
  };
  SessionWatch watch(Connection(server.address()), "sessions/a");
  EXPECT_EQ(watch.next()->session().frame_count(), 1);
  EXPECT_EQ(watch.next()->session().frame_count(), 2);
  EXPECT_EQ(watch.next()->session().state(), v1::SESSION_STATE_SUCCEEDED);
  EXPECT_FALSE(watch.next());
}

TEST(SessionWatch, throws_for_a_session_that_is_not_there) {
  FakeServer server;
  server.watch = [](grpc::ServerContext&, WatchWriter&) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "none");
  };
  SessionWatch watch(Connection(server.address()), "sessions/a");
  EXPECT_THROW((void)watch.next(), Error);
}

TEST(SessionWatch, stops_from_another_thread) {
  FakeServer server;
  server.watch = [](grpc::ServerContext& context, WatchWriter& out) {
    send(out, v1::SESSION_STATE_RUNNING, 1);
    while (!context.IsCancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return grpc::Status::CANCELLED;
  };
  std::stop_source source;
  SessionWatch watch(Connection(server.address()), "sessions/a", source.get_token());
  EXPECT_TRUE(watch.next());
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  EXPECT_FALSE(watch.next());
}

}  // namespace
}  // namespace sluice::client
