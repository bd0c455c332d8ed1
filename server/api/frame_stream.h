// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>

#include "server/api/stream_places.h"
#include "server/session/sessions.h"
#include "server/stream/subscription_registry.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::api {

/// Starts Frames.Stream for one client. The stream passes the messages of a Subscription to gRPC
/// without a copy, has no thread of its own (it waits for the disk on the pool) and deletes itself.
grpc::ServerWriteReactor<grpc::ByteBuffer>* start_frame_stream(
    v1::StreamFramesRequest request, session::Sessions& sessions,
    stream::SubscriptionRegistry& registry, StreamPlaces& places);

}  // namespace sluice::api
