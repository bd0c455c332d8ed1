// SPDX-License-Identifier: Apache-2.0
#include "server/api/frame_stream.h"

#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "server/api/checks.h"
#include "server/api/frame_request.h"
#include "server/api/status.h"
#include "server/stream/subscription.h"

namespace sluice::api {
namespace {

// The bytes stay where they are: gRPC's slice holds a share of them until they are sent.
grpc::ByteBuffer to_buffer(const store::SharedBytes& bytes) {
  auto* share = new store::SharedBytes(bytes);
  const grpc::Slice slice(
      const_cast<std::byte*>(share->data()), share->size(),
      [](void* owner) { delete static_cast<store::SharedBytes*>(owner); }, share);
  return {&slice, 1};
}

stream::SubscribeOptions to_options(const v1::StreamFramesRequest& request) {
  stream::SubscribeOptions options;
  if (request.has_cursor()) {
    options.cursor = stream::FrameCursor{request.cursor().epoch(), request.cursor().index()};
  }
  options.stride = request.stride() == 0 ? 1 : request.stride();
  options.form = form_of(request);
  options.delivery = request.delivery() == v1::DELIVERY_LATEST ? stream::Delivery::latest
                                                               : stream::Delivery::every;
  options.max_in_flight = request.max_in_flight();
  options.existing_only = request.existing_only();
  return options;
}

grpc::Status to_status(const stream::End& end, const std::string& session) {
  using session::ErrorKind;
  const auto error = [&](ErrorKind kind) {
    return api::to_status(session::Error{kind, end.message, {}, session, std::nullopt});
  };
  switch (end.reason) {
    case stream::EndReason::done:
      return grpc::Status::OK;
    case stream::EndReason::out_of_range:
      return error(ErrorKind::out_of_range);
    case stream::EndReason::data_loss:
      return error(ErrorKind::data_loss);
    case stream::EndReason::storage_failed:
      return error(ErrorKind::unavailable);
    case stream::EndReason::server_stopping:
      return api::to_status(session::server_stopping());
    case stream::EndReason::session_deleted:
      return api::to_status(session::session_not_found(session));
  }
  return api::to_status(session::internal_error("the stream ended without a reason"));
}

class FrameStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  FrameStream(v1::StreamFramesRequest request, session::Sessions& sessions,
              stream::SubscriptionRegistry& registry, StreamPlaces& places)
      : request_(std::move(request)),
        sessions_(sessions),
        pool_(sessions.environment().pool),
        registry_(registry),
        places_(places) {}

  // Opens files: on the pool.
  void start(std::shared_ptr<FrameStream> self) {
    self_ = self;
    pool_.post([self = std::move(self)] { self->open(); });
  }

  void OnWriteDone(bool ok) override {
    if (!ok) {
      end(grpc::Status::CANCELLED);
      return;
    }
    pump();
  }

  void OnCancel() override {
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
      if (phase_ != Phase::waiting) {
        return;  // Whoever is at work sees it.
      }
      phase_ = Phase::working;
    }
    end(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    if (!id_.empty()) {
      registry_.remove(id_);
    }
    subscription_.reset();
    place_.reset();
    self_.reset();  // Deletes this, unless a task of the pool is about to find out.
  }

 private:
  // At any time one thing happens: a write, a load, a look for what comes next, or nothing. Only
  // `wake` and OnCancel come from elsewhere.
  enum class Phase { working, waiting, ended };

  void open() {
    const auto id = check_stream(request_);
    if (!id) {
      end(api::to_status(id.error()));
      return;
    }
    auto place = places_.take();
    if (!place) {
      end(api::to_status(place.error()));
      return;
    }
    place_ = *std::move(place);
    const auto session = sessions_.find(*id);
    if (!session) {
      end(api::to_status(session.error()));
      return;
    }
    const auto logs = (*session)->logs();
    if (!logs) {
      end(api::to_status(logs.error()));
      return;
    }
    logs_ = *logs;
    if (const auto refused = refuse_selection()) {
      end(*refused);
      return;
    }
    subscription_ = std::make_shared<stream::Subscription>(logs_->frames, to_options(request_),
                                                           [weak = std::weak_ptr(self_)] {
                                                             if (const auto stream = weak.lock()) {
                                                               stream->wake();
                                                             }
                                                           });
    id_ = registry_.add(subscription_);
    send(stream::start_message(id_));
  }

  // The error of a wrong selection, as soon as there is a layout to tell by: a session that waits
  // for its worker has none, and its streams are open already.
  std::optional<grpc::Status> refuse_selection() {
    if (selection_checked_) {
      return std::nullopt;
    }
    const auto layout = logs_->frames->layout();
    if (!layout) {
      return std::nullopt;
    }
    selection_checked_ = true;
    Violations violations;
    for (const std::string& body :
         stream::FrameSelection(request_.selection()).unknown_bodies(layout.value())) {
      violations.add("selection.bodies", "the session has no body '" + body + "'");
    }
    if (violations.empty()) {
      return std::nullopt;
    }
    return api::to_status(std::move(violations).error());
  }

  void wake() {
    {
      const std::lock_guard lock(mutex_);
      if (phase_ != Phase::waiting) {
        woken_ = true;
        return;
      }
      phase_ = Phase::working;
    }
    pool_.post([self = self_] { self->pump(); });
  }

  void send(const store::SharedBytes& message) {
    buffer_ = to_buffer(message);
    StartWrite(&buffer_);
  }

  void pump() {
    while (begin_look()) {
      if (act(subscription_->next()) || rest()) {
        return;
      }
    }
    end(grpc::Status::CANCELLED);
  }

  // Whether to look for what comes next.
  bool begin_look() {
    const std::lock_guard lock(mutex_);
    woken_ = false;
    return !cancelled_;
  }

  // Whether something was begun that goes on by itself.
  bool act(const stream::Next& next) {
    if (const auto* message = std::get_if<stream::Send>(&next)) {
      if (const auto refused = refuse_selection()) {
        end(*refused);
      } else {
        send(message->message);
      }
    } else if (const auto* last = std::get_if<stream::End>(&next)) {
      end(to_status(*last, request_.session()));
    } else if (std::holds_alternative<stream::Load>(next)) {
      pool_.post([self = self_] {
        self->subscription_->load();
        self->pump();
      });
    } else {
      return false;
    }
    return true;
  }

  // Whether there is nothing to do until `wake` or OnCancel.
  bool rest() {
    const std::lock_guard lock(mutex_);
    if (cancelled_ || woken_) {
      return false;
    }
    phase_ = Phase::waiting;
    return true;
  }

  void end(const grpc::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      phase_ = Phase::ended;
    }
    Finish(status);
  }

  const v1::StreamFramesRequest request_;
  session::Sessions& sessions_;
  session::WorkPool& pool_;
  stream::SubscriptionRegistry& registry_;
  StreamPlaces& places_;
  std::shared_ptr<FrameStream> self_;  // Until OnDone.
  std::shared_ptr<void> place_;
  std::shared_ptr<session::SessionLogs> logs_;
  std::shared_ptr<stream::Subscription> subscription_;
  std::string id_;
  bool selection_checked_ = false;
  grpc::ByteBuffer buffer_;

  std::mutex mutex_;
  Phase phase_ = Phase::working;
  bool woken_ = false;
  bool cancelled_ = false;
};

}  // namespace

grpc::ServerWriteReactor<grpc::ByteBuffer>* start_frame_stream(
    v1::StreamFramesRequest request, session::Sessions& sessions,
    stream::SubscriptionRegistry& registry, StreamPlaces& places) {
  auto stream = std::make_shared<FrameStream>(std::move(request), sessions, registry, places);
  FrameStream* const raw = stream.get();
  raw->start(std::move(stream));
  return raw;
}

}  // namespace sluice::api
