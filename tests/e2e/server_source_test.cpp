// SPDX-License-Identifier: Apache-2.0
// Sessions whose particles come and go, with the real solver: every few frames begin an epoch.
// Oracle: the same session undisturbed, and the same frames in float32.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>

#include "sluice/frame_stream.h"
#include "tests/e2e/server_process.h"

namespace sluice::e2e::server_source_test {
namespace {

constexpr std::int64_t frame_count = 50;

void set(google::protobuf::RepeatedField<double>& field, const std::vector<double>& values) {
  field.Assign(values.begin(), values.end());
}

/// Two fluids, the first of nothing but what its tap lets in, onto a sheet, and a drain.
v1::CreateSessionRequest tap() {
  v1::Scene scene = small_scene("tap");
  scene.mutable_domain()->add_open_sides(v1::SIDE_X_UPPER);
  v1::Fluid more;
  more.set_name("tap_water");
  v1::Emitter& emitter = *more.add_emitters();
  emitter.set_name("tap");
  set(*emitter.mutable_shape()->mutable_box()->mutable_size(), {0.15, 0.15, 0.15});
  set(*emitter.mutable_shape()->mutable_transform()->mutable_translation(), {0.35, 0.5, 0.85});
  set(*emitter.mutable_velocity(), {2, 0, -1});
  emitter.set_stop_seconds(0.5);
  emitter.set_start_seconds(0.05);
  scene.mutable_fluids()->Add(std::move(more));
  v1::Drain& drain = *scene.add_drains();
  set(*drain.mutable_shape()->mutable_box()->mutable_size(), {1, 1, 0.2});
  set(*drain.mutable_shape()->mutable_transform()->mutable_translation(), {0.5, 0.5, 0.05});
  v1::CreateSessionRequest request = create_request(scene, frame_count);
  request.mutable_session()->mutable_options()->set_checkpoint_interval_frames(7);
  return request;
}

std::vector<std::string> real_worker() {
  return {"--worker", (binary_directory() / "sluice-worker").string()};
}

std::map<std::int64_t, client::Frame> read(const ServerProcess& server, client::FrameQuery query) {
  client::FrameStream stream(client::Connection(server.address()), std::move(query));
  std::map<std::int64_t, client::Frame> frames;
  while (auto frame = stream.next()) {
    const std::int64_t index = frame->index;
    frames.emplace(index, *std::move(frame));
  }
  return frames;
}

TEST(ServerSource, frames_tell_which_particles_there_are_in_every_codec) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), real_worker());
  const std::string name = create(server, tap()).name();
  const client::Connection connection(server.address());
  // While it runs, so that frames are encoded as they come.
  const auto exact = read(server, {.session = name});
  ASSERT_EQ(exact.size(), frame_count + 1);
  EXPECT_EQ(exact.at(0).epoch, 0);
  EXPECT_GT(exact.at(frame_count).epoch, 20);
  std::int64_t emitted = 0, removed = 0;
  std::optional<v1::Layout> before;
  const v1::Layout first = client::get_layout(connection, name, 0);
  for (const auto& [index, frame] : exact) {
    if (frame.statistics) {
      emitted += frame.statistics->emitted_count();
      removed += frame.statistics->removed_count();
    }
    if (before && before->epoch() == frame.epoch) continue;
    const v1::Layout layout = client::get_layout(connection, name, frame.epoch);
    ASSERT_EQ(layout.bodies_size(), 3);
    std::int64_t particles = 0;
    for (const v1::Body& body : layout.bodies()) {
      EXPECT_EQ(frame.values(body.name(), v1::FIELD_POSITION).size(),
                3 * static_cast<std::size_t>(body.count()));
      if (body.kind() == v1::BODY_KIND_PARTICLES) particles += body.count();
      EXPECT_TRUE(body.ids().empty() || body.ids_size() == body.count());
    }
    EXPECT_EQ(layout.bodies(2).triangles(), first.bodies(2).triangles());
    EXPECT_FALSE(layout.bodies(2).triangles().empty());
    EXPECT_EQ(particles, first.bodies(0).count() + first.bodies(1).count() + emitted - removed);
    before = layout;
  }
  EXPECT_GT(emitted, 100);
  EXPECT_GT(removed, 100);

  for (const v1::Codec codec : {v1::CODEC_Q16_PLANES_ZSTD, v1::CODEC_Q16_MESHOPT}) {
    const auto frames = read(server, {.session = name, .codec = codec});
    ASSERT_EQ(frames.size(), exact.size());
    for (const auto& [index, frame] : frames) {
      const client::Frame& truth = exact.at(index);
      EXPECT_EQ(frame.epoch, truth.epoch);
      for (const client::FrameArray& array : truth.arrays) {
        if (array.field != v1::FIELD_POSITION) continue;
        const auto values = frame.values(array.body, array.field);
        ASSERT_EQ(values.size(), array.values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_NEAR(values[i], array.values[i], 1e-4) << index << ' ' << array.body;
        }
      }
    }
  }
  // Any frame is found by its index alone, whatever epoch it is in; strides go over epochs.
  EXPECT_EQ(client::digest(client::get_frame(connection, name, 33)), client::digest(exact.at(33)));
  const auto some = read(server, {.session = name, .first_index = 11, .stride = 13});
  ASSERT_EQ(some.size(), 4U);
  EXPECT_EQ(client::digest(some.at(37)), client::digest(exact.at(37)));
}

TEST(ServerSource, killed_workers_and_servers_lose_nothing_of_it) {
  FrameContents expected;
  {
    const TemporaryDirectory data;
    ServerProcess server(data.path(), real_worker());
    const std::string name = create(server, tap()).name();
    wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
    expected = read_existing(server, name);
  }
  const TemporaryDirectory data;
  std::string name;
  {
    ServerProcess server(data.path(), real_worker());
    name = create(server, tap()).name();
    const v1::Session session = wait_until(server, name, [](const v1::Session& s) {
      return s.frame_count() > 12 && s.worker_pid() != 0;
    });
    ASSERT_EQ(kill(static_cast<pid_t>(session.worker_pid()), SIGKILL), 0);
    wait_until(server, name, [](const v1::Session& s) { return s.restart_count() > 0; });
    wait_for_frames(server, name, 25);
    server.kill();
  }
  ServerProcess server(data.path(), real_worker());
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(read_existing(server, name), expected);
}

}  // namespace
}  // namespace sluice::e2e::server_source_test
