// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/session/sessions.h"
#include "sluice/v1/worker_link.grpc.pb.h"

namespace sluice::api {

/// Serves sluice.v1.WorkerLink: each stream connects one worker to its session.
class WorkerLinkService final : public v1::WorkerLink::CallbackService {
 public:
  explicit WorkerLinkService(session::Sessions& sessions) : sessions_(sessions) {}

  grpc::ServerBidiReactor<v1::WorkerMessage, v1::ServerMessage>* Attach(
      grpc::CallbackServerContext* context) override;

 private:
  session::Sessions& sessions_;
};

}  // namespace sluice::api
