// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/stream_places.h"
#include "server/session/sessions.h"
#include "server/stream/subscription_registry.h"
#include "sluice/v1/frames.grpc.pb.h"

namespace sluice::api {

/// The generated service of sluice.v1.Frames in the form in which all methods take bytes
/// (request_bytes.h), so that Stream sends stored messages as they are.
using FramesBase = v1::Frames::WithRawCallbackMethod_Stream<
    v1::Frames::WithRawCallbackMethod_Ack<v1::Frames::WithRawCallbackMethod_Get<
        v1::Frames::WithRawCallbackMethod_GetLayout<v1::Frames::Service>>>>;

class FramesService final : public FramesBase {
 public:
  FramesService(session::Sessions& sessions, StreamPlaces& places)
      : sessions_(sessions), places_(places) {}

  grpc::ServerWriteReactor<grpc::ByteBuffer>* Stream(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request) override;
  grpc::ServerUnaryReactor* Ack(grpc::CallbackServerContext* context, const grpc::ByteBuffer* bytes,
                                grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context, const grpc::ByteBuffer* bytes,
                                grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetLayout(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* bytes,
                                      grpc::ByteBuffer* response) override;

 private:
  session::Result<v1::Frame> get(const v1::GetFrameRequest& request);
  session::Result<v1::Layout> get_layout(const v1::GetLayoutRequest& request);

  session::Sessions& sessions_;
  StreamPlaces& places_;
  stream::SubscriptionRegistry registry_;
};

}  // namespace sluice::api
