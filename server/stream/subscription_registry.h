// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/stream/subscription.h"

namespace sluice::stream {

/// The open streams by the id that `StreamStart` tells the client, so that the unary `Ack` finds
/// them. Ids are 128 random bits in hex, so nobody can guess another client's id. Thread-safe.
class SubscriptionRegistry {
 public:
  /// Registers a stream and returns its id. Does not keep the stream alive.
  std::string add(std::weak_ptr<Subscription> subscription);
  void remove(std::string_view id);
  /// Returns the stream, or null if it is not open.
  [[nodiscard]] std::shared_ptr<Subscription> find(std::string_view id) const;
  [[nodiscard]] std::size_t count() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Subscription>, std::less<>> by_id_;
};

/// Makes the serialised first message of a stream.
[[nodiscard]] store::SharedBytes start_message(std::string_view id);

}  // namespace sluice::stream
