// SPDX-License-Identifier: Apache-2.0
#include "server/api/worker_link_service.h"

#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "server/api/checks.h"
#include "server/api/status.h"
#include "server/session/worker_channel.h"

namespace sluice::api {
namespace {

/// One worker's stream. Reads a message only after the session has taken the one before, so that a
/// slow disk holds the worker back and memory stays bounded.
class WorkerStream final : public grpc::ServerBidiReactor<v1::WorkerMessage, v1::ServerMessage>,
                           public session::WorkerChannel,
                           public std::enable_shared_from_this<WorkerStream> {
 public:
  explicit WorkerStream(session::Sessions& sessions) : sessions_(sessions) {}

  void start(std::shared_ptr<WorkerStream> self) {
    self_ = std::move(self);
    StartRead(&incoming_);
  }

  void send_all(session::MessageSource source) override {
    const std::lock_guard lock(mutex_);
    outgoing_.push_back(std::move(source));
    write_next();
  }

  void close() override {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    write_next();
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      leave(grpc::Status::OK);
      return;
    }
    if (session_) {
      session_->worker_message(link_, std::move(incoming_), read_again());
      return;
    }
    if (!incoming_.has_hello()) {
      leave(to_status(session::bad_token()));
      return;
    }
    attach();
  }

  void OnWriteDone(bool ok) override {
    if (!ok) {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      outgoing_.clear();
      return;  // The read fails too, and ends the stream.
    }
    // The next message may be a mesh, which is read from disk: not on a thread of gRPC.
    sessions_.environment().pool.post([self = shared_from_this()] {
      const std::lock_guard lock(self->mutex_);
      self->writing_ = false;
      self->write_next();
    });
  }

  void OnCancel() override { leave(grpc::Status::CANCELLED); }

  void OnDone() override { self_.reset(); }

 private:
  void attach() {
    const auto id = check_session_name("session", incoming_.hello().session());
    const auto session =
        id ? sessions_.find(*id) : session::Result<std::shared_ptr<session::Session>>(id.error());
    if (!session) {
      leave(to_status(session.error()));
      return;
    }
    (*session)->attach(incoming_.hello().token(), shared_from_this(),
                       [self = shared_from_this(),
                        session = *session](const session::Result<std::uint64_t>& link) {
                         if (!link) {
                           self->leave(to_status(link.error()));
                           return;
                         }
                         {
                           const std::lock_guard lock(self->mutex_);
                           self->session_ = session;
                           self->link_ = *link;
                         }
                         self->read_again()();
                       });
  }

  session::Task read_again() {
    return [self = shared_from_this()] {
      const std::lock_guard lock(self->mutex_);
      if (!self->finished_) {
        self->incoming_.Clear();
        self->StartRead(&self->incoming_);
      }
    };
  }

  // Under the lock.
  void write_next() {
    if (writing_ || finished_) {
      return;
    }
    while (!outgoing_.empty()) {
      next_.Clear();
      if (outgoing_.front()(next_)) {
        writing_ = true;
        StartWrite(&next_);
        return;
      }
      outgoing_.pop_front();
    }
    if (closing_) {
      finished_ = true;
      Finish(grpc::Status::OK);
    }
  }

  void leave(const grpc::Status& status) {
    std::shared_ptr<session::Session> session;
    {
      const std::lock_guard lock(mutex_);
      session = session_;
      if (!std::exchange(finished_, true)) {
        Finish(status);
      }
    }
    if (session) {
      session->link_closed(link_);
    }
  }

  session::Sessions& sessions_;
  std::shared_ptr<WorkerStream> self_;  // Until OnDone.

  std::mutex mutex_;
  std::shared_ptr<session::Session> session_;
  std::uint64_t link_ = 0;
  v1::WorkerMessage incoming_;
  v1::ServerMessage next_;
  std::deque<session::MessageSource> outgoing_;
  bool writing_ = false;
  bool closing_ = false;
  bool finished_ = false;
};

}  // namespace

grpc::ServerBidiReactor<v1::WorkerMessage, v1::ServerMessage>* WorkerLinkService::Attach(
    grpc::CallbackServerContext* /*context*/) {
  auto stream = std::make_shared<WorkerStream>(sessions_);
  WorkerStream* const raw = stream.get();
  raw->start(std::move(stream));
  return raw;
}

}  // namespace sluice::api
