// SPDX-License-Identifier: Apache-2.0
#include "server/stream/subscription_registry.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "server/stream/frame_record.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

std::string SubscriptionRegistry::add(std::weak_ptr<Subscription> subscription) {
  std::random_device random;  // The kernel's generator: not to be guessed.
  const std::string id =
      fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
  const std::lock_guard lock(mutex_);
  by_id_.emplace(id, std::move(subscription));
  return id;
}

void SubscriptionRegistry::remove(std::string_view id) {
  const std::lock_guard lock(mutex_);
  if (const auto at = by_id_.find(id); at != by_id_.end()) {
    by_id_.erase(at);
  }
}

std::shared_ptr<Subscription> SubscriptionRegistry::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : at->second.lock();
}

std::size_t SubscriptionRegistry::count() const {
  const std::lock_guard lock(mutex_);
  return by_id_.size();
}

store::SharedBytes start_message(std::string_view id) {
  v1::StreamFramesResponse message;
  message.mutable_start()->set_stream_id(std::string(id));
  return share(message.SerializeAsString());
}

}  // namespace sluice::stream
