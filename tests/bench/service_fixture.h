// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "sluice/connection.h"
#include "sluice/private_server.h"
#include "sluice/v1/scene.pb.h"
#include "sluice/v1/sessions.pb.h"

/// What the benchmarks of the service share: a real sluiced, sessions on it, a clock.
namespace sluice::bench {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A private server of the built sluiced.
[[nodiscard]] client::PrivateServer start_server();

/// A sluiced that listens on a port of the loopback interface, for comparisons over TCP. Its data
/// go when it does.
class TcpServer {
 public:
  TcpServer();
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;
  ~TcpServer();
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  std::filesystem::path data_directory_;
  int pid_ = 0;
  std::string address_;
};

/// A scene of client/scenes, with its meshes uploaded to `connection`.
[[nodiscard]] v1::Scene example_scene(const client::Connection& connection,
                                      const std::string& name);

/// The main one of them: the demo's.
[[nodiscard]] v1::Scene main_scene(const client::Connection& connection);

/// A block of about `particle_count` particles at rest in a box, cell 1 cm. With the frame rate
/// given each frame is a few substeps or one.
[[nodiscard]] v1::Scene block_scene(std::int64_t particle_count, double frames_per_second);

/// Creates a session of `scene` and returns its name.
[[nodiscard]] std::string create(const client::Connection& connection, const v1::Scene& scene,
                                 std::int64_t frame_count, int thread_count);

/// Waits until `frame_count` frames are durable, or throws with the session's message when it ended
/// before.
void wait_for_frames(const client::Connection& connection, const std::string& session,
                     std::int64_t frame_count);

}  // namespace sluice::bench
