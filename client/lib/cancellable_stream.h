// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

namespace sluice::client {

/// A stream from the server. A `CancellableStream` holds one, or an object of a derived class.
template <class Message>
struct OpenStream {
  using Response = Message;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReader<Message>> reader;
};

/// Holds at most one open stream. A stop token cancels it from any thread, and so does the
/// destructor. All other functions are for one thread at a time.
template <class Stream>
class CancellableStream {
 public:
  explicit CancellableStream(std::stop_token stop)
      : stop_(std::move(stop)), cancel_on_stop_(stop_, Canceller{this}) {}
  CancellableStream(const CancellableStream&) = delete;
  CancellableStream& operator=(const CancellableStream&) = delete;
  ~CancellableStream() {
    if (open_) {
      open_->context.TryCancel();
      (void)close();
    }
  }

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(open_); }
  [[nodiscard]] Stream* operator->() { return open_.get(); }
  [[nodiscard]] Stream& operator*() { return *open_; }

  /// Opens a stream; `start` must set the reader of the stream that it is given.
  template <class Start>
  void open(Start&& start) {
    auto fresh = std::make_unique<Stream>();
    const std::lock_guard lock(mutex_);
    std::forward<Start>(start)(*fresh);
    open_ = std::move(fresh);
    if (stop_.stop_requested()) {
      open_->context.TryCancel();
    }
  }

  /// Reads the messages that are still on their way, closes the stream and returns its status. Pre:
  /// the stream has ended or was cancelled.
  grpc::Status close() {
    typename Stream::Response rest;
    while (open_->reader->Read(&rest)) {
    }
    const grpc::Status status = open_->reader->Finish();
    std::unique_ptr<Stream> closed;
    const std::lock_guard lock(mutex_);
    closed = std::move(open_);
    return status;
  }

 private:
  struct Canceller {
    CancellableStream* self;
    void operator()() const {
      const std::lock_guard lock(self->mutex_);
      if (self->open_) {
        self->open_->context.TryCancel();
      }
    }
  };

  std::stop_token stop_;
  std::mutex mutex_;  // Guards changes of `open_` against a stop on another thread.
  std::unique_ptr<Stream> open_;
  std::stop_callback<Canceller> cancel_on_stop_;
};

}  // namespace sluice::client
