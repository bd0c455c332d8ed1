// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>

#include "server/api/stream_places.h"
#include "server/session/session.h"

namespace sluice::api {

/// Sessions.Watch of one client: the session at once, then at each change of state and at most ten
/// times a second of progress, and every 10 s in any case. Deletes itself when it is done.
grpc::ServerWriteReactor<grpc::ByteBuffer>* start_watch_stream(
    session::Result<std::shared_ptr<session::Session>> session, StreamPlaces& places,
    session::WorkPool& pool);

}  // namespace sluice::api
