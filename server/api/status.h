// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/status.h>

#include "server/session/error.h"

namespace sluice::api {

/// Converts an error into a gRPC status: canonical code, message, and google.rpc details
/// (BadRequest, ResourceInfo, RetryInfo) in `grpc-status-details-bin`. No other code does this.
[[nodiscard]] grpc::Status to_status(const session::Error& error);

}  // namespace sluice::api
