// SPDX-License-Identifier: Apache-2.0
#include "client/lib/ack_sender.h"

#include <utility>

#include "client/lib/channel.h"

namespace sluice::client {

AckSender::AckSender(const Connection& connection, std::string stream_id,
                     std::function<void()> on_failure)
    : connection_(connection),
      stream_id_(std::move(stream_id)),
      on_failure_(std::move(on_failure)),
      thread_([this] { run(); }) {}

AckSender::~AckSender() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (on_its_way_ != nullptr) {
      on_its_way_->TryCancel();
    }
  }
  changed_.notify_all();
  thread_.join();
}

void AckSender::acknowledge(const v1::Cursor& cursor) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = cursor;
  }
  changed_.notify_all();
}

void AckSender::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!waiting_) {
      changed_.wait(lock);
      continue;
    }
    const v1::Cursor cursor = *waiting_;
    waiting_.reset();
    lock.unlock();
    const bool taken = send(cursor);
    lock.lock();
    if (!taken && !stopping_) {
      failed_ = true;
      on_failure_();
      return;
    }
  }
}

bool AckSender::send(const v1::Cursor& cursor) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + connection_.options().deadline);
  v1::AckFramesRequest request;
  request.set_stream_id(stream_id_);
  *request.mutable_cursor() = cursor;
  v1::AckFramesResponse response;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return true;
    }
    on_its_way_ = &context;
  }
  const grpc::Status status = connection_.impl().frames->Ack(&context, request, &response);
  const std::lock_guard lock(mutex_);
  on_its_way_ = nullptr;
  // The server closes a stream before it hears of its last frames: no harm.
  return status.ok() || status.error_code() == grpc::StatusCode::NOT_FOUND;
}

}  // namespace sluice::client
