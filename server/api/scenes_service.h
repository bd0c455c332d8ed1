// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "server/api/scene_checker.h"
#include "server/session/environment.h"
#include "server/session/error.h"
#include "sluice/v1/scenes.grpc.pb.h"

namespace sluice::api {

/// The generated service in the form in which all methods take bytes (request_bytes.h).
using ScenesBase = v1::Scenes::WithRawCallbackMethod_Validate<
    v1::Scenes::WithRawCallbackMethod_ListExamples<v1::Scenes::Service>>;

/// Serves sluice.v1.Scenes.
class ScenesService final : public ScenesBase {
 public:
  ScenesService(session::Environment& environment, SceneChecker& checker,
                std::filesystem::path scenes_directory)
      : environment_(environment),
        checker_(checker),
        scenes_directory_(std::move(scenes_directory)) {}

  grpc::ServerUnaryReactor* Validate(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* bytes,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListExamples(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* bytes,
                                         grpc::ByteBuffer* response) override;

 private:
  session::Environment& environment_;
  SceneChecker& checker_;
  std::filesystem::path scenes_directory_;
};

}  // namespace sluice::api
