// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sluice/connection.h"
#include "sluice/v1/scenes.pb.h"
#include "sluice/v1/server.pb.h"

namespace sluice::client {

/// Gets version, abilities and limits of the server.
v1::ServerInfo get_server_info(const Connection& connection);

/// Has the server check a scene, given as JSON text with its meshes as assets.
v1::ValidateSceneResponse validate_scene(const Connection& connection, const std::string& json);

/// Lists the scenes that come with the server, the main one first.
std::vector<v1::ExampleScene> list_example_scenes(const Connection& connection);

}  // namespace sluice::client
