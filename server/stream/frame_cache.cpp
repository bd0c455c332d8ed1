// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_cache.h"

namespace sluice::stream {
namespace {

std::size_t bytes_in(const FrameMessages& messages) {
  std::size_t bytes = 0;
  for (const store::SharedBytes& message : messages) {
    bytes += message.size();
  }
  return bytes;
}

}  // namespace

std::optional<FrameMessages> FrameCache::find_locked(const Key& key) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) {
    return std::nullopt;
  }
  by_age_.splice(by_age_.end(), by_age_, at->second.age);
  return at->second.messages;
}

void FrameCache::put_locked(const Key& key, FrameMessages messages) {
  if (find_locked(key)) {
    return;
  }
  const std::size_t bytes = bytes_in(messages);
  while (!by_age_.empty() && bytes_ + bytes > max_bytes_) {
    const auto oldest = entries_.find(by_age_.front());
    bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
    by_age_.pop_front();
  }
  by_age_.push_back(key);
  entries_.emplace(
      key, Entry{.messages = std::move(messages), .bytes = bytes, .age = std::prev(by_age_.end())});
  bytes_ += bytes;
}

std::optional<FrameMessages> FrameCache::find(std::uint64_t index,
                                              const FrameSelection& selection) {
  const std::lock_guard lock(mutex_);
  return find_locked({index, selection});
}

store::Result<FrameMessages> FrameCache::get(std::uint64_t index, const FrameSelection& selection,
                                             const Load& load) {
  const Key key(index, selection);
  std::shared_ptr<Loading> loading;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = find_locked(key)) {
      return *std::move(found);
    }
    auto& slot = loading_[key];
    if (!slot) {
      slot = std::make_shared<Loading>();
    }
    loading = slot;
  }
  const std::lock_guard load_lock(loading->mutex);
  if (!loading->messages.empty()) {
    return loading->messages;  // Another thread loaded it while we waited.
  }
  auto messages = load();
  const std::lock_guard lock(mutex_);
  const auto slot = loading_.find(key);
  if (slot != loading_.end() && slot->second == loading) {
    loading_.erase(slot);
  }
  if (messages) {
    loading->messages = *messages;
    put_locked(key, *messages);
  }
  return messages;
}

void FrameCache::put(std::uint64_t index, FrameMessages messages) {
  const std::lock_guard lock(mutex_);
  put_locked({index, FrameSelection()}, std::move(messages));
}

}  // namespace sluice::stream
