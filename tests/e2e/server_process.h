// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/grpcpp.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/v1/assets.grpc.pb.h"
#include "sluice/v1/frames.grpc.pb.h"
#include "sluice/v1/scenes.grpc.pb.h"
#include "sluice/v1/server.grpc.pb.h"
#include "sluice/v1/sessions.grpc.pb.h"

namespace sluice::e2e {

/// A folder of its own that goes with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// In a child, between fork and exec: makes `descriptor` the new file `path`, or ends the child.
void redirect(int descriptor, const std::string& path);

/// How a program ended and what it said.
struct ProgramEnd {
  int exit_code = -1;  ///< 128 + signal if killed by one.
  std::string error_output;
};

/// A real sluiced, on a port that it chose.
class ServerProcess {
 public:
  /// Starts the server and waits until it serves; throws std::runtime_error with what it logged if
  /// it ends instead. Physics is the scripted worker's (scripted_worker.cpp) unless `flags` name
  /// another.
  explicit ServerProcess(const std::filesystem::path& data_directory,
                         std::vector<std::string> flags = {});
  ~ServerProcess();  ///< Kills it.
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Starts a server that is expected not to serve, and waits for its end.
  static ProgramEnd run_to_end(const std::filesystem::path& data_directory,
                               std::vector<std::string> flags);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] int web_port() const { return web_port_; }  ///< 0: it serves no HTTP.
  [[nodiscard]] std::string log() const;
  void kill();             ///< SIGKILL, and waits.
  ProgramEnd terminate();  ///< SIGTERM, and waits.

  std::unique_ptr<v1::Sessions::Stub> sessions;
  std::unique_ptr<v1::Frames::Stub> frames;
  std::unique_ptr<v1::Assets::Stub> assets;
  std::unique_ptr<v1::Scenes::Stub> scenes;
  std::unique_ptr<v1::Server::Stub> server;
  std::shared_ptr<grpc::Channel> channel;

 private:
  TemporaryDirectory output_;
  pid_t pid_ = -1;
  std::string address_;
  int web_port_ = 0;
};

/// The folder of the programs under test, next to this one's.
[[nodiscard]] std::filesystem::path binary_directory();

/// A scene with a little water and a sheet, named `script` (scripted_worker.cpp).
[[nodiscard]] v1::Scene small_scene(const std::string& script = "");

[[nodiscard]] v1::CreateSessionRequest create_request(const v1::Scene& scene,
                                                      std::int64_t frame_count);
/// These throw std::runtime_error with the status unless the call succeeds.
v1::Session create(ServerProcess& server, const v1::CreateSessionRequest& request);
v1::Session create(ServerProcess& server, const std::string& script, std::int64_t frame_count);
v1::Session get(ServerProcess& server, const std::string& name);

/// How long anything may take that comes by itself; the sanitizers make a solver ten times as slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::chrono::seconds usual_patience{250};
constexpr std::int64_t sanitizer_mib = 512;
#else
constexpr std::chrono::seconds usual_patience{60};
/// [MiB] What the sanitizers keep of freed memory, or as shadows of it, at most.
constexpr std::int64_t sanitizer_mib = 0;
#endif

/// Watches a session until `done`, or throws with its state after `patience`.
template <typename Predicate>
v1::Session wait_until(ServerProcess& server, const std::string& name, Predicate done,
                       std::chrono::seconds patience = usual_patience);
v1::Session wait_for_state(ServerProcess& server, const std::string& name, v1::SessionState state);
v1::Session wait_for_frames(ServerProcess& server, const std::string& name, std::int64_t count);
void wait_a_little();
[[noreturn]] void gave_up(const v1::Session& session);

/// Deterministic content of frames by index: header without statistics, then all chunks.
using FrameContents = std::map<std::int64_t, std::string>;
/// Streams what `request` asks for to the end; checks checksums and that frames are whole.
FrameContents read_frames(ServerProcess& server, const v1::StreamFramesRequest& request,
                          grpc::Status* status = nullptr);
/// All frames there are.
FrameContents read_existing(ServerProcess& server, const std::string& session);

template <typename Predicate>
v1::Session wait_until(ServerProcess& server, const std::string& name, Predicate done,
                       std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    v1::Session session = get(server, name);
    if (done(session)) {
      return session;
    }
    if (std::chrono::steady_clock::now() > end) {
      gave_up(session);
    }
    wait_a_little();
  }
}

}  // namespace sluice::e2e
