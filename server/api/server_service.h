// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "server/session/limits.h"
#include "sluice/v1/server.grpc.pb.h"

namespace sluice::api {

/// Serves sluice.v1.Server: facts that do not change while the process lives.
class ServerService final : public v1::Server::WithRawCallbackMethod_GetInfo<v1::Server::Service> {
 public:
  ServerService(const session::Limits& limits, const std::string& viewer_url,
                const std::vector<std::string>& findings);

  grpc::ServerUnaryReactor* GetInfo(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* bytes,
                                    grpc::ByteBuffer* response) override;

 private:
  v1::ServerInfo info_;
};

}  // namespace sluice::api
