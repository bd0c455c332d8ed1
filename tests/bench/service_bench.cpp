// SPDX-License-Identifier: Apache-2.0
// What the service costs on top of the solver, and what subscribers cost the worker. Figures of one
// comparison are taken in one run, interleaved.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "server/convert/scene_load.h"
#include "server/worker/heap.h"
#include "sluice/connection.h"
#include "sluice/frame_stream.h"
#include "sluice/scene_file.h"
#include "sluice/session.h"
#include "solver/simulation.h"
#include "tests/bench/service_fixture.h"

namespace sluice::bench {
namespace {

constexpr int thread_count = 2;

std::unique_ptr<Simulation> bare_simulation() {
  const std::string folder = SLUICE_SCENES;
  const auto read = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const convert::ParsedScene parsed =
      convert::parse_scene(read(folder + "/water_on_sloped_cloth.json"));
  const convert::LoadedScene loaded = convert::load_scene(
      parsed.scene,
      [&](std::string_view name) -> Result<convert::AssetFile> {
        return convert::AssetFile{std::string(name), read(folder + "/" + std::string(name))};
      },
      {}, parsed.problems);
  if (!loaded.runnable()) throw std::runtime_error("the main scene cannot be loaded");
  Result<std::unique_ptr<Simulation>> simulation =
      Simulation::create(loaded.scene, {.thread_count = thread_count, .observer = nullptr});
  if (!simulation) throw std::runtime_error(simulation.error().message);
  return std::move(simulation).value();
}

/// Seconds for `count` frames of the bare solver loop.
double bare_seconds(Simulation& simulation, int count) {
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i)
    if (auto result = simulation.advance_frame(); !result)
      throw std::runtime_error(result.error().message);
  return seconds_since(start);
}

// Worker, link, store and one subscriber that reads every frame, against Simulation::advance_frame
// in a loop: the same frames of the main scene, in alternating windows.
void service_overhead(benchmark::State& state) {
  constexpr int window = 4;
  constexpr int window_count = 5;
  worker::keep_freed_memory();  // The service's solver does so too: the service alone is measured.
  client::PrivateServer server = start_server();
  const client::Connection connection(server.address());
  double bare = 0;
  double service = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::unique_ptr<Simulation> simulation = bare_simulation();
    client::CreateOptions options;
    options.run.set_thread_count(thread_count);
    options.run.set_frame_count(std::int64_t{window} * window_count);
    options.run.set_start_paused(true);
    const std::string session =
        client::create_session(connection, main_scene(connection), options).name();
    client::FrameStream stream(connection, {.session = session});
    stream.next();  // Frame 0: the worker is there.
    for (int i = 0; i < window_count; ++i) {
      bare += bare_seconds(*simulation, window);
      const auto start = Clock::now();
      client::step_session(connection, session, window);
      for (int frame = 0; frame < window; ++frame)
        stream.next();
      service += seconds_since(start);
    }
  }
  state.counters["bare_seconds"] = bare;
  state.counters["service_seconds"] = service;
  state.counters["ratio"] = service / bare;
}
BENCHMARK(service_overhead)->Iterations(1)->Unit(benchmark::kSecond);

// The worker's rate with no subscriber, and with 20 of which one never reads: the solver's own time
// for the same windows would hide waiting for credits, so it is wall time of stepped windows.
// One thread, so that a machine of two cores has one for the subscribers: their own work is no cost
// of the worker's.
void subscribers(benchmark::State& state) {
  constexpr int window = 4;
  constexpr int window_count = 6;
  constexpr int reader_count = 19;
  client::PrivateServer server = start_server();
  const client::Connection connection(server.address());
  double alone = 0;
  double watched = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto make = [&] {
      client::CreateOptions options;
      options.run.set_thread_count(1);
      options.run.set_frame_count(std::int64_t{window} * window_count);
      options.run.set_start_paused(true);
      const std::string name =
          client::create_session(connection, main_scene(connection), options).name();
      wait_for_frames(connection, name, 1);
      return name;
    };
    const auto step = [&](const std::string& name, int windows_done) {
      const auto start = Clock::now();
      client::step_session(connection, name, window);
      wait_for_frames(connection, name, 1 + window * (windows_done + 1));
      return seconds_since(start);
    };
    const std::string quiet_session = make();
    const std::string watched_session = make();
    std::stop_source stop;
    std::vector<std::jthread> readers;
    client::FrameStream never_read(connection, {.session = watched_session}, stop.get_token());
    never_read.next();  // Opens the stream; nothing is read after.
    readers.reserve(reader_count);
    for (int i = 0; i < reader_count; ++i)
      readers.emplace_back([&] {
        client::FrameStream stream(connection, {.session = watched_session}, stop.get_token());
        while (stream.next())
          continue;
      });
    for (int i = 0; i < window_count; ++i) {
      alone += step(quiet_session, i);
      watched += step(watched_session, i);
    }
    stop.request_stop();
  }
  state.counters["alone_seconds"] = alone;
  state.counters["watched_seconds"] = watched;
  state.counters["ratio"] = watched / alone;
}
BENCHMARK(subscribers)->Iterations(1)->Unit(benchmark::kSecond);

// How old a frame is when a reader of 10 Hz with DELIVERY_LATEST and one credit gets it: the time
// since it reached a reader that takes every frame at once.
void latest_age(benchmark::State& state) {
  client::PrivateServer server = start_server();
  const client::Connection connection(server.address());
  std::vector<double> ages;
  double rate = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::string session = create(connection, block_scene(500, 2000), 1'000'000, 1);
    wait_for_frames(connection, session, 10);
    std::mutex mutex;
    std::map<std::int64_t, Clock::time_point> arrivals;
    std::stop_source stop;
    const auto begin = Clock::now();
    std::jthread fast([&] {
      client::FrameStream stream(connection, {.session = session, .latest = true},
                                 stop.get_token());
      while (const auto frame = stream.next()) {
        const std::lock_guard lock(mutex);
        arrivals.emplace(frame->index, Clock::now());
      }
    });
    client::FrameStream slow(connection, {.session = session, .latest = true, .max_in_flight = 1});
    for (int i = 0; i < 120; ++i) {
      const auto frame = slow.next();
      const auto now = Clock::now();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::lock_guard lock(mutex);
      // A frame that the fast reader got later, or skipped, is younger than the next one it got.
      const auto arrival = arrivals.lower_bound(frame->index);
      if (i >= 10 && arrival != arrivals.end())
        ages.push_back(std::max(0.0, std::chrono::duration<double>(now - arrival->second).count()));
    }
    rate = static_cast<double>(arrivals.size()) / seconds_since(begin);
    stop.request_stop();
    client::cancel_session(connection, session);
  }
  std::sort(ages.begin(), ages.end());
  state.counters["frames_per_second"] = rate;
  state.counters["median_ms"] = 1e3 * ages.at(ages.size() / 2);
  state.counters["p99_ms"] = 1e3 * ages.at(ages.size() * 99 / 100);
}
BENCHMARK(latest_age)->Iterations(1)->Unit(benchmark::kSecond);

// Peak resident memory of a worker for each particle. (What an empty worker takes, some 30 MB,
// counts.)
void worker_memory(benchmark::State& state) {
  client::PrivateServer server = start_server();
  const client::Connection connection(server.address());
  double bytes = 0;
  double particle_count = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::string session =
        create(connection, block_scene(state.range(0), 20'000), 30, thread_count);
    // Two checkpoints are behind it: saving is where memory peaks.
    wait_for_frames(connection, session, 25);
    const v1::Session now = client::get_session(connection, session);
    std::ifstream status("/proc/" + std::to_string(now.worker_pid()) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmHWM:")) bytes = 1024 * std::stod(line.substr(6));
    if (bytes == 0) throw std::runtime_error("the worker was gone before its memory could be read");
    particle_count = static_cast<double>(now.particle_count());
    client::cancel_session(connection, session);
  }
  state.counters["bytes_per_particle"] = bytes / particle_count;
}
BENCHMARK(worker_memory)->Arg(1'000'000)->Arg(2'000'000)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace sluice::bench
