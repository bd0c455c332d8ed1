// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "server/convert/scene_load.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/choices.h"
#include "solver/scene/limits.h"
#include "solver/scene/problem.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// A scene for the solver, and the problems of the conversion.
struct ConvertedScene {
  scene::Scene scene;  ///< Bodies keep their indices; after an error a field has its default.
  std::vector<scene::Problem> problems;
  std::vector<scene::Choice> choices;  ///< The defaults that were chosen for omitted fields.
};

/// Applies the defaults that scene.proto documents, turns degrees into radians and full lengths
/// into halves, reads meshes, builds cloth grids, moves cloths to their places and resolves pin
/// regions into vertices (a pin's own `vertices` first, then those in its region in rising order,
/// each once). Defaults that follow from the whole scene are chosen by solver/scene/choices.h.
///
/// Checks what cannot be seen in a scene::Scene any more: vectors have 3 components, required
/// fields are there, transforms, unknown enum numbers, cloth grids (against `limits`, before they
/// are built), the camera, mesh files, empty pins. scene::validate checks all other ranges.
[[nodiscard]] ConvertedScene convert_scene(const v1::Scene& scene, const AssetResolver& assets,
                                           const scene::Limits& limits);

}  // namespace sluice::convert
