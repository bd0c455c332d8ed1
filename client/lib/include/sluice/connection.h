// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

namespace sluice::client {

struct ConnectionOptions {
  /// Time limit of a call that is not a stream; after it, `deadline_exceeded`. Above 0.
  std::chrono::milliseconds deadline{30'000};

  /// Streams that break, and calls that are safe to repeat, are tried again for this long without
  /// progress before their error is thrown. 0: the first error is thrown.
  std::chrono::milliseconds retry_for{30'000};

  /// Ends calls that are not streams, with `cancelled`, from any thread. Each stream takes a stop
  /// token of its own.
  std::stop_token stop{};
};

/// A connection to a server. Cheap to copy: copies share one channel. Any thread may use it.
class Connection {
 public:
  /// `address`: `host:port` or `unix:path`. The first call connects; it fails with `unavailable` if
  /// the server cannot be reached. Throws `invalid_argument` for an empty address.
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
