// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

namespace sluice::client {

struct ConnectionOptions {
  /// A call that is not a stream fails with `deadline_exceeded` after this long. More than 0.
  std::chrono::milliseconds deadline{30'000};

  /// Streams that break, and calls that are safe to repeat, are tried again for this long without
  /// progress before their error is thrown. 0 means at once.
  std::chrono::milliseconds retry_for{30'000};

  /// Ends a call that is not a stream, with `cancelled`, from any thread. Streams have one of their
  /// own.
  std::stop_token stop{};
};

/// A server and how to speak to it. Cheap to copy: copies share one channel. Any thread may use it.
class Connection {
 public:
  /// `address`: `host:port` or `unix:path`. Connects with the first call; a server that cannot be
  /// reached shows there, as `unavailable`. Throws `invalid_argument` for an empty address.
  explicit Connection(const std::string& address, ConnectionOptions options = {});

  [[nodiscard]] const std::string& address() const noexcept;
  [[nodiscard]] const ConnectionOptions& options() const noexcept;

  /// The channel and its stubs; for the library's own sources.
  struct Impl;
  [[nodiscard]] Impl& impl() const noexcept { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace sluice::client
