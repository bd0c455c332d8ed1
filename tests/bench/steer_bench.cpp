// SPDX-License-Identifier: Apache-2.0
// How long a person waits for what they do: from the call of Steer to the first frame that the
// command acts on, whole, at a client that reads the newest frames.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "sluice/connection.h"
#include "sluice/frame_stream.h"
#include "sluice/session.h"
#include "tests/bench/service_fixture.h"

namespace sluice::bench {
namespace {

constexpr std::int64_t particle_count = 60'000;
constexpr int command_count = 60;

v1::SteerCommand gravity(double x) {
  v1::SteerCommand command;
  for (const double component : {x, 0.0, -9.81})
    command.mutable_set_gravity()->add_gravity(component);
  return command;
}

// A command is taken between frames: it waits for the one at hand, half a frame on average, and is
// seen when the next is done. So frames are short here, 240 in a second; `frames` tells the wait in
// frames, which is the same for any rate.
void command_to_frame(benchmark::State& state) {
  client::PrivateServer server = start_server();
  const client::Connection connection(server.address());
  std::vector<double> waits;
  double frame_seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::string session = create(connection, block_scene(particle_count, 240), 100'000, 2);
    wait_for_frames(connection, session, 10);
    client::FrameStream stream(connection,
                               {.session = session, .latest = true, .max_in_flight = 1});
    auto frame = stream.next();
    const std::int64_t first = frame->index;
    const auto begin = Clock::now();
    for (int i = 0; i < command_count; ++i) {
      // At any moment of a frame: a different part of one each time.
      std::this_thread::sleep_for(std::chrono::microseconds(1'000 + 7'919 * i % 60'000));
      const auto start = Clock::now();
      const std::int64_t acts = client::steer_session(connection, session, gravity(0.1 * i));
      do {
        frame = stream.next();
      } while (frame->index < acts);
      waits.push_back(1e3 * seconds_since(start));
    }
    frame_seconds = seconds_since(begin) / static_cast<double>(frame->index - first);
    client::cancel_session(connection, session);
  }
  std::sort(waits.begin(), waits.end());
  state.counters["p50_ms"] = waits[waits.size() / 2];
  state.counters["p90_ms"] = waits[waits.size() * 9 / 10];
  state.counters["frame_ms"] = 1e3 * frame_seconds;
  state.counters["frames"] = waits[waits.size() / 2] / (1e3 * frame_seconds);
}
BENCHMARK(command_to_frame)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace sluice::bench
