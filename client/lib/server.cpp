// SPDX-License-Identifier: Apache-2.0
#include "sluice/server.h"

#include "client/lib/channel.h"

namespace sluice::client {

v1::ServerInfo get_server_info(const Connection& connection) {
  return call(connection, &v1::Server::Stub::GetInfo, *connection.impl().server,
              v1::GetServerInfoRequest());
}

v1::ValidateSceneResponse validate_scene(const Connection& connection, const std::string& json) {
  v1::ValidateSceneRequest request;
  request.set_json(json);
  return call(connection, &v1::Scenes::Stub::Validate, *connection.impl().scenes, request);
}

std::vector<v1::ExampleScene> list_example_scenes(const Connection& connection) {
  const v1::ListExampleScenesResponse response =
      call(connection, &v1::Scenes::Stub::ListExamples, *connection.impl().scenes,
           v1::ListExampleScenesRequest());
  return {response.scenes().begin(), response.scenes().end()};
}

}  // namespace sluice::client
