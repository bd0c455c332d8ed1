// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/v1/scene.pb.h"
#include "solver/scene/problem.h"

/// The readers behind `parse_scene` (scene_load.h), one a format. Each fills an empty `scene` with
/// what can be read and appends what is wrong: syntax with line and column and an empty path,
/// everything else with the path of its field.
namespace sluice::convert {

void parse_scene_json(std::string_view text, v1::Scene& scene,
                      std::vector<scene::Problem>& problems);

/// Text format stops at its first error, whose place is in the message.
void parse_scene_textproto(std::string_view text, v1::Scene& scene,
                           std::vector<scene::Problem>& problems);

void parse_scene_binary(std::string_view bytes, v1::Scene& scene,
                        std::vector<scene::Problem>& problems);

/// Tells fields that this build does not know, which protobuf keeps silently: what was asked for
/// must not be ignored.
void find_unknown_fields(const google::protobuf::Message& message, const std::string& path,
                         std::vector<scene::Problem>& problems);

}  // namespace sluice::convert
