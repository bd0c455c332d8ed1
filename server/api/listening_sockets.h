// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "server/api/listener.h"
#include "server/session/error.h"

namespace sluice::api {

/// Sockets that listen at one address, one for each form of it (`localhost` may have two). Closed,
/// and a Unix socket's file removed, with the object.
class ListeningSockets {
 public:
  /// Errors say what to do: a busy port, an address that is none of this machine's. A file of a
  /// Unix socket that nobody answers at is replaced.
  static session::Result<ListeningSockets> open(const ListenAddress& address);
  ListeningSockets(ListeningSockets&& other) noexcept;
  ListeningSockets& operator=(ListeningSockets&&) = delete;
  ~ListeningSockets();

  [[nodiscard]] const std::vector<int>& descriptors() const { return descriptors_; }
  /// The address with the port that it came to.
  [[nodiscard]] const ListenAddress& address() const { return address_; }

 private:
  explicit ListeningSockets(ListenAddress address) : address_(std::move(address)) {}
  session::Status open_unix();
  session::Status open_tcp();

  ListenAddress address_;
  std::vector<int> descriptors_;  ///< Non-blocking.
};

}  // namespace sluice::api
