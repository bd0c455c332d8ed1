// SPDX-License-Identifier: Apache-2.0
#include "server/session/run_slots.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::session {

void RunSlots::request(const std::string& id, Client client) {
  std::vector<std::function<void()>> calls;
  {
    const std::lock_guard lock(mutex_);
    if (holders_.contains(id) ||
        std::ranges::any_of(waiting_, [&](const auto& entry) { return entry.first == id; })) {
      return;
    }
    if (free_ > 0) {
      --free_;
      calls.push_back(client.granted);
      holders_.emplace(id, std::move(client));
    } else {
      waiting_.emplace_back(id, std::move(client));
      for (const auto& [other, holder] : holders_) {
        calls.push_back(holder.please_yield);
      }
    }
  }
  for (const auto& call : calls) {
    call();
  }
}

void RunSlots::release(const std::string& id) {
  std::function<void()> granted;
  {
    const std::lock_guard lock(mutex_);
    if (holders_.erase(id) == 0) {
      std::erase_if(waiting_, [&](const auto& entry) { return entry.first == id; });
      return;
    }
    if (waiting_.empty()) {
      ++free_;
      return;
    }
    auto [next, client] = std::move(waiting_.front());
    waiting_.pop_front();
    granted = client.granted;
    holders_.emplace(std::move(next), std::move(client));
  }
  granted();
}

int RunSlots::waiting_count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(waiting_.size());
}

}  // namespace sluice::session
