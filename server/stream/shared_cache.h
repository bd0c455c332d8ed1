// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "server/store/store_error.h"

namespace sluice::stream {

/// A cache of values in memory, which drops the least recently used value first.
///
/// If several threads ask for the same missing value, one loads it and the others wait for it.
/// Thread-safe. A value that was handed out stays valid after the cache drops it.
template <typename Key, typename Value>
class SharedCache {
 public:
  using Load = std::function<store::Result<Value>()>;
  using ByteCount = std::size_t (*)(const Value&);

  /// Holds up to `max_bytes`, as counted by `byte_count`, but always the newest value.
  SharedCache(std::size_t max_bytes, ByteCount byte_count)
      : max_bytes_(max_bytes), byte_count_(byte_count) {}

  [[nodiscard]] std::optional<Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    return find_locked(key);
  }

  /// Returns the value, from memory or from `load`. A failure is not kept.
  [[nodiscard]] store::Result<Value> get(const Key& key, const Load& load) {
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
    if (const auto& known = loading->value; known) {
      return *known;  // Another thread loaded it while we waited.
    }
    auto value = load();
    const std::lock_guard lock(mutex_);
    const auto slot = loading_.find(key);
    if (slot != loading_.end() && slot->second == loading) {
      loading_.erase(slot);
    }
    if (value) {
      loading->value = *value;
      put_locked(key, *value);
    }
    return value;
  }

  void put(const Key& key, Value value) {
    const std::lock_guard lock(mutex_);
    put_locked(key, std::move(value));
  }

 private:
  struct Loading {
    std::mutex mutex;
    std::optional<Value> value;
  };
  struct Entry {
    Value value;
    std::size_t bytes;
    typename std::list<Key>::iterator age;
  };

  std::optional<Value> find_locked(const Key& key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) {
      return std::nullopt;
    }
    by_age_.splice(by_age_.end(), by_age_, at->second.age);
    return at->second.value;
  }

  void put_locked(const Key& key, Value value) {
    if (find_locked(key)) {
      return;
    }
    const std::size_t bytes = byte_count_(value);
    while (!by_age_.empty() && bytes_ + bytes > max_bytes_) {
      const auto oldest = entries_.find(by_age_.front());
      bytes_ -= oldest->second.bytes;
      entries_.erase(oldest);
      by_age_.pop_front();
    }
    by_age_.push_back(key);
    entries_.emplace(
        key, Entry{.value = std::move(value), .bytes = bytes, .age = std::prev(by_age_.end())});
    bytes_ += bytes;
  }

  const std::size_t max_bytes_;
  const ByteCount byte_count_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<Key> by_age_;  // Oldest first.
  std::map<Key, Entry> entries_;
  std::map<Key, std::shared_ptr<Loading>> loading_;
};

}  // namespace sluice::stream
