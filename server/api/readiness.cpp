// SPDX-License-Identifier: Apache-2.0
#include "server/api/readiness.h"

#include <utility>

namespace sluice::api {

using std::chrono::steady_clock;

void Readiness::ask(std::function<void(Reasons)> tell) {
  std::unique_lock lock(mutex_);
  if (asking_.empty() && steady_clock::now() < known_until_) {
    Reasons known = known_;
    lock.unlock();
    tell(std::move(known));
    return;
  }
  asking_.push_back(std::move(tell));
  const bool is_first = asking_.size() == 1;
  lock.unlock();
  if (is_first) {
    pool_.post([this] { run(); });
  }
}

void Readiness::run() {
  const Reasons found = check_();
  std::vector<std::function<void(Reasons)>> asking;
  {
    const std::lock_guard lock(mutex_);
    known_ = found;
    known_until_ = steady_clock::now() + std::chrono::seconds(1);
    asking.swap(asking_);
  }
  for (const auto& tell : asking) {
    tell(found);
  }
}

}  // namespace sluice::api
