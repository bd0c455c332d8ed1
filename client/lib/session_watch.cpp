// SPDX-License-Identifier: Apache-2.0
#include "sluice/session_watch.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "client/lib/backoff.h"
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

struct OpenWatch {
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReader<v1::WatchSessionResponse>> reader;
  std::unique_ptr<Watchdog> watchdog;
};

}  // namespace

struct SessionWatch::Impl {
  Impl(const Connection& c, std::string n, std::stop_token s)
      : connection(c),
        name(std::move(n)),
        stop(std::move(s)),
        backoff(c.options().retry_for, stop),
        cancel_on_stop(stop, Canceller{this}) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (open) {
      open->context.TryCancel();
      close();
    }
  }

  struct Canceller {
    Impl* self;
    void operator()() const {
      const std::lock_guard lock(self->mutex);
      if (self->open) {
        self->open->context.TryCancel();
      }
    }
  };

  void start();
  grpc::Status close();

  Connection connection;
  std::string name;
  std::stop_token stop;
  Backoff backoff;
  std::mutex mutex;  // Of `open` against `stop`.
  std::unique_ptr<OpenWatch> open;
  bool was_open{false};
  bool done{false};
  std::stop_callback<Canceller> cancel_on_stop;
};

void SessionWatch::Impl::start() {
  v1::WatchSessionRequest request;
  request.set_name(name);
  auto fresh = std::make_unique<OpenWatch>();
  const std::lock_guard lock(mutex);
  fresh->reader = connection.impl().sessions->Watch(&fresh->context, request);
  fresh->watchdog = std::make_unique<Watchdog>(fresh->context);
  open = std::move(fresh);
  if (stop.stop_requested()) {
    open->context.TryCancel();
  }
}

grpc::Status SessionWatch::Impl::close() {
  v1::WatchSessionResponse rest;
  while (open->reader->Read(&rest)) {
  }
  const grpc::Status status = open->reader->Finish();
  const std::lock_guard lock(mutex);
  open.reset();
  return status;
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
    const grpc::Status status = self.close();
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
