// SPDX-License-Identifier: Apache-2.0
#include "client/cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "client/cli/exit_code.h"

namespace sluice::cli {
namespace {

std::stop_source& source() {
  static std::stop_source stop;
  return stop;
}

std::atomic<bool> handled{false};

// For a command to end, and to say what is kept. Keys are often hit twice within it.
constexpr std::chrono::seconds time_to_end{1};

}  // namespace

void watch_for_interrupt() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  source();
  // Detached: it waits for as long as the program lives.
  std::thread([signals] {
    std::chrono::steady_clock::time_point first;
    for (;;) {
      int number = 0;
      if (::sigwait(&signals, &number) != 0) {
        continue;
      }
      const auto now = std::chrono::steady_clock::now();
      if (!handled || (source().stop_requested() && now - first > time_to_end)) {
        ::_exit(static_cast<int>(ExitCode::interrupted));
      }
      if (!source().stop_requested()) {
        first = now;
        source().request_stop();
      }
    }
  }).detach();
}

std::stop_token stop_on_interrupt() {
  handled = true;
  return source().get_token();
}

bool was_interrupted() noexcept { return source().stop_requested(); }

}  // namespace sluice::cli
