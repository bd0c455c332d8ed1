// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/session/limits.h"
#include "sluice/v1/server.grpc.pb.h"

namespace sluice::api {

/// sluice.v1.Server: facts that stand while the process lives.
class ServerService final : public v1::Server::CallbackService {
 public:
  ServerService(const session::Limits& limits, const std::string& viewer_url);

  grpc::ServerUnaryReactor* GetInfo(grpc::CallbackServerContext* context,
                                    const v1::GetServerInfoRequest* request,
                                    v1::ServerInfo* response) override;

 private:
  v1::ServerInfo info_;
};

}  // namespace sluice::api
