// SPDX-License-Identifier: Apache-2.0
#include "server/api/scenes_service.h"

#include "server/api/checks.h"
#include "server/api/example_scenes.h"
#include "server/api/reply.h"
#include "server/api/scene_check.h"

namespace sluice::api {

using session::Result;

Result<v1::ValidateSceneResponse> ScenesService::validate(const v1::ValidateSceneRequest& request) {
  convert::LoadedScene loaded;
  switch (request.source_case()) {
    case v1::ValidateSceneRequest::kScene:
      loaded = check_scene(request.scene(), environment_);
      break;
    case v1::ValidateSceneRequest::kJson: {
      convert::ParsedScene parsed = convert::parse_scene(request.json());
      loaded = check_scene(parsed.scene, environment_, std::move(parsed.problems));
      break;
    }
    case v1::ValidateSceneRequest::SOURCE_NOT_SET: {
      Violations violations;
      violations.add("source", "is required: scene or json");
      return std::move(violations).error();
    }
  }
  v1::ValidateSceneResponse response;
  for (const scene::Problem& problem : loaded.problems) {
    v1::SceneProblem& entry = *response.add_problems();
    entry.set_field(problem.path);
    entry.set_message(problem.message);
    entry.set_severity(problem.severity == scene::Severity::error
                           ? v1::SceneProblem::SEVERITY_ERROR
                           : v1::SceneProblem::SEVERITY_WARNING);
  }
  response.set_particle_count(loaded.particle_count);
  response.set_vertex_count(loaded.vertex_count);
  return response;
}

grpc::ServerUnaryReactor* ScenesService::Validate(grpc::CallbackServerContext* context,
                                                  const v1::ValidateSceneRequest* request,
                                                  v1::ValidateSceneResponse* response) {
  return answer_on(environment_.pool, context, response,
                   [this, request] { return validate(*request); });
}

grpc::ServerUnaryReactor* ScenesService::ListExamples(
    grpc::CallbackServerContext* context, const v1::ListExampleScenesRequest* /*request*/,
    v1::ListExampleScenesResponse* response) {
  return answer_on(environment_.pool, context, response,
                   [this]() -> Result<v1::ListExampleScenesResponse> {
                     return read_example_scenes(scenes_directory_);
                   });
}

}  // namespace sluice::api
