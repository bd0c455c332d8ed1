// SPDX-License-Identifier: Apache-2.0
#include "client/cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
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
    for (;;) {
      int number = 0;
      if (::sigwait(&signals, &number) != 0) {
        continue;
      }
      if (!handled || source().stop_requested()) {
        ::_exit(static_cast<int>(ExitCode::interrupted));
      }
      source().request_stop();
    }
  }).detach();
}

std::stop_token stop_on_interrupt() {
  handled = true;
  return source().get_token();
}

bool was_interrupted() noexcept { return source().stop_requested(); }

}  // namespace sluice::cli
