// SPDX-License-Identifier: Apache-2.0
// Streams of frames on a real server: nothing lost, nothing twice, nobody slowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "tests/e2e/server_process.h"

namespace sluice::e2e::server_stream_test {
namespace {

v1::StreamFramesRequest request_for(const std::string& session, std::int64_t index = 0) {
  v1::StreamFramesRequest request;
  request.set_session(session);
  request.mutable_cursor()->set_index(index);
  return request;
}

class ServerStream : public testing::Test {
 protected:
  TemporaryDirectory data_;
  ServerProcess server_{data_.path()};
};

TEST_F(ServerStream, follows_a_running_session_to_its_end) {
  const std::string name = create(server_, "slow=5", 30).name();
  const FrameContents live = read_frames(server_, request_for(name));
  EXPECT_EQ(live.size(), 31U);
  EXPECT_EQ(live, read_existing(server_, name));
}

// Reads on from the end of `frames`, for `messages` messages, then cuts the connection.
void read_some(ServerProcess& server, const std::string& session, unsigned long messages,
               FrameContents& frames) {
  grpc::ClientContext context;
  const auto stream = server.frames->Stream(
      &context, request_for(session, static_cast<std::int64_t>(frames.size())));
  v1::StreamFramesResponse message;
  std::string content;
  std::int64_t index = -1;
  std::int64_t missing = 0;
  for (; messages > 0 && stream->Read(&message); --messages) {
    if (message.has_header()) {
      v1::FrameHeader header = message.header();
      header.clear_statistics();
      index = header.cursor().index();
      content = header.SerializeAsString();
      for (const auto& array : header.arrays())
        missing += array.byte_count();
    } else if (message.has_chunk()) {
      content += message.chunk().data();
      missing -= static_cast<std::int64_t>(message.chunk().data().size());
      if (missing == 0) {
        ASSERT_EQ(index, static_cast<std::int64_t>(frames.size())) << "a gap, or one twice";
        frames[index] = content;
      }
    }
  }
  context.TryCancel();
  while (stream->Read(&message)) {
  }
}

TEST_F(ServerStream, a_thousand_reconnects_from_cursors_give_no_gap_and_no_double) {
  const std::string name = create(server_, "slow=2", 200).name();
  std::mt19937 random(1);  // The oracle is the whole run below, whatever the numbers.
  FrameContents together;
  std::vector<FrameContents> passes;  // The first while the session runs.
  for (int disconnects = 0; disconnects < 1000; ++disconnects) {
    read_some(server_, name, random() % 60, together);
    if (together.size() == 201) {
      passes.push_back(std::exchange(together, {}));
    }
  }
  ASSERT_GT(passes.size(), 2U);
  const FrameContents expected = read_existing(server_, name);
  for (const FrameContents& pass : passes) {
    EXPECT_EQ(pass, expected);
  }
}

TEST_F(ServerStream, twenty_subscribers_all_see_every_frame) {
  const std::string name = create(server_, "slow=2", 150).name();
  grpc::ClientContext lazy_context;
  const auto lazy = server_.frames->Stream(&lazy_context, request_for(name));  // Never reads.
  std::vector<FrameContents> seen(19);
  std::vector<std::thread> readers;
  readers.reserve(seen.size());
  for (FrameContents& frames : seen) {
    readers.emplace_back([&] { frames = read_frames(server_, request_for(name)); });
  }
  for (std::thread& reader : readers)
    reader.join();
  lazy_context.TryCancel();
  EXPECT_EQ(get(server_, name).state(), v1::SESSION_STATE_SUCCEEDED);
  for (const FrameContents& frames : seen) {
    EXPECT_EQ(frames.size(), 151U);
    EXPECT_EQ(frames, seen.front());
  }
}

TEST_F(ServerStream, stride_and_selection_give_what_was_asked_for) {
  const std::string name = create(server_, "", 20).name();
  wait_for_state(server_, name, v1::SESSION_STATE_SUCCEEDED);
  v1::StreamFramesRequest request = request_for(name, 2);
  request.set_stride(5);
  std::vector<std::int64_t> indices;
  for (const auto& [index, content] : read_frames(server_, request))
    indices.push_back(index);
  EXPECT_THAT(indices, testing::ElementsAre(2, 7, 12, 17));
  request = request_for(name);
  request.mutable_selection()->add_bodies("sheet");
  request.mutable_selection()->add_fields(v1::FIELD_POSITION);
  const FrameContents selected = read_frames(server_, request);
  EXPECT_EQ(selected.size(), 21U);
  EXPECT_LT(selected.at(3).size(), 64U * 12U + 200U);
  request.mutable_selection()->add_bodies("shirt");
  grpc::Status status;
  read_frames(server_, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("shirt"));
}

// Symptom: opened before the session had a layout, such a stream gave empty frames.
TEST_F(ServerStream, refuses_an_unknown_body_also_when_the_layout_comes_later) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), {"--max-running-sessions", "1"});
  const std::string first = create(server, "slow=10", 10000).name();
  wait_for_frames(server, first, 2);
  const std::string waiting = create(server, "", 5).name();
  v1::StreamFramesRequest request = request_for(waiting);
  request.mutable_selection()->add_bodies("shirt");
  grpc::ClientContext context;
  const auto stream = server.frames->Stream(&context, request);
  v1::StreamFramesResponse message;
  ASSERT_TRUE(stream->Read(&message));
  ASSERT_TRUE(message.has_start());
  grpc::ClientContext cancel_context;
  v1::CancelSessionRequest cancel;
  cancel.set_name(first);
  v1::Session cancelled;
  ASSERT_TRUE(server.sessions->Cancel(&cancel_context, cancel, &cancelled).ok());
  EXPECT_FALSE(stream->Read(&message)) << message.ShortDebugString();
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("shirt"));
}

TEST_F(ServerStream, one_that_never_reads_slows_nobody_and_catches_up_later) {
  const std::string name = create(server_, "", 400).name();
  grpc::ClientContext context;
  const auto lazy = server_.frames->Stream(&context, request_for(name));
  wait_for_state(server_, name, v1::SESSION_STATE_SUCCEEDED);
  v1::StreamFramesResponse message;
  std::int64_t next = 0;
  while (lazy->Read(&message)) {
    if (message.has_header()) {
      ASSERT_EQ(message.header().cursor().index(), next);
      ++next;
    }
  }
  EXPECT_TRUE(lazy->Finish().ok());
  EXPECT_EQ(next, 401);
}

TEST_F(ServerStream, latest_with_one_credit_skips_to_the_newest_frame) {
  const std::string name = create(server_, "slow=5", 200).name();
  wait_for_frames(server_, name, 2);
  v1::StreamFramesRequest request;
  request.set_session(name);
  request.set_delivery(v1::DELIVERY_LATEST);
  request.set_max_in_flight(1);
  grpc::ClientContext context;
  const auto stream = server_.frames->Stream(&context, request);
  v1::StreamFramesResponse message;
  ASSERT_TRUE(stream->Read(&message));
  const std::string id = message.start().stream_id();
  std::vector<std::int64_t> seen;
  std::int64_t missing = 0;
  while (stream->Read(&message)) {
    if (message.has_header()) {
      seen.push_back(message.header().cursor().index());
      for (const auto& array : message.header().arrays())
        missing += array.byte_count();
      continue;
    }
    missing -= static_cast<std::int64_t>(message.chunk().data().size());
    if (missing == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      if (seen.back() == 200) break;  // The stream has ended: there is nothing to acknowledge.
      const std::int64_t newest = get(server_, name).frame_count() - 1;
      grpc::ClientContext ack_context;
      v1::AckFramesRequest ack;
      ack.set_stream_id(id);
      ack.mutable_cursor()->set_index(seen.back());
      v1::AckFramesResponse nothing;
      ASSERT_TRUE(server_.frames->Ack(&ack_context, ack, &nothing).ok());
      if (newest == 200) break;
    }
  }
  context.TryCancel();
  ASSERT_GT(seen.size(), 5U);
  EXPECT_LT(seen.size(), 100U) << "a reader of 60 ms a frame cannot see 200 frames of 5 ms";
  grpc::ClientContext ack_context;
  v1::AckFramesRequest ack;
  ack.set_stream_id("0123");
  ack.mutable_cursor();
  v1::AckFramesResponse nothing;
  EXPECT_EQ(server_.frames->Ack(&ack_context, ack, &nothing).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(ServerStream, refuses_cursors_that_are_not_there) {
  const std::string name = create(server_, "", 5).name();
  wait_for_state(server_, name, v1::SESSION_STATE_SUCCEEDED);
  grpc::Status status;
  read_frames(server_, request_for(name, 99), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::OUT_OF_RANGE);
  read_frames(server_, request_for("sessions/nobody"), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  read_frames(server_, request_for(name, -1), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServerStream, get_answers_whole_frames_and_layouts) {
  const std::string name = create(server_, "", 5).name();
  wait_for_state(server_, name, v1::SESSION_STATE_SUCCEEDED);
  grpc::ClientContext context;
  v1::GetFrameRequest request;
  request.set_session(name);
  v1::Frame frame;
  ASSERT_TRUE(server_.frames->Get(&context, request, &frame).ok());
  EXPECT_EQ(frame.header().cursor().index(), 5) << "the newest";
  EXPECT_EQ(frame.header().arrays_size(), 4);
  request.mutable_cursor()->set_index(6);
  grpc::ClientContext beyond;
  EXPECT_EQ(server_.frames->Get(&beyond, request, &frame).error_code(),
            grpc::StatusCode::OUT_OF_RANGE);
  grpc::ClientContext layout_context;
  v1::GetLayoutRequest layout_request;
  layout_request.set_session(name);
  v1::Layout layout;
  ASSERT_TRUE(server_.frames->GetLayout(&layout_context, layout_request, &layout).ok());
  ASSERT_EQ(layout.bodies_size(), 2);
  EXPECT_EQ(layout.bodies(0).name(), "water");
  EXPECT_EQ(layout.bodies(1).triangles().size(), 7U * 7U * 2U * 12U);
  EXPECT_EQ(layout.frames_per_second(), 60);
}

TEST_F(ServerStream, ends_unavailable_when_the_server_stops_and_not_found_when_the_session_goes) {
  const std::string name = create(server_, "slow=10", 10000).name();
  const std::string doomed = create(server_, "slow=10", 10000).name();
  wait_for_frames(server_, name, 2);
  wait_for_frames(server_, doomed, 2);
  grpc::Status deleted;
  std::thread reader([&] { read_frames(server_, request_for(doomed), &deleted); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  grpc::ClientContext context;
  v1::DeleteSessionRequest request;
  request.set_name(doomed);
  google::protobuf::Empty nothing;
  ASSERT_TRUE(server_.sessions->Delete(&context, request, &nothing).ok());
  reader.join();
  EXPECT_EQ(deleted.error_code(), grpc::StatusCode::NOT_FOUND);
  grpc::Status stopped;
  grpc::Status watch_stopped;
  std::thread follower([&] { read_frames(server_, request_for(name), &stopped); });
  std::thread watcher([&] {
    grpc::ClientContext watch_context;
    v1::WatchSessionRequest watch_request;
    watch_request.set_name(name);
    const auto watch = server_.sessions->Watch(&watch_context, watch_request);
    v1::WatchSessionResponse event;
    while (watch->Read(&event)) {
    }
    watch_stopped = watch->Finish();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const ProgramEnd end = server_.terminate();
  follower.join();
  watcher.join();
  EXPECT_EQ(end.exit_code, 0) << end.error_output;
  EXPECT_EQ(stopped.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(watch_stopped.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(watch_stopped.error_message(), testing::HasSubstr("stopping"));
}

}  // namespace
}  // namespace sluice::e2e::server_stream_test
