// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>

#include "server/api/stream_places.h"
#include "server/session/session.h"

namespace sluice::api {

/// Starts Sessions.Watch for one client. The stream sends the session at once, at each change of
/// state, for progress up to ten times a second, and after 10 s of silence; it deletes itself.
grpc::ServerWriteReactor<grpc::ByteBuffer>* start_watch_stream(
    session::Result<std::shared_ptr<session::Session>> session, StreamPlaces& places,
    session::WorkPool& pool);

}  // namespace sluice::api
