// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "server/convert/scene_load.h"
#include "solver/result.h"
#include "solver/scene/scene.h"

namespace sluice::validation {

/// Reads a scene of client/scenes, with its meshes, the way the server does. Throws if it is not
/// fit to run.
inline scene::Scene read_scene(const std::filesystem::path& file) {
  const auto read = [](const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + path.string());
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const convert::ParsedScene parsed = convert::parse_scene(read(file));
  convert::LoadedScene loaded = convert::load_scene(
      parsed.scene,
      [&](std::string_view name) -> Result<convert::AssetFile> {
        return convert::AssetFile{std::string(name), read(file.parent_path() / name)};
      },
      {}, parsed.problems);
  if (!loaded.runnable())
    throw std::runtime_error(file.string() + ": " + loaded.problems.front().message);
  return std::move(loaded.scene);
}

}  // namespace sluice::validation
