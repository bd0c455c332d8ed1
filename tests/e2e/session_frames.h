// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "sluice/frame_stream.h"
#include "tests/e2e/server_process.h"

/// Sessions from a scene to its frames.
namespace sluice::e2e {

inline v1::Scene scene_of(const std::string& json) {
  v1::Scene scene;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &scene);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return scene;
}

/// All frames of a session that has ended, by index.
inline std::map<std::int64_t, client::Frame> frames_of(ServerProcess& server,
                                                       const std::string& session) {
  client::FrameStream stream(client::Connection(server.address()), {.session = session});
  std::map<std::int64_t, client::Frame> frames;
  while (auto frame = stream.next()) {
    const std::int64_t index = frame->index;
    frames.emplace(index, *std::move(frame));
  }
  return frames;
}

/// Sessions of `frame_count` frames, with the real solver on at most two threads.
template <std::int64_t frame_count>
class SolverSessions : public testing::Test {
 protected:
  v1::Session end_of(const std::string& name) {
    return wait_until(
        server, name,
        [](const v1::Session& s) {
          return s.state() == v1::SESSION_STATE_SUCCEEDED || s.state() == v1::SESSION_STATE_FAILED;
        },
        std::chrono::seconds(240));
  }

  /// Returns the session's name, once it has succeeded.
  std::string run(const v1::Scene& scene, int thread_count) {
    v1::CreateSessionRequest request = create_request(scene, frame_count);
    request.mutable_session()->mutable_options()->set_thread_count(thread_count);
    const std::string name = create(server, request).name();
    const v1::Session end = end_of(name);
    EXPECT_EQ(end.state(), v1::SESSION_STATE_SUCCEEDED) << end.message();
    return name;
  }

  TemporaryDirectory data;
  ServerProcess server{
      data.path(),
      {"--worker", (binary_directory() / "sluice-worker").string(), "--threads-per-session", "2"}};
};

/// The mean of one component of "water"'s positions, in [m].
inline double mean_place(const client::Frame& frame, std::size_t axis) {
  const auto x = frame.values("water", v1::FIELD_POSITION);
  double sum = 0;
  for (std::size_t i = axis; i < x.size(); i += 3)
    sum += static_cast<double>(x[i]);
  return 3 * sum / static_cast<double>(x.size());
}

}  // namespace sluice::e2e
