// SPDX-License-Identifier: Apache-2.0
#include "server/convert/scene_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "server/convert/field_path.h"
#include "server/convert/json_message.h"
#include "server/convert/json_reader.h"
#include "server/convert/scene_convert.h"
#include "server/convert/unknown_fields.h"
#include "solver/geometry/mesh_file.h"
#include "solver/geometry/volume_file.h"
#include "solver/scene/seeding.h"
#include "solver/scene/validate.h"

namespace sluice::convert {
namespace {

// Renames the field `from` of the body at `body_path` in the paths of problems.
void rename_field(const std::string& body_path, std::string_view from, std::string_view to,
                  std::vector<scene::Problem>& problems) {
  const std::string old_path = child_path(body_path, from);
  for (scene::Problem& problem : problems) {
    if (!problem.path.starts_with(old_path)) continue;
    const char next = problem.path.size() > old_path.size() ? problem.path[old_path.size()] : '.';
    if (next != '.' && next != '[') continue;
    problem.path.replace(body_path.size() + 1, from.size(), to);
  }
}

enum class Geometry { as_typed, as_mesh };

// The solver knows of meshes only: on the way in, problems of a cloth's grid or of another
// body's shape become ones of its mesh, and on the way back ones of what was typed.
void rename_geometry(const v1::Scene& scene, Geometry wanted,
                     std::vector<scene::Problem>& problems) {
  const auto rename = [&](const char* bodies, int index, const char* typed) {
    const std::string path = element_path(bodies, static_cast<std::size_t>(index));
    const bool back = wanted == Geometry::as_typed;
    rename_field(path, back ? "mesh" : typed, back ? typed : "mesh", problems);
  };
  for (int i = 0; i < scene.cloths_size(); ++i) {
    if (scene.cloths(i).has_grid()) rename("cloths", i, "grid");
  }
  for (int i = 0; i < scene.soft_bodies_size(); ++i) {
    if (scene.soft_bodies(i).has_shape()) rename("soft_bodies", i, "shape");
  }
  for (int i = 0; i < scene.rigid_bodies_size(); ++i) {
    if (scene.rigid_bodies(i).has_shape()) rename("rigid_bodies", i, "shape");
  }
}

// Whether what `later` says follows from an error that `problems` has: at its field, above it or
// below it.
bool follows(const scene::Problem& later, std::span<const scene::Problem> problems) {
  const auto holds = [](std::string_view outer, std::string_view inner) {
    return !outer.empty() && inner.starts_with(outer) &&
           (inner.size() == outer.size() || inner[outer.size()] == '.' ||
            inner[outer.size()] == '[');
  };
  return std::any_of(problems.begin(), problems.end(), [&](const scene::Problem& earlier) {
    return holds(earlier.path, later.path) || holds(later.path, earlier.path);
  });
}

std::int64_t count_cells(const scene::Scene& scene) {
  if (!scene.gas) return 0;
  const std::array<std::int64_t, 3> cells = scene::grid_cells(scene);
  return cells[0] * cells[1] * cells[2];
}

std::int64_t bytes_of_frame(const LoadedScene& loaded) {
  constexpr std::int64_t number = sizeof(float);
  std::int64_t numbers = 6 * (loaded.particle_count + loaded.vertex_count);
  if (loaded.scene.gas) {
    for (const scene::Carried what : loaded.scene.gas->carries)
      numbers += (what == scene::Carried::dye ? 3 : 1) * loaded.cell_count;
    for (const Field field : loaded.scene.output.fields)
      numbers += component_count(field) * loaded.cell_count;
  }
  for (const Field field : loaded.scene.output.fields) {
    numbers += component_count(field) * loaded.particle_count;
    if (field == Field::contact_force) numbers += component_count(field) * loaded.vertex_count;
  }
  return number * numbers;
}

}  // namespace

ParsedScene parse_scene(std::string_view json) {
  ParsedScene answer;
  const auto refuse = [&](std::string message) {
    answer.problems.push_back({"", std::move(message), scene::Severity::error});
    return answer;
  };
  if (json.size() > max_scene_bytes) {
    return refuse(
        fmt::format("the scene has {} bytes; at most {} are read: put large meshes into files of "
                    "their own",
                    json.size(), max_scene_bytes));
  }
  const JsonText text = read_json(json);
  if (text.error) {
    return refuse(fmt::format("line {}, column {}: {}", text.error->line, text.error->column,
                              text.error->message));
  }
  read_message(text.value, "", answer.scene, answer.problems);
  return answer;
}

LoadedScene load_scene(const v1::Scene& scene, const AssetResolver& assets,
                       const scene::Limits& limits, std::vector<scene::Problem> parse_problems) {
  LoadedScene answer;
  answer.problems = std::move(parse_problems);
  // A text that could not be read has no fields to look at.
  const bool unreadable =
      std::any_of(answer.problems.begin(), answer.problems.end(),
                  [](const scene::Problem& problem) { return problem.path.empty(); });
  if (unreadable) return answer;

  std::vector<scene::Problem> problems = answer.problems;
  find_unknown_fields(scene, "", problems);
  ConvertedScene converted = convert_scene(scene, assets, limits);
  const std::vector<scene::Problem> parsed = problems;
  for (scene::Problem& problem : converted.problems) {
    if (problems.size() >= scene::most_problems) break;
    if (!follows(problem, parsed)) problems.push_back(std::move(problem));
  }
  rename_geometry(scene, Geometry::as_mesh, problems);
  problems = scene::validate(converted.scene, limits, std::move(problems));
  rename_geometry(scene, Geometry::as_typed, problems);
  answer.problems.clear();  // Errors first, whatever stage they are of.
  for (const scene::Severity severity : {scene::Severity::error, scene::Severity::warning}) {
    for (const scene::Problem& problem : problems) {
      if (problem.severity == severity) answer.problems.push_back(problem);
    }
  }
  answer.scene = std::move(converted.scene);
  answer.choices = std::move(converted.choices);
  if (!answer.runnable()) return answer;
  const scene::Seeds seeds(answer.scene);
  scene::SeedWork work;
  for (std::size_t i = 0; i < answer.scene.fluids.size(); ++i)
    answer.particle_count += seeds.count(i, limits.particle_count, work).count;
  for (const scene::Cloth& cloth : answer.scene.cloths) {
    answer.vertex_count += static_cast<std::int64_t>(cloth.mesh.vertices.size());
  }
  for (const scene::SoftBody& body : answer.scene.soft_bodies) {
    answer.vertex_count += static_cast<std::int64_t>(body.mesh.vertices.size());
  }
  for (const scene::RigidBody& body : answer.scene.rigid_bodies) {
    answer.vertex_count += static_cast<std::int64_t>(body.mesh.vertices.size());
  }
  answer.cell_count = count_cells(answer.scene);
  answer.frame_bytes = bytes_of_frame(answer);
  return answer;
}

bool is_mesh_file_name(std::string_view name) {
  return geometry::mesh_format_from_name(name) || geometry::volume_format_from_name(name);
}

}  // namespace sluice::convert
