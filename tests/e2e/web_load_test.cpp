// SPDX-License-Identifier: Apache-2.0
// Fifty viewers of one session at once. SLUICE_LOAD_SECONDS says for how long (5 if it does not).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/e2e/server_process.h"
#include "tests/e2e/web_client.h"

namespace sluice::e2e::web_load_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int viewer_count = 50;
// What a session's newest frames may take in memory, shared by all viewers (server/stream).
constexpr double frame_cache_mib = 64;

double resident_mib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) {
      return std::stod(line.substr(6)) / 1024;
    }
  }
  return 0;
}

double stored_mib(const v1::Session& session) {
  return static_cast<double>(session.stored_byte_count()) / (1 << 20);
}

seconds load_time() {
  const char* const text = std::getenv("SLUICE_LOAD_SECONDS");
  return seconds(text == nullptr ? usual_patience.count() / 12 : std::stoi(text));
}

TEST(WebLoad, fifty_viewers_cost_no_memory_over_time) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  const std::string name = create(server, "slow=20", 100'000).name();
  const auto end = steady_clock::now() + load_time();
  std::atomic<bool> stop = false;
  std::atomic<int> ended_early = 0;
  std::array<std::atomic<std::int64_t>, viewer_count> frames{};
  std::vector<std::thread> viewers;
  viewers.reserve(viewer_count);
  for (int i = 0; i < viewer_count; ++i) {
    viewers.emplace_back([&, i] {
      v1::StreamFramesRequest request;
      request.set_session(name);
      WebCall call(server.web_port(), "Frames/Stream", request);
      v1::StreamFramesResponse message;
      while (!stop && call.read(message)) {
        frames[static_cast<std::size_t>(i)] += message.has_header() ? 1 : 0;
      }
      ended_early += stop ? 0 : 1;
    });
  }
  std::this_thread::sleep_for(load_time() / 4);  // All are there, buffers have their size.
  const double before = resident_mib(server.pid());
  const double stored_before = stored_mib(get(server, name));
  double most = before;
  while (steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(100));
    most = std::max(most, resident_mib(server.pid()));
  }
  const v1::Session session = get(server, name);
  stop = true;
  for (std::thread& viewer : viewers) {
    viewer.join();
  }
  EXPECT_EQ(ended_early, 0);
  EXPECT_EQ(session.state(), v1::SESSION_STATE_RUNNING);
  EXPECT_EQ(session.restart_count(), 0);
  for (const auto& count : frames) {
    EXPECT_GT(count, session.frame_count() / 2) << "a viewer was left behind";
  }
  // A copy for each viewer would be fifty times that.
  const double cached = std::min(frame_cache_mib, stored_mib(session) - stored_before);
  EXPECT_LT(most - before, 24 + cached + static_cast<double>(sanitizer_mib))
      << "MiB more than the " << before << " at first";
  std::cout << "memory " << before << " MiB, at most " << most << ", of which frames " << cached
            << "; " << session.frame_count() << " frames to each of " << viewer_count
            << " viewers\n";
}

}  // namespace
}  // namespace sluice::e2e::web_load_test
