// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/scene_checker.h"
#include "server/api/stream_places.h"
#include "server/session/sessions.h"
#include "sluice/v1/sessions.grpc.pb.h"

namespace sluice::api {

/// The generated service in the form in which all methods take bytes (request_bytes.h).
using SessionsBase = v1::Sessions::WithRawCallbackMethod_Create<
    v1::Sessions::WithRawCallbackMethod_Get<v1::Sessions::WithRawCallbackMethod_ListCommands<
        v1::Sessions::WithRawCallbackMethod_GetScene<v1::Sessions::WithRawCallbackMethod_List<
            v1::Sessions::WithRawCallbackMethod_Delete<v1::Sessions::WithRawCallbackMethod_Pause<
                v1::Sessions::WithRawCallbackMethod_Resume<v1::Sessions::WithRawCallbackMethod_Step<
                    v1::Sessions::WithRawCallbackMethod_Cancel<
                        v1::Sessions::WithRawCallbackMethod_Steer<
                            v1::Sessions::WithRawCallbackMethod_RenewLease<
                                v1::Sessions::WithRawCallbackMethod_Watch<
                                    v1::Sessions::Service>>>>>>>>>>>>>;

/// Serves sluice.v1.Sessions: checks each request, calls server/session and answers.
class SessionsService final : public SessionsBase {
 public:
  SessionsService(session::Sessions& sessions, StreamPlaces& places, SceneChecker& checker)
      : sessions_(sessions), places_(places), checker_(checker) {}

  grpc::ServerUnaryReactor* Create(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const grpc::ByteBuffer* request,
                                grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListCommands(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetScene(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request,
                                 grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Delete(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Pause(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Resume(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Step(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request,
                                 grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Steer(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RenewLease(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Watch(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request) override;

 private:
  session::Result<v1::Session> create(const v1::CreateSessionRequest& request,
                                      const v1::SceneCheckResponse& found);
  template <typename Request, typename Call>
  grpc::ServerUnaryReactor* forward(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request, grpc::ByteBuffer* response,
                                    Call&& call);
  session::Result<std::shared_ptr<session::Session>> find(std::string_view name);

  session::Sessions& sessions_;
  StreamPlaces& places_;
  SceneChecker& checker_;
};

}  // namespace sluice::api
