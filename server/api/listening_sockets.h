// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "server/api/listener.h"
#include "server/session/error.h"

namespace sluice::api {

/// Sockets that listen at one address, one for each IP address of it (`localhost` may have two).
/// The destructor closes them and removes a Unix socket's file.
class ListeningSockets {
 public:
  /// Opens the sockets. Fails for a busy port or an address that this machine does not have; the
  /// error says what to do. Replaces the file of a Unix socket at which nobody answers.
  static session::Result<ListeningSockets> open(const ListenAddress& address);
  ListeningSockets(ListeningSockets&& other) noexcept;
  ListeningSockets& operator=(ListeningSockets&&) = delete;
  ~ListeningSockets();

  [[nodiscard]] const std::vector<int>& descriptors() const { return descriptors_; }
  /// The address, with the port that was bound.
  [[nodiscard]] const ListenAddress& address() const { return address_; }

 private:
  explicit ListeningSockets(ListenAddress address) : address_(std::move(address)) {}
  session::Status open_unix();
  session::Status open_tcp();

  ListenAddress address_;
  std::vector<int> descriptors_;  ///< Non-blocking.
};

}  // namespace sluice::api
