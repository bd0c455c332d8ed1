// SPDX-License-Identifier: Apache-2.0
#include "server/worker/link.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace sluice::worker {
namespace {

// The server allows 30 s of silence and asks for a sign every 2 s.
constexpr std::chrono::seconds heartbeat_interval{1};
// A server that does not answer for this long when dialled is gone.
constexpr std::chrono::seconds dial_patience{20};

std::shared_ptr<grpc::Channel> dial(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

Link::Link(const Identity& identity, Orders& orders, Outbox& outbox, std::function<void()> on_lost)
    : orders_(orders), outbox_(outbox), on_lost_(std::move(on_lost)) {
  auto channel = dial(identity.address);
  channel->WaitForConnected(std::chrono::system_clock::now() + dial_patience);
  stub_ = v1::WorkerLink::NewStub(channel);
  stream_ = stub_->Attach(&context_);
  v1::WorkerMessage hello;
  hello.mutable_hello()->set_session(identity.session);
  hello.mutable_hello()->set_token(identity.token);
  hello.mutable_hello()->set_pid(getpid());
  stream_->Write(hello);  // If it fails, so does the read that follows.
}

Link::~Link() {
  finishing_ = true;
  outbox_.close();
  context_.TryCancel();
}

std::optional<Job> Link::receive_job() {
  Job job;
  v1::ServerMessage message;
  while (stream_->Read(&message)) {
    switch (message.message_case()) {
      case v1::ServerMessage::kAssignment:
        job.assignment = std::move(*message.mutable_assignment());
        orders_.set_credits(job.assignment.max_in_flight());
        job.checkpoint.reserve(static_cast<std::size_t>(job.assignment.checkpoint_byte_count()));
        break;
      case v1::ServerMessage::kAsset: {
        convert::AssetFile& file = job.assets[message.asset().name()];
        file.file_name = message.asset().file_name();
        file.bytes += message.asset().data();
        break;
      }
      case v1::ServerMessage::kCheckpoint: {
        const auto data = std::as_bytes(std::span(message.checkpoint().data()));
        job.checkpoint.insert(job.checkpoint.end(), data.begin(), data.end());
        break;
      }
      case v1::ServerMessage::kBegin:
        return job;
      case v1::ServerMessage::kStop:
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

void Link::start() {
  receiver_ = std::jthread([this] { receive(); });
  sender_ = std::jthread([this] { send(); });
  heart_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (!never.wait_for(lock, stop, heartbeat_interval, [] { return false; }) &&
           !stop.stop_requested()) {
      v1::WorkerMessage beat;
      beat.mutable_heartbeat();
      outbox_.put_if_empty(std::move(beat));
    }
  });
}

void Link::receive() {
  v1::ServerMessage message;
  while (stream_->Read(&message)) {
    switch (message.message_case()) {
      case v1::ServerMessage::kRun:
        orders_.run(message.run());
        break;
      case v1::ServerMessage::kSteer:
        orders_.steer(message.steer());
        break;
      case v1::ServerMessage::kFrameAccepted:
        orders_.frame_accepted();
        break;
      case v1::ServerMessage::kStop:
        orders_.stop(message.stop().checkpoint());
        break;
      default:
        break;
    }
  }
  outbox_.close();
  if (!finishing_) {
    on_lost_();
  }
}

void Link::send() {
  for (;;) {
    v1::WorkerMessage message;
    if (!outbox_.take(message) || !stream_->Write(message)) {
      outbox_.close();
      return;
    }
  }
}

void Link::finish(v1::WorkerOutcome outcome) {
  v1::WorkerMessage message;
  *message.mutable_outcome() = std::move(outcome);
  outbox_.put(std::move(message));
  finishing_ = true;
  receiver_.join();  // The server ends the stream when it has taken the outcome.
}

}  // namespace sluice::worker
