// SPDX-License-Identifier: Apache-2.0
#include "client/lib/backoff.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace sluice::client {
namespace {

constexpr std::chrono::milliseconds first_delay{50};
constexpr std::chrono::milliseconds longest_delay{2000};

}  // namespace

Backoff::Backoff(std::chrono::milliseconds limit, std::stop_token stop)
    : limit_(limit), stop_(std::move(stop)), delay_(first_delay) {}

void Backoff::reset() noexcept {
  delay_ = first_delay;
  failing_ = false;
}

bool Backoff::wait() {
  const auto now = std::chrono::steady_clock::now();
  if (!failing_) {
    failing_ = true;
    failing_since_ = now;
  }
  if (stop_.stop_requested() || now - failing_since_ >= limit_) {
    return false;
  }
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop_, delay_, [] { return false; });
  delay_ = std::min(delay_ * 2, longest_delay);
  return !stop_.stop_requested();
}

}  // namespace sluice::client
