// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts an elastic material; Lame's parameters become Young's modulus and Poisson's ratio.
/// `path` is the material's path, for example `soft_bodies[2].material`.
[[nodiscard]] scene::ElasticMaterial convert_material(const v1::ElasticMaterial& material,
                                                      const std::string& path,
                                                      ProblemSink& problems);

/// Converts the material of a sheet of finite elements.
[[nodiscard]] scene::ShellMaterial convert_shell(const v1::ShellMaterial& shell,
                                                 const std::string& path, ProblemSink& problems);

}  // namespace sluice::convert
