// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sluice/v1/scenes.pb.h"

namespace sluice::api {

/// Where the scenes are that come with the program at `binary`: share/sluice/scenes next to its
/// bin/, or client/scenes of the source tree for a program in its build folder. Empty if neither is
/// there.
[[nodiscard]] std::filesystem::path find_scenes_directory(const std::filesystem::path& binary);

/// The scenes in `directory` (`*.json`) with the files they name, the main one first, the others by
/// name. A scene's description is the first sentence of the comment it
/// begins with. What cannot be read is left out.
[[nodiscard]] v1::ListExampleScenesResponse read_example_scenes(
    const std::filesystem::path& directory);

}  // namespace sluice::api
