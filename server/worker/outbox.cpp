// SPDX-License-Identifier: Apache-2.0
#include "server/worker/outbox.h"

namespace sluice::worker {
namespace {

MessageSource once(v1::WorkerMessage message) {
  return [message = std::move(message), given = false](v1::WorkerMessage& next) mutable {
    if (std::exchange(given, true)) {
      return false;
    }
    next = std::move(message);
    return true;
  };
}

}  // namespace

void Outbox::put(v1::WorkerMessage message) { put_all(once(std::move(message))); }

void Outbox::put_all(MessageSource source) {
  {
    const std::lock_guard lock(mutex_);
    sources_.push_back(std::move(source));
  }
  changed_.notify_all();
}

void Outbox::put_if_empty(v1::WorkerMessage message) {
  {
    const std::lock_guard lock(mutex_);
    if (!sources_.empty()) {
      return;
    }
    sources_.push_back(once(std::move(message)));
  }
  changed_.notify_all();
}

bool Outbox::take(v1::WorkerMessage& message) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closed_ || !sources_.empty(); });
    if (closed_) {
      return false;
    }
    // Only this thread takes from the front, so the source may work without the lock.
    MessageSource& source = sources_.front();
    lock.unlock();
    const bool given = source(message);
    lock.lock();
    if (given) {
      return true;
    }
    MessageSource ended = std::move(sources_.front());
    sources_.pop_front();
    if (sources_.empty()) {
      changed_.notify_all();
    }
  }
}

void Outbox::wait_until_empty() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || sources_.empty(); });
}

void Outbox::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace sluice::worker
