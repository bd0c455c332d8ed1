// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "server/session/environment.h"
#include "server/session/error.h"
#include "sluice/v1/scenes.grpc.pb.h"

namespace sluice::api {

/// sluice.v1.Scenes.
class ScenesService final : public v1::Scenes::CallbackService {
 public:
  ScenesService(session::Environment& environment, std::filesystem::path scenes_directory)
      : environment_(environment), scenes_directory_(std::move(scenes_directory)) {}

  grpc::ServerUnaryReactor* Validate(grpc::CallbackServerContext* context,
                                     const v1::ValidateSceneRequest* request,
                                     v1::ValidateSceneResponse* response) override;
  grpc::ServerUnaryReactor* ListExamples(grpc::CallbackServerContext* context,
                                         const v1::ListExampleScenesRequest* request,
                                         v1::ListExampleScenesResponse* response) override;

 private:
  session::Result<v1::ValidateSceneResponse> validate(const v1::ValidateSceneRequest& request);

  session::Environment& environment_;
  std::filesystem::path scenes_directory_;
};

}  // namespace sluice::api
