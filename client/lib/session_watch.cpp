// SPDX-License-Identifier: Apache-2.0
#include "sluice/session_watch.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "client/lib/backoff.h"
#include "client/lib/cancellable_stream.h"
#include "client/lib/channel.h"
#include "sluice/session.h"

namespace sluice::client {
namespace {

// Three times the interval at which the server says something.
constexpr std::chrono::seconds longest_silence{30};

/// Cancels a call when nothing was heard for too long: a dead peer sends no reset.
class Watchdog {
 public:
  explicit Watchdog(grpc::ClientContext& context)
      : thread_([this, &context](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          while (!stop.stop_requested()) {
            const auto seen = count_;
            if (!heard_.wait_for(lock, stop, longest_silence, [&] { return count_ != seen; }) &&
                !stop.stop_requested()) {
              context.TryCancel();
              return;
            }
          }
        }) {}

  void heard() {
    const std::lock_guard lock(mutex_);
    ++count_;
    heard_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any heard_;
  long count_{0};
  std::jthread thread_;
};

struct WatchOpen : OpenStream<v1::WatchSessionResponse> {
  std::unique_ptr<Watchdog> watchdog;  // Last: uses the context.
};

}  // namespace

struct SessionWatch::Impl {
  Impl(const Connection& c, std::string n, std::stop_token s)
      : connection(c),
        name(std::move(n)),
        stop(std::move(s)),
        backoff(c.options().retry_for, stop),
        open(stop) {}

  void start();

  Connection connection;
  std::string name;
  std::stop_token stop;
  Backoff backoff;
  CancellableStream<WatchOpen> open;
  bool was_open{false};
  bool done{false};
};

void SessionWatch::Impl::start() {
  v1::WatchSessionRequest request;
  request.set_name(name);
  open.open([&](WatchOpen& stream) {
    stream.reader = connection.impl().sessions->Watch(&stream.context, request);
    stream.watchdog = std::make_unique<Watchdog>(stream.context);
  });
}

SessionWatch::SessionWatch(const Connection& connection, std::string name, std::stop_token stop)
    : impl_(std::make_unique<Impl>(connection, std::move(name), std::move(stop))) {}
SessionWatch::SessionWatch(SessionWatch&&) noexcept = default;
SessionWatch& SessionWatch::operator=(SessionWatch&&) noexcept = default;
SessionWatch::~SessionWatch() = default;

std::optional<v1::WatchSessionResponse> SessionWatch::next() {
  Impl& self = *impl_;
  while (!self.done && !self.stop.stop_requested()) {
    if (!self.open) {
      self.start();
    }
    v1::WatchSessionResponse response;
    if (self.open->reader->Read(&response)) {
      self.open->watchdog->heard();
      self.backoff.reset();
      self.was_open = true;
      self.done = is_terminal(response.session().state());
      return response;
    }
    const grpc::Status status = self.open.close();
    if (status.ok() || self.stop.stop_requested()) {
      break;
    }
    Error error = to_error(status, self.connection.address());
    // Cancelled here means by the watchdog.
    const bool transient = is_transient(error.kind()) || error.kind() == ErrorKind::cancelled;
    if (!transient || !self.was_open) {
      throw Error(error);
    }
    if (!self.backoff.wait()) {
      if (self.stop.stop_requested()) {
        break;
      }
      throw Error(error);
    }
  }
  self.done = true;
  return {};
}

}  // namespace sluice::client
