// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

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

/// The mean of one component of "water"'s positions, in [m].
inline double mean_place(const client::Frame& frame, std::size_t axis) {
  const auto x = frame.values("water", v1::FIELD_POSITION);
  double sum = 0;
  for (std::size_t i = axis; i < x.size(); i += 3)
    sum += static_cast<double>(x[i]);
  return 3 * sum / static_cast<double>(x.size());
}

}  // namespace sluice::e2e
