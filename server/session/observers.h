// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace sluice::session {

/// A list of callbacks that `notify` calls. Thread-safe. A callback runs under the list's lock, so
/// it must only post a task; once its handle is destroyed it is never called again.
class Observers {
 public:
  using Handle = std::shared_ptr<void>;

  [[nodiscard]] Handle add(std::function<void()> callback) {
    const std::lock_guard lock(list_->mutex);
    const std::uint64_t id = list_->next_id++;
    list_->callbacks.emplace(id, std::move(callback));
    return {static_cast<void*>(list_.get()), [list = list_, id](void*) {
              const std::lock_guard guard(list->mutex);
              list->callbacks.erase(id);
            }};
  }

  void notify() const {
    const std::lock_guard lock(list_->mutex);
    for (const auto& [id, callback] : list_->callbacks) {
      callback();
    }
  }

 private:
  struct List {
    std::mutex mutex;
    std::uint64_t next_id = 0;
    std::map<std::uint64_t, std::function<void()>> callbacks;
  };
  std::shared_ptr<List> list_ = std::make_shared<List>();
};

}  // namespace sluice::session
