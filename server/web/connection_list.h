// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace sluice::web {

class Connection;

/// The connections that are open. Thread-safe.
class ConnectionList {
 public:
  void add(const std::shared_ptr<Connection>& connection) {
    const std::lock_guard lock(mutex_);
    open_.emplace(connection.get(), connection);
  }
  void remove(const Connection* connection) {
    const std::lock_guard lock(mutex_);
    open_.erase(connection);
  }
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }
  [[nodiscard]] std::vector<std::shared_ptr<Connection>> all() const {
    std::vector<std::shared_ptr<Connection>> connections;
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
  std::map<const Connection*, std::weak_ptr<Connection>> open_;
};

}  // namespace sluice::web
