// SPDX-License-Identifier: Apache-2.0
#include "server/web/call.h"

#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

namespace sluice::web {

namespace net = boost::asio;

Call::Call(CallRequest request, net::any_io_executor executor, OnMessage on_message, OnEnd on_end)
    : request_(std::move(request)),
      executor_(net::prefer(std::move(executor), net::execution::outstanding_work.tracked)),
      on_message_(std::move(on_message)),
      on_end_(std::move(on_end)) {}

std::shared_ptr<Call> Call::start(RawStub& stub, CallRequest request, net::any_io_executor executor,
                                  OnMessage on_message, OnEnd on_end) {
  const std::shared_ptr<Call> call(
      new Call(std::move(request), std::move(executor), std::move(on_message), std::move(on_end)));
  call->self_ = call;
  for (const auto& [name, value] : call->request_.metadata) {
    call->context_.AddMetadata(name, value);
  }
  if (const auto& timeout = call->request_.timeout) {
    call->context_.set_deadline(
        std::chrono::system_clock::now() +
        std::chrono::duration_cast<std::chrono::system_clock::duration>(*timeout));
  }
  stub.PrepareBidiStreamingCall(&call->context_, call->request_.method, {}, call.get());
  call->AddHold();
  call->StartWriteLast(&call->request_.bytes, {});
  call->StartRead(&call->message_);
  call->StartCall();
  return call;
}

void Call::read_next() {
  if (cancelled_) {
    no_more_reads();
    return;
  }
  reading_ = true;
  StartRead(&message_);
}

void Call::cancel() {
  cancelled_ = true;
  context_.TryCancel();
  if (!reading_) {
    no_more_reads();
  }
}

void Call::OnReadDone(bool ok) {
  net::post(executor_, [self = self_, ok] {
    self->reading_ = false;
    if (!ok || self->cancelled_) {
      self->no_more_reads();
      return;
    }
    std::vector<grpc::Slice> slices;
    if (!self->message_.Dump(&slices).ok()) {  // This fails only for a compressed message.
      self->cancel();
      return;
    }
    self->message_.Clear();
    self->on_message_(std::move(slices));
  });
}

void Call::no_more_reads() {
  if (std::exchange(held_, false)) {
    RemoveHold();
  }
}

void Call::OnDone(const grpc::Status& status) {
  net::post(executor_, [self = std::move(self_), status] {
    self->on_message_ = nullptr;
    const OnEnd on_end = std::exchange(self->on_end_, nullptr);
    on_end(status);
  });
}

}  // namespace sluice::web
