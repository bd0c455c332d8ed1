// SPDX-License-Identifier: Apache-2.0
#include "server/api/scenes_service.h"

#include "server/api/checks.h"
#include "server/api/example_scenes.h"
#include "server/api/reply.h"

namespace sluice::api {

using session::Result;

namespace {

v1::ValidateSceneResponse to_response(v1::SceneCheckResponse found) {
  v1::ValidateSceneResponse response;
  response.mutable_problems()->Swap(found.mutable_problems());
  response.set_particle_count(found.particle_count());
  response.set_vertex_count(found.vertex_count());
  response.mutable_choices()->Swap(found.mutable_choices());
  return response;
}

}  // namespace

grpc::ServerUnaryReactor* ScenesService::Validate(grpc::CallbackServerContext* context,
                                                  const grpc::ByteBuffer* bytes,
                                                  grpc::ByteBuffer* response) {
  auto* reactor = context->DefaultReactor();
  environment_.pool.post([this, context, reactor, bytes, response] {
    const auto most = static_cast<std::size_t>(environment_.settings.limits.message_bytes);
    const auto request = read_request<v1::ValidateSceneRequest>(reactor, *bytes, most);
    if (!request) {
      return;
    }
    const auto go_on = [reactor, response](Result<v1::SceneCheckResponse> found) {
      finish<v1::ValidateSceneResponse>(
          reactor, response,
          found ? Result<v1::ValidateSceneResponse>(to_response(*std::move(found)))
                : found.error());
    };
    try {
      switch (request->source_case()) {
        case v1::ValidateSceneRequest::kScene:
          checker_.check(request->scene(), context, go_on);
          break;
        case v1::ValidateSceneRequest::kJson:
          checker_.check_json(request->json(), context, go_on);
          break;
        case v1::ValidateSceneRequest::SOURCE_NOT_SET: {
          Violations violations;
          violations.add("source", "is required: scene or json");
          go_on(std::move(violations).error());
        }
      }
    } catch (const std::bad_alloc&) {
      go_on(session::out_of_memory());
    }
  });
  return reactor;
}

grpc::ServerUnaryReactor* ScenesService::ListExamples(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* bytes,
                                                      grpc::ByteBuffer* response) {
  return answer_on<v1::ListExampleScenesRequest, v1::ListExampleScenesResponse>(
      environment_.pool, context, bytes, response, small_request_bytes,
      [this](const v1::ListExampleScenesRequest&) -> Result<v1::ListExampleScenesResponse> {
        return read_example_scenes(scenes_directory_);
      });
}

}  // namespace sluice::api
