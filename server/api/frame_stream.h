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

/// Frames.Stream of one client: carries the messages of a Subscription, as they lie in the store,
/// to gRPC. No thread of its own; waits for the disk on the pool. Deletes itself when it is done.
grpc::ServerWriteReactor<grpc::ByteBuffer>* start_frame_stream(
    v1::StreamFramesRequest request, session::Sessions& sessions,
    stream::SubscriptionRegistry& registry, StreamPlaces& places);

}  // namespace sluice::api
