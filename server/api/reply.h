// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <new>
#include <utility>

#include "server/api/request_bytes.h"
#include "server/api/status.h"
#include "server/session/error.h"
#include "server/session/work_pool.h"

namespace sluice::api {

/// Ends a unary call with a value or an error.
template <typename Response>
void finish(grpc::ServerUnaryReactor* reactor, grpc::ByteBuffer* response,
            const session::Result<Response>& result) {
  if (!result) {
    reactor->Finish(to_status(result.error()));
    return;
  }
  *response = to_bytes(result.value());
  reactor->Finish(grpc::Status::OK);
}

/// Returns the result of `work`, or an error if memory runs out: one call must not end the
/// server.
template <typename Response, typename Work>
session::Result<Response> answer_of(Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return session::out_of_memory();
  }
}

/// Parses the request in `bytes`. If that fails, ends the call with the error and returns null.
template <typename Request>
std::shared_ptr<const Request> read_request(grpc::ServerUnaryReactor* reactor,
                                            const grpc::ByteBuffer& bytes, std::size_t most_bytes) {
  auto request = std::make_shared<Request>();
  if (const auto error = parse_request(bytes, most_bytes, *request)) {
    reactor->Finish(to_status(*error));
    return nullptr;
  }
  return request;
}

/// Answers a call at once, on gRPC's thread: for work that needs no disk and little time.
template <typename Request, typename Response, typename Work>
grpc::ServerUnaryReactor* answer(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* bytes, grpc::ByteBuffer* response,
                                 Work&& work) {
  auto* reactor = context->DefaultReactor();
  if (const auto request = read_request<Request>(reactor, *bytes, small_request_bytes)) {
    finish<Response>(reactor, response, std::forward<Work>(work)(*request));
  }
  return reactor;
}

/// Answers a call on the pool: for work that waits for the disk or computes. If the client has gone
/// by then, no work is done.
template <typename Request, typename Response, typename Work>
grpc::ServerUnaryReactor* answer_on(session::WorkPool& pool, grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* bytes, grpc::ByteBuffer* response,
                                    std::size_t most_bytes, Work work) {
  auto* reactor = context->DefaultReactor();
  pool.post([context, reactor, bytes, response, most_bytes, work = std::move(work)]() mutable {
    if (context->IsCancelled()) {
      reactor->Finish(grpc::Status::CANCELLED);
      return;
    }
    const auto answered = answer_of<Response>([&]() -> session::Result<Response> {
      Request request;
      if (const auto error = parse_request(*bytes, most_bytes, request)) {
        return *error;
      }
      return work(request);
    });
    finish<Response>(reactor, response, answered);
  });
  return reactor;
}

}  // namespace sluice::api
