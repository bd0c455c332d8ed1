// SPDX-License-Identifier: Apache-2.0
#include "sluice/frame_stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <thread>

#include "sluice/error.h"
#include "tests/unit/client/lib/fake_server.h"
#include "tests/unit/client/lib/sample_frames.h"

namespace sluice::client {
namespace {

const ConnectionOptions patient{.deadline = std::chrono::seconds(5),
                                .retry_for = std::chrono::seconds(20)};

const grpc::Status broken(grpc::StatusCode::UNAVAILABLE, "the test broke it");

void send_start(FrameWriter& out, const std::string& id = "stream") {
  v1::StreamFramesResponse response;
  response.mutable_start()->set_stream_id(id);
  out.Write(response);
}

/// Sends a frame; of its three pieces and header only the first `message_count` messages.
void send_frame(FrameWriter& out, std::int64_t index, int message_count = 4) {
  const SampleFrame sample = sample_frame(index);
  v1::StreamFramesResponse response;
  *response.mutable_header() = sample.header;
  for (int i = 0; i < message_count; ++i) {
    if (i > 0) {
      *response.mutable_chunk() = sample.chunks[static_cast<std::size_t>(i - 1)];
    }
    out.Write(response);
  }
}

std::vector<std::int64_t> read_indices(FrameStream& stream) {
  std::vector<std::int64_t> indices;
  while (const auto frame = stream.next()) {
    EXPECT_EQ(frame->arrays[0].values, sample_values(frame->index));
    indices.push_back(frame->index);
  }
  return indices;
}

std::vector<std::int64_t> range(std::int64_t end, std::int64_t step = 1) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < end; i += step) {
    indices.push_back(i);
  }
  return indices;
}

TEST(FrameStream, passes_the_query_on) {
  FakeServer server;
  server.stream = [](grpc::ServerContext&, const v1::StreamFramesRequest& in, FrameWriter& out) {
    EXPECT_EQ(in.session(), "sessions/a");
    EXPECT_EQ(in.cursor().index(), 4);
    EXPECT_EQ(in.stride(), 2);
    EXPECT_EQ(in.selection().bodies(0), "water");
    EXPECT_EQ(in.selection().fields(0), v1::FIELD_POSITION);
    EXPECT_EQ(in.delivery(), v1::DELIVERY_LATEST);
    EXPECT_EQ(in.max_in_flight(), 3);
    EXPECT_TRUE(in.existing_only());
    send_start(out);
    return grpc::Status::OK;
  };
  FrameStream stream(Connection(server.address()), {.session = "sessions/a",
                                                    .first_index = 4,
                                                    .stride = 2,
                                                    .bodies = {"water"},
                                                    .fields = {v1::FIELD_POSITION},
                                                    .latest = true,
                                                    .max_in_flight = 3,
                                                    .existing_only = true});
  EXPECT_FALSE(stream.next());
  EXPECT_FALSE(stream.next());
}

// Breaks after a random message of a random frame; oracle: every index once, in order.
TEST(FrameStream, goes_on_from_the_last_whole_frame_after_each_of_many_breaks) {
  constexpr std::int64_t frame_count = 300;
  FakeServer server;
  std::mt19937 random(1);
  server.stream = [&](grpc::ServerContext&, const v1::StreamFramesRequest& in, FrameWriter& out) {
    send_start(out);
    const std::int64_t end = in.cursor().index() + static_cast<std::int64_t>(random() % 25);
    for (std::int64_t i = in.cursor().index(); i < frame_count; ++i) {
      if (i == end) {
        // Between frames only an error is a break; in one, also an end that says it is well.
        const int message_count = static_cast<int>(random() % 4);
        send_frame(out, i, message_count);
        return message_count > 0 && random() % 2 == 0 ? grpc::Status::OK : broken;
      }
      send_frame(out, i);
    }
    return grpc::Status::OK;
  };
  FrameStream stream(Connection(server.address(), patient), {.session = "sessions/a"});
  EXPECT_EQ(read_indices(stream), range(frame_count));
  EXPECT_GT(stream.reconnect_count(), 5);
}

TEST(FrameStream, keeps_the_stride_after_a_break) {
  FakeServer server;
  server.stream = [](grpc::ServerContext&, const v1::StreamFramesRequest& in, FrameWriter& out) {
    send_start(out);
    for (std::int64_t i = in.cursor().index(); i < 30; i += in.stride()) {
      send_frame(out, i);
      if (i == 12) {
        return broken;
      }
    }
    return grpc::Status::OK;
  };
  FrameStream stream(Connection(server.address(), patient),
                     {.session = "sessions/a", .first_index = 0, .stride = 3});
  EXPECT_EQ(read_indices(stream), range(30, 3));
}

TEST(FrameStream, asks_again_for_a_frame_whose_checksum_is_wrong) {
  FakeServer server;
  std::atomic<int> calls{0};
  server.stream = [&](grpc::ServerContext&, const v1::StreamFramesRequest& in, FrameWriter& out) {
    send_start(out);
    for (std::int64_t i = in.cursor().index(); i < 4; ++i) {
      if (i == 2 && calls++ == 0) {
        SampleFrame sample = sample_frame(i);
        sample.chunks[0].set_crc32c(1);
        v1::StreamFramesResponse response;
        *response.mutable_header() = sample.header;
        out.Write(response);
        *response.mutable_chunk() = sample.chunks[0];
        out.Write(response);
      }
      send_frame(out, i);
    }
    return grpc::Status::OK;
  };
  FrameStream stream(Connection(server.address(), patient), {.session = "sessions/a"});
  EXPECT_EQ(read_indices(stream), range(4));
  EXPECT_EQ(stream.reconnect_count(), 1);
}

TEST(FrameStream, ends_when_the_break_came_after_the_last_frame) {
  FakeServer server;
  server.stream = [&](grpc::ServerContext&, const v1::StreamFramesRequest& in, FrameWriter& out) {
    if (in.cursor().index() >= 2) {
      return grpc::Status(grpc::StatusCode::OUT_OF_RANGE, "the first available is 0");
    }
    send_start(out);
    send_frame(out, 0);
    send_frame(out, 1);
    return broken;
  };
  server.get = [](const v1::GetSessionRequest&, v1::Session& session) {
    session.set_state(v1::SESSION_STATE_SUCCEEDED);
    session.set_frame_count(2);
    return grpc::Status::OK;
  };
  FrameStream stream(Connection(server.address(), patient), {.session = "sessions/a"});
  EXPECT_EQ(read_indices(stream), range(2));
}

TEST(FrameStream, throws_at_once_what_a_try_cannot_mend) {
  FakeServer server;
  server.stream = [](grpc::ServerContext&, const v1::StreamFramesRequest&, FrameWriter&) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "no session 'sessions/a'");
  };
  FrameStream stream(Connection(server.address(), patient), {.session = "sessions/a"});
  try {
    (void)stream.next();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_STREQ(error.what(), "no session 'sessions/a'");
  }
}

TEST(FrameStream, gives_up_when_nothing_comes_for_as_long_as_was_said) {
  FakeServer server;
  std::atomic<int> calls{0};
  server.stream = [&](grpc::ServerContext&, const v1::StreamFramesRequest&, FrameWriter& out) {
    ++calls;
    send_start(out);
    return broken;
  };
  FrameStream stream(Connection(server.address(), {.retry_for = std::chrono::milliseconds(300)}),
                     {.session = "sessions/a"});
  EXPECT_THROW((void)stream.next(), Error);
  EXPECT_GE(calls, 3);
}

// Credits: the fake sends one frame and waits for its acknowledgement before the next. A client
// that forgets one would hang here.
TEST(FrameStream, returns_a_credit_for_each_frame) {
  FakeServer server;
  std::mutex mutex;
  std::condition_variable changed;
  std::int64_t acknowledged = -1;
  server.ack = [&](const v1::AckFramesRequest& in) {
    EXPECT_EQ(in.stream_id(), "stream");
    const std::lock_guard lock(mutex);
    acknowledged = std::max(acknowledged, in.cursor().index());
    changed.notify_all();
    return grpc::Status::OK;
  };
  server.stream = [&](grpc::ServerContext&, const v1::StreamFramesRequest&, FrameWriter& out) {
    send_start(out);
    for (std::int64_t i = 0; i < 50; ++i) {
      send_frame(out, i);
      std::unique_lock lock(mutex);
      if (i < 49 &&
          !changed.wait_for(lock, std::chrono::seconds(10), [&] { return acknowledged >= i; })) {
        return grpc::Status(grpc::StatusCode::INTERNAL, "no acknowledgement");
      }
    }
    return grpc::Status::OK;
  };
  FrameStream stream(Connection(server.address(), patient),
                     {.session = "sessions/a", .latest = true, .max_in_flight = 1});
  EXPECT_EQ(read_indices(stream), range(50));
}

TEST(FrameStream, opens_anew_when_an_acknowledgement_is_lost) {
  FakeServer server;
  std::atomic<int> streams{0};
  server.ack = [](const v1::AckFramesRequest&) {
    return grpc::Status(grpc::StatusCode::INTERNAL, "lost");
  };
  server.stream = [&](grpc::ServerContext& context, const v1::StreamFramesRequest& in,
                      FrameWriter& out) {
    ++streams;
    send_start(out);
    if (in.cursor().index() < 4) {
      send_frame(out, in.cursor().index());
    }
    if (in.cursor().index() >= 3) {
      return grpc::Status::OK;
    }
    while (!context.IsCancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return broken;
  };
  FrameStream stream(Connection(server.address(), patient),
                     {.session = "sessions/a", .max_in_flight = 1});
  EXPECT_EQ(read_indices(stream), range(4));
  EXPECT_GE(streams, 4);
}

TEST(FrameStream, stops_from_another_thread) {
  FakeServer server;
  server.stream = [](grpc::ServerContext& context, const v1::StreamFramesRequest&,
                     FrameWriter& out) {
    send_start(out);
    send_frame(out, 0);
    while (!context.IsCancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return grpc::Status::CANCELLED;
  };
  std::stop_source source;
  FrameStream stream(Connection(server.address(), patient), {.session = "sessions/a"},
                     source.get_token());
  EXPECT_TRUE(stream.next());
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  EXPECT_FALSE(stream.next());
}

TEST(GetFrame, puts_the_whole_together) {
  FakeServer server;
  server.get_frame = [](const v1::GetFrameRequest& in, v1::Frame& out) {
    const SampleFrame sample = sample_frame(in.cursor().index());
    *out.mutable_header() = sample.header;
    for (const v1::FrameChunk& chunk : sample.chunks) {
      *out.add_chunks() = chunk;
    }
    if (in.session() == "sessions/short") {
      out.mutable_chunks()->RemoveLast();
    }
    return grpc::Status::OK;
  };
  const Connection connection(server.address());
  EXPECT_EQ(get_frame(connection, "sessions/a", 5).arrays[1].values, sample_values(5));
  EXPECT_THROW((void)get_frame(connection, "sessions/short", 5), Error);
}

}  // namespace
}  // namespace sluice::client
