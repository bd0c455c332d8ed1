// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/stream_places.h"
#include "server/session/sessions.h"
#include "sluice/v1/sessions.grpc.pb.h"

namespace sluice::api {

/// sluice.v1.Sessions: checks, calls session/, answers.
class SessionsService final : public v1::Sessions::CallbackService {
 public:
  SessionsService(session::Sessions& sessions, StreamPlaces& places)
      : sessions_(sessions), places_(places) {}

  grpc::ServerUnaryReactor* Create(grpc::CallbackServerContext* context,
                                   const v1::CreateSessionRequest* request,
                                   v1::Session* response) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetSessionRequest* request,
                                v1::Session* response) override;
  grpc::ServerUnaryReactor* ListCommands(grpc::CallbackServerContext* context,
                                         const v1::ListCommandsRequest* request,
                                         v1::ListCommandsResponse* response) override;
  grpc::ServerUnaryReactor* GetScene(grpc::CallbackServerContext* context,
                                     const v1::GetSessionSceneRequest* request,
                                     v1::Scene* response) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const v1::ListSessionsRequest* request,
                                 v1::ListSessionsResponse* response) override;
  grpc::ServerUnaryReactor* Delete(grpc::CallbackServerContext* context,
                                   const v1::DeleteSessionRequest* request,
                                   google::protobuf::Empty* response) override;
  grpc::ServerUnaryReactor* Pause(grpc::CallbackServerContext* context,
                                  const v1::PauseSessionRequest* request,
                                  v1::Session* response) override;
  grpc::ServerUnaryReactor* Resume(grpc::CallbackServerContext* context,
                                   const v1::ResumeSessionRequest* request,
                                   v1::Session* response) override;
  grpc::ServerUnaryReactor* Step(grpc::CallbackServerContext* context,
                                 const v1::StepSessionRequest* request,
                                 v1::Session* response) override;
  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
                                   const v1::CancelSessionRequest* request,
                                   v1::Session* response) override;
  grpc::ServerUnaryReactor* Steer(grpc::CallbackServerContext* context,
                                  const v1::SteerSessionRequest* request,
                                  v1::SteerSessionResponse* response) override;
  grpc::ServerUnaryReactor* RenewLease(grpc::CallbackServerContext* context,
                                       const v1::RenewLeaseRequest* request,
                                       v1::Session* response) override;
  grpc::ServerWriteReactor<v1::WatchSessionResponse>* Watch(
      grpc::CallbackServerContext* context, const v1::WatchSessionRequest* request) override;

 private:
  session::Result<v1::Session> create(const v1::CreateSessionRequest& request);
  session::Result<std::shared_ptr<session::Session>> find(std::string_view name);

  session::Sessions& sessions_;
  StreamPlaces& places_;
};

}  // namespace sluice::api
