// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/v1/scene.pb.h"
#include "solver/result.h"
#include "solver/scene/choices.h"
#include "solver/scene/limits.h"
#include "solver/scene/problem.h"
#include "solver/scene/scene.h"

/// Turns the bytes of a scene into a scene for the solver: `parse_scene`, then `load_scene`. Pure
/// functions, safe from any thread; no input makes them crash, hang or allocate more than a small
/// multiple of its size and of what `limits` allow.
namespace sluice::convert {

/// A scene as it was read, and the problems of its form.
struct ParsedScene {
  v1::Scene scene;  ///< Every field that could be read.
  std::vector<scene::Problem>
      problems;  ///< Syntax, unknown or doubled fields, wrong types. Empty when all is well.
};

/// Reads a scene in protobuf's JSON mapping, with comments and trailing commas. A text longer than
/// `max_scene_bytes` is not read; one problem says so.
[[nodiscard]] ParsedScene parse_scene(std::string_view json);

inline constexpr std::size_t max_scene_bytes = std::size_t{16} << 20;

/// The name and content of a mesh file.
struct AssetFile {
  std::string file_name;  ///< The extension tells the mesh format.
  std::string bytes;
};

/// Finds the file that a body's `mesh` names, or says in `Error::message` why it cannot: one
/// sentence for the scene's author.
using AssetResolver = std::function<Result<AssetFile>(std::string_view name)>;

/// A scene for the solver, with all of its problems.
struct LoadedScene {
  scene::Scene scene;  ///< To be run only if `runnable()`.
  std::vector<scene::Problem> problems;
  std::vector<scene::Choice> choices;  ///< The defaults that were chosen for omitted fields.
  std::int64_t particle_count = 0;     ///< Particles at the start; 0 unless runnable.
  std::int64_t vertex_count = 0;       ///< Vertices of all solids; 0 unless runnable.
  std::int64_t cell_count = 0;         ///< Cells of the gas; 0 unless runnable, or without a gas.
  std::int64_t frame_bytes = 0;        ///< [bytes] of one frame's arrays; 0 unless runnable.

  [[nodiscard]] bool runnable() const { return !scene::has_error(problems); }
};

/// Applies defaults, reads meshes, resolves pins (scene_convert.h) and checks the whole
/// (solver/scene/validate.h). `problems` holds errors first, `parse_problems` before others; a
/// problem that merely follows from an earlier one is left out.
[[nodiscard]] LoadedScene load_scene(const v1::Scene& scene, const AssetResolver& assets,
                                     const scene::Limits& limits,
                                     std::vector<scene::Problem> parse_problems = {});

/// Whether `name` has the extension of a mesh format that can be read.
[[nodiscard]] bool is_mesh_file_name(std::string_view name);

}  // namespace sluice::convert
