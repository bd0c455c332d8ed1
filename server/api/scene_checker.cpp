// SPDX-License-Identifier: Apache-2.0
#include "server/api/scene_checker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "server/api/reply.h"
#include "server/api/scene_check_process.h"
#include "server/asset_names/asset_names.h"
#include "server/convert/scene_load.h"
#include "server/session/assignment.h"

namespace sluice::api {
namespace {

using session::Result;

// Waiting scenes of a lane: each is a message in memory.
constexpr std::size_t most_waiting = 64;
constexpr std::chrono::seconds longest_small_check{3};
constexpr std::chrono::seconds longest_check{300};
// Text up to this is parsed here, to find its lane.
constexpr std::size_t small_json_bytes = std::size_t{256} << 10;

// A second's work, roughly, on a slow machine.
constexpr double small_vertex_count = 20'000;
constexpr double small_cell_count = 1e6;
constexpr std::uint64_t small_asset_bytes = std::uint64_t{1} << 20;

}  // namespace

bool looks_small(const v1::Scene& scene, const store::AssetStore& assets) {
  double vertices = 0;
  for (const v1::Cloth& cloth : scene.cloths()) {
    double count = 1;
    for (const std::int32_t along : cloth.grid().vertices()) {
      count *= std::max(0, along);
    }
    vertices += count;
  }
  // How many vertices such a size leads to is what the check finds out.
  const auto has_size = [](const auto& body) { return body.has_element_size(); };
  if (std::ranges::any_of(scene.soft_bodies(), has_size) ||
      std::ranges::any_of(scene.rigid_bodies(), has_size)) {
    return false;
  }
  double cells = 1;
  const int axes = std::min(scene.domain().lower_size(), scene.domain().upper_size());
  for (int axis = 0; axis < axes && scene.fluid_grid().cell_size() > 0; ++axis) {
    cells *= std::abs(scene.domain().upper(axis) - scene.domain().lower(axis)) /
             scene.fluid_grid().cell_size();
  }
  std::uint64_t bytes = 0;
  for (const std::string& name : asset_names::find(scene)) {
    const auto hash = session::asset_hash_of(name);
    const auto size = hash ? assets.size_of(*hash) : store::Result<std::uint64_t>(std::uint64_t{0});
    bytes += size ? *size : 0;
  }
  const int bodies = scene.cloths_size() + scene.soft_bodies_size() + scene.rigid_bodies_size();
  return vertices <= small_vertex_count && cells <= small_cell_count &&
         bytes * static_cast<std::uint64_t>(std::max(bodies, 1)) <= small_asset_bytes;
}

SceneChecker::SceneChecker(const session::Environment& environment, std::filesystem::path program)
    : environment_(environment), program_(std::move(program)) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  threads_.emplace_back([this] { work(small_); });
  for (int i = 0; i < std::max(1, cores / 2); ++i) {
    threads_.emplace_back([this] { work(large_); });
  }
}

SceneChecker::~SceneChecker() { stop(); }

void SceneChecker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  end_now_ = true;
  small_.ready.notify_all();
  large_.ready.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) {
      thread.join();
    }
  }
}

void SceneChecker::check(const v1::Scene& scene, const grpc::CallbackServerContext* client,
                         Reply reply) {
  v1::SceneCheckRequest request;
  *request.mutable_scene() = scene;
  queue(std::move(request), looks_small(scene, environment_.assets), client, std::move(reply));
}

void SceneChecker::check_json(const std::string& json, const grpc::CallbackServerContext* client,
                              Reply reply) {
  v1::SceneCheckRequest request;
  request.set_json(json);
  const bool is_small = json.size() <= small_json_bytes &&
                        looks_small(convert::parse_scene(json).scene, environment_.assets);
  queue(std::move(request), is_small, client, std::move(reply));
}

void SceneChecker::queue(v1::SceneCheckRequest request, bool is_small,
                         const grpc::CallbackServerContext* client, Reply reply) {
  const session::Limits& limits = environment_.settings.limits;
  request.set_assets_path(environment_.directory.assets_path().string());
  request.set_asset_bytes(limits.asset_bytes);
  request.set_particle_count(limits.particles_per_scene);
  request.set_vertex_count(limits.vertices_per_scene);
  request.set_frame_count(limits.frames_per_session - 1);
  Lane& lane = is_small ? small_ : large_;
  std::unique_lock lock(mutex_);
  if (stopping_ || lane.jobs.size() >= most_waiting) {
    const session::Error refused = stopping_ ? session::server_stopping() : session::checks_busy();
    lock.unlock();
    reply(refused);
    return;
  }
  lane.jobs.push_back({request.SerializeAsString(), client, std::move(reply)});
  lock.unlock();
  lane.ready.notify_one();
}

void SceneChecker::work(Lane& lane) {
  const bool is_small = &lane == &small_;
  for (;;) {
    std::unique_lock lock(mutex_);
    lane.ready.wait(lock, [&] { return stopping_ || !lane.jobs.empty(); });
    if (lane.jobs.empty()) {
      return;
    }
    Job job = std::move(lane.jobs.front());
    lane.jobs.pop_front();
    lock.unlock();
    CheckBounds bounds;
    bounds.patience = is_small ? longest_small_check : longest_check;
    bounds.memory_bytes = environment_.settings.limits.worker_memory_bytes;
    bounds.nice = is_small ? 0 : 10;
    bounds.end_now = [this, client = job.client] { return end_now_ || client->IsCancelled(); };
    const auto begin = std::chrono::steady_clock::now();
    std::optional<Result<v1::SceneCheckResponse>> found;
    if (end_now_) {
      found = session::server_stopping();
    } else if (job.client->IsCancelled()) {
      found = session::internal_error("the client has gone");
    } else {
      found = answer_of<v1::SceneCheckResponse>(
          [&] { return run_scene_check_process(program_, job.request, bounds); });
    }
    if (!*found && end_now_) {
      found = session::server_stopping();
    }
    const bool took_too_long =
        !*found && std::chrono::steady_clock::now() - begin >= longest_small_check;
    if (is_small && took_too_long && !end_now_ && !job.client->IsCancelled()) {
      lock.lock();
      if (!stopping_ && large_.jobs.size() < most_waiting) {
        large_.jobs.push_back(std::move(job));
        large_.ready.notify_one();
        continue;
      }
      found = stopping_ ? session::server_stopping() : session::checks_busy();
      lock.unlock();
    }
    job.reply(*std::move(found));
  }
}

}  // namespace sluice::api
