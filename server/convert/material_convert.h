// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// An elastic material, Lame's parameters turned into Young's modulus and Poisson's ratio. `path`
/// is the material's, as `soft_bodies[2].material`.
[[nodiscard]] scene::ElasticMaterial convert_material(const v1::ElasticMaterial& material,
                                                      const std::string& path,
                                                      ProblemSink& problems);

/// What a sheet of finite elements is made of.
[[nodiscard]] scene::ShellMaterial convert_shell(const v1::ShellMaterial& shell,
                                                 const std::string& path, ProblemSink& problems);

}  // namespace sluice::convert
