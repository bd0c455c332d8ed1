// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <stop_token>
#include <string>

#include "sluice/connection.h"
#include "sluice/error.h"
#include "sluice/v1/assets.grpc.pb.h"
#include "sluice/v1/frames.grpc.pb.h"
#include "sluice/v1/scenes.grpc.pb.h"
#include "sluice/v1/server.grpc.pb.h"
#include "sluice/v1/sessions.grpc.pb.h"

namespace sluice::client {

struct Connection::Impl {
  std::string address;
  ConnectionOptions options;
  std::unique_ptr<v1::Sessions::Stub> sessions;
  std::unique_ptr<v1::Frames::Stub> frames;
  std::unique_ptr<v1::Assets::Stub> assets;
  std::unique_ptr<v1::Scenes::Stub> scenes;
  std::unique_ptr<v1::Server::Stub> server;
};

/// Converts a status of gRPC into an `Error`, with the field violations in the status's details
/// and, if the server was not reached, with its address. No other code does this.
[[nodiscard]] Error to_error(const grpc::Status& status, const std::string& address);

/// Whether the same call may succeed when it is tried again on a new connection.
[[nodiscard]] bool is_transient(ErrorKind kind) noexcept;

/// Makes one unary call with the connection's deadline; throws `Error` unless it succeeds.
template <class Stub, class Request, class Response>
Response call(const Connection& connection,
              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
              Stub& stub, const Request& request) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + connection.options().deadline);
  const std::stop_callback cancel_on_stop(connection.options().stop,
                                          [&context] { context.TryCancel(); });
  Response response;
  const grpc::Status status = (stub.*method)(&context, request, &response);
  if (!status.ok()) {
    throw to_error(status, connection.address());
  }
  return response;
}

}  // namespace sluice::client
