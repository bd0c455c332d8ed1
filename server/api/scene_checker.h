// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_context.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/session/environment.h"
#include "server/session/error.h"
#include "sluice/v1/scene_check.pb.h"

namespace sluice::api {

/// Checks scenes, each in a process of its own (scene_check_process.h), a few at a time.
///
/// A scene of some hundred bytes may take a minute and gigabytes to check, and its meshes may come
/// from anybody. A process has limits, can be ended at once, and a crash in it harms nothing else.
/// Scenes that look small have a lane of their own, so that they do not wait for large ones; a
/// scene that turns out to be large starts again in the other lane. Thread-safe.
class SceneChecker {
 public:
  using Reply = std::function<void(session::Result<v1::SceneCheckResponse>)>;

  /// `program` is the path of this program, which also runs checks (see `run_scene_check`).
  SceneChecker(const session::Environment& environment, std::filesystem::path program);
  ~SceneChecker();  ///< Calls `stop`.
  SceneChecker(const SceneChecker&) = delete;
  SceneChecker& operator=(const SceneChecker&) = delete;

  /// Queues a check. `reply` is called once, on a thread of the checker or at once. Errors:
  /// `resource_exhausted` if too many are queued (with a time to wait) or after 300 s;
  /// `unavailable` after `stop`. A check whose `client` has gone is ended.
  void check(const v1::Scene& scene, const grpc::CallbackServerContext* client, Reply reply);
  void check_json(const std::string& json, const grpc::CallbackServerContext* client, Reply reply);

  /// Ends the running checks, and answers all waiting ones with `unavailable`.
  void stop();

 private:
  struct Job {
    std::string request;  ///< A serialised v1::SceneCheckRequest.
    const grpc::CallbackServerContext* client;
    Reply reply;
  };
  struct Lane {
    std::deque<Job> jobs;
    std::condition_variable ready;
  };

  void queue(v1::SceneCheckRequest request, bool is_small,
             const grpc::CallbackServerContext* client, Reply reply);
  void work(Lane& lane);

  const session::Environment& environment_;
  const std::filesystem::path program_;
  std::mutex mutex_;
  Lane small_, large_;
  bool stopping_ = false;
  std::atomic<bool> end_now_ = false;
  std::vector<std::thread> threads_;
};

/// Guesses, from counts and sizes alone, whether the check of a scene takes less than a second.
[[nodiscard]] bool looks_small(const v1::Scene& scene, const store::AssetStore& assets);

}  // namespace sluice::api
