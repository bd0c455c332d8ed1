// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sluice/v1/scenes.pb.h"

namespace sluice::api {

/// Finds the folder of example scenes for the program at `binary`: share/sluice/scenes next to its
/// bin/, or client/scenes of the source tree for a program in its build folder. Empty if neither is
/// there.
[[nodiscard]] std::filesystem::path find_scenes_directory(const std::filesystem::path& binary);

/// Reads the scenes in `directory` (`*.json`) and the files that they name: the main scene first,
/// then the others by name. A scene's description is the first sentence of the comment that the
/// scene begins with. Scenes and files that cannot be read are left out, with a line in the log.
[[nodiscard]] v1::ListExampleScenesResponse read_example_scenes(
    const std::filesystem::path& directory);

}  // namespace sluice::api
