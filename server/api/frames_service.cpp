// SPDX-License-Identifier: Apache-2.0
#include "server/api/frames_service.h"

#include <fmt/format.h>

#include "server/api/checks.h"
#include "server/api/frame_request.h"
#include "server/api/frame_stream.h"
#include "server/api/reply.h"

namespace sluice::api {

using session::Result;

namespace {

// A stream that ends before it begins.
class RefusedStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit RefusedStream(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerWriteReactor<grpc::ByteBuffer>* FramesService::Stream(
    grpc::CallbackServerContext* /*context*/, const grpc::ByteBuffer* request) {
  v1::StreamFramesRequest parsed;
  if (const auto error = parse_request(*request, selection_request_bytes, parsed)) {
    return new RefusedStream(to_status(*error));
  }
  return start_frame_stream(std::move(parsed), sessions_, registry_, places_);
}

grpc::ServerUnaryReactor* FramesService::Ack(grpc::CallbackServerContext* context,
                                             const grpc::ByteBuffer* bytes,
                                             grpc::ByteBuffer* response) {
  return answer<v1::AckFramesRequest, v1::AckFramesResponse>(
      context, bytes, response,
      [&](const v1::AckFramesRequest& request) -> Result<v1::AckFramesResponse> {
        Violations violations;
        if (request.stream_id().empty()) {
          violations.add("stream_id", "is required");
        }
        if (!request.has_cursor()) {
          violations.add("cursor", "is required");
        }
        if (!violations.empty()) {
          return std::move(violations).error();
        }
        const auto subscription = registry_.find(request.stream_id());
        if (!subscription) {
          return session::stream_not_found(request.stream_id());
        }
        subscription->acknowledge({request.cursor().epoch(), request.cursor().index()});
        return v1::AckFramesResponse();
      });
}

Result<v1::Frame> FramesService::get(const v1::GetFrameRequest& request) {
  const auto id = check_get_frame(request);
  if (!id) {
    return id.error();
  }
  const auto session = sessions_.find(*id);
  if (!session) {
    return session.error();
  }
  const auto logs = (*session)->logs();
  if (!logs) {
    return logs.error();
  }
  const stream::FrameFeed& feed = *(*logs)->frames;
  const store::FrameRange range = feed.range();
  const auto first = static_cast<std::int64_t>(range.first);
  const auto next = static_cast<std::int64_t>(range.next);
  const std::int64_t index = request.has_cursor() ? request.cursor().index() : next - 1;
  if (index < first || index >= next) {
    return session::frame_out_of_range(request.session(), std::max<std::int64_t>(index, 0), first,
                                       next);
  }
  const auto key = static_cast<std::uint64_t>(index);
  const auto info = feed.find(key);
  const std::int64_t epoch = request.cursor().epoch();  // 0 stands for any.
  if (epoch != 0 && info && info->epoch != epoch) {
    return session::epoch_out_of_range(request.session(), epoch, info->epoch);
  }
  const stream::FrameForm form = form_of(request);
  if (const auto layout = feed.layout()) {
    Violations violations;
    for (const std::string& body : form.selection.unknown_bodies(layout.value())) {
      violations.add("selection.bodies", "the session has no body '" + body + "'");
    }
    if (!violations.empty()) {
      return std::move(violations).error();
    }
  }
  const auto messages = feed.read(key, form);
  if (!messages) {
    return session::from_store(messages.error(), fmt::format("cannot read frame {}", index));
  }
  std::size_t bytes = 0;
  for (const store::SharedBytes& message : messages.value()) {
    bytes += message.size();
  }
  const std::int64_t limit = sessions_.environment().settings.limits.message_bytes;
  if (static_cast<std::int64_t>(bytes) > limit) {
    return session::limit_reached("bytes of a message", limit,
                                  fmt::format("frame {} has {}: use Frames.Stream", index, bytes));
  }
  auto frame = stream::whole_frame(messages.value());
  if (!frame) {
    return session::from_store({store::ErrorCode::corrupt, "it has another form"},
                               fmt::format("cannot read frame {}", index));
  }
  return *std::move(frame);
}

grpc::ServerUnaryReactor* FramesService::Get(grpc::CallbackServerContext* context,
                                             const grpc::ByteBuffer* bytes,
                                             grpc::ByteBuffer* response) {
  return answer_on<v1::GetFrameRequest, v1::Frame>(
      sessions_.environment().pool, context, bytes, response, selection_request_bytes,
      [this](const v1::GetFrameRequest& request) { return get(request); });
}

Result<v1::Layout> FramesService::get_layout(const v1::GetLayoutRequest& request) {
  const auto id = check_session_name("session", request.session());
  if (!id) {
    return id.error();
  }
  const auto session = sessions_.find(*id);
  if (!session) {
    return session.error();
  }
  const auto logs = (*session)->logs();
  if (!logs) {
    return logs.error();
  }
  const stream::FrameFeed& feed = *(*logs)->frames;
  if (feed.range().next == 0) {
    return session::no_frames_yet(request.session());
  }
  auto layout = feed.layout(request.has_epoch() ? std::optional(request.epoch()) : std::nullopt);
  if (layout) {
    return std::move(layout).value();
  }
  if (layout.error().code == store::ErrorCode::not_found && request.has_epoch()) {
    return session::epoch_out_of_range(request.session(), request.epoch(),
                                       (*session)->snapshot().epoch());
  }
  return session::from_store(layout.error(), "cannot read the layout");
}

grpc::ServerUnaryReactor* FramesService::GetLayout(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* bytes,
                                                   grpc::ByteBuffer* response) {
  return answer_on<v1::GetLayoutRequest, v1::Layout>(
      sessions_.environment().pool, context, bytes, response, small_request_bytes,
      [this](const v1::GetLayoutRequest& request) { return get_layout(request); });
}

}  // namespace sluice::api
