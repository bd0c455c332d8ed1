// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "server/store/store_error.h"
#include "server/stream/frame_record.h"
#include "server/stream/frame_selection.h"

namespace sluice::stream {

/// Frames in memory by (index, selection), the least recently used leaving first.
///
/// Of several threads that ask for the same missing frame one loads it and the others wait for
/// that. Thread-safe. Frames that were handed out live on after they left.
class FrameCache {
 public:
  using Load = std::function<store::Result<FrameMessages>()>;

  /// Holds up to `max_bytes`, and one frame even if it is larger.
  explicit FrameCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  [[nodiscard]] std::optional<FrameMessages> find(std::uint64_t index,
                                                  const FrameSelection& selection);

  /// The frame, from memory or through `load`. A failure is not kept.
  [[nodiscard]] store::Result<FrameMessages> get(std::uint64_t index,
                                                 const FrameSelection& selection, const Load& load);

  /// Puts in a frame of everything.
  void put(std::uint64_t index, FrameMessages messages);

 private:
  using Key = std::pair<std::uint64_t, FrameSelection>;
  struct Loading {
    std::mutex mutex;
    FrameMessages messages;  // Empty until loaded: a frame has a header at least.
  };
  struct Entry {
    FrameMessages messages;
    std::size_t bytes;
    std::list<Key>::iterator age;
  };
  std::optional<FrameMessages> find_locked(const Key& key);
  void put_locked(const Key& key, FrameMessages messages);

  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<Key> by_age_;  // Oldest first.
  std::map<Key, Entry> entries_;
  std::map<Key, std::shared_ptr<Loading>> loading_;
};

}  // namespace sluice::stream
