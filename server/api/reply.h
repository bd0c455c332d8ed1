// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <new>
#include <utility>

#include "server/api/status.h"
#include "server/session/error.h"
#include "server/session/work_pool.h"

namespace sluice::api {

/// Ends a unary call with a value or an error.
template <typename Response>
void finish(grpc::ServerUnaryReactor* reactor, Response* response,
            session::Result<Response> result) {
  if (result) {
    *response = *std::move(result);
    reactor->Finish(grpc::Status::OK);
  } else {
    reactor->Finish(to_status(result.error()));
  }
}

/// Answers at once, on gRPC's thread: for what needs no disk and little time.
template <typename Response, typename Work>
grpc::ServerUnaryReactor* answer(grpc::CallbackServerContext* context, Response* response,
                                 Work&& work) {
  auto* reactor = context->DefaultReactor();
  finish<Response>(reactor, response, std::forward<Work>(work)());
  return reactor;
}

/// What `work` answers; an error where there is not the memory for it, which must not end the
/// server.
template <typename Response, typename Work>
session::Result<Response> answer_of(Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return session::out_of_memory();
  }
}

/// Answers on the pool: for what may wait for the disk or compute. A call whose client has gone by
/// then is not worked on.
template <typename Response, typename Work>
grpc::ServerUnaryReactor* answer_on(session::WorkPool& pool, grpc::CallbackServerContext* context,
                                    Response* response, Work work) {
  auto* reactor = context->DefaultReactor();
  pool.post([context, reactor, response, work = std::move(work)]() mutable {
    if (context->IsCancelled()) {
      reactor->Finish(grpc::Status::CANCELLED);
    } else {
      finish<Response>(reactor, response, answer_of<Response>(work));
    }
  });
  return reactor;
}

}  // namespace sluice::api
