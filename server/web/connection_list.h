// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "server/web/open_connection.h"

namespace sluice::web {

/// The open connections. Thread-safe.
class ConnectionList {
 public:
  void add(const std::shared_ptr<OpenConnection>& connection) {
    const std::lock_guard lock(mutex_);
    open_.emplace(connection.get(), connection);
  }
  void remove(const OpenConnection* connection) {
    const std::lock_guard lock(mutex_);
    open_.erase(connection);
  }
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }
  [[nodiscard]] std::vector<std::shared_ptr<OpenConnection>> all() const {
    std::vector<std::shared_ptr<OpenConnection>> connections;
    const std::lock_guard lock(mutex_);
    for (const auto& [address, weak] : open_) {
      if (auto connection = weak.lock()) {
        connections.push_back(std::move(connection));
      }
    }
    return connections;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const OpenConnection*, std::weak_ptr<OpenConnection>> open_;
};

}  // namespace sluice::web
