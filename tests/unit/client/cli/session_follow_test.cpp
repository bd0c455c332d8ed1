// SPDX-License-Identifier: Apache-2.0
#include "client/cli/session_follow.h"

#include <gtest/gtest.h>

#include "tests/unit/client/lib/fake_server.h"

namespace sluice::cli {
namespace {

// Symptom: frames of an earlier epoch came with the newest epoch's layout.
TEST(ForEachFrame, gives_each_frame_the_layout_of_its_epoch) {
  client::FakeServer server;
  server.stream = [](grpc::ServerContext&, const v1::StreamFramesRequest&,
                     client::FrameWriter& out) {
    for (const std::int64_t index : {0, 1, 2, 3}) {
      v1::StreamFramesResponse response;
      response.mutable_header()->mutable_cursor()->set_index(index);
      response.mutable_header()->mutable_cursor()->set_epoch(index / 2);
      out.Write(response);
    }
    return grpc::Status::OK;
  };
  int layout_count = 0;
  server.get_layout = [&](const v1::GetLayoutRequest& in, v1::Layout& out) {
    ++layout_count;
    out.set_epoch(in.has_epoch() ? in.epoch() : 1);
    return grpc::Status::OK;
  };
  std::vector<std::int64_t> epochs;
  const std::int64_t count = for_each_frame(
      client::Connection(server.address()), {.session = "sessions/a"}, {},
      [&](const client::Frame&, const v1::Layout& layout) { epochs.push_back(layout.epoch()); });
  EXPECT_EQ(count, 4);
  EXPECT_EQ(epochs, (std::vector<std::int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(layout_count, 2) << "once an epoch";
}

}  // namespace
}  // namespace sluice::cli
