// SPDX-License-Identifier: Apache-2.0
#include "server/convert/scene_convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "server/convert/cloth_convert.h"
#include "server/convert/frame_convert.h"
#include "server/convert/problem_sink.h"
#include "server/convert/shape_convert.h"

namespace sluice::convert {
namespace {

// As documented in scene.proto.
constexpr int most_fluids = 64;
constexpr int most_regions = 64;
constexpr int most_cloths = 256;
constexpr int most_pins = 1024;
constexpr std::int64_t most_pin_tests = 200'000'000;  // vertices times regions: a few seconds
constexpr int most_obstacles = 1024;
constexpr std::int64_t default_frame_count = 120;
constexpr double default_frame_rate = 60;
constexpr double default_cells_of_contact = 0.1;   // contact distance in cells of the grid
constexpr double smallest_contact = 1e-6;          // [m]
constexpr double largest_contact = 1;              // [m]
constexpr double default_contact_distance = 1e-3;  // [m] without fluid
constexpr double largest_camera_coordinate = 1e6;  // [m]
constexpr double smallest_view_distance = 1e-6;    // [m]

template <typename Repeated>
void check_count(const Repeated& items, int most, const std::string& path, ProblemSink& problems) {
  if (items.size() > most) {
    problems.error(path,
                   fmt::format("has {} elements; at most {} are allowed", items.size(), most));
  }
}

// True if `value` is one of the enum's; 0 counts as omitted. In a message from outside an enum can
// be any number.
template <typename Enum>
bool chosen(Enum value, const std::string& path, ProblemSink& problems) {
  const google::protobuf::EnumDescriptor* type = google::protobuf::GetEnumDescriptor<Enum>();
  const int number = static_cast<int>(value);
  if (number == 0) return false;
  if (type->FindValueByNumber(number) != nullptr) return true;
  problems.error(path, fmt::format("unknown value {}: must be one of {}", number,
                                   fmt::join(enum_names(*type), ", ")));
  return false;
}

scene::WallCondition convert_wall(v1::WallCondition wall, const std::string& path,
                                  ProblemSink& problems) {
  return chosen(wall, path, problems) && wall == v1::WALL_CONDITION_NO_SLIP
             ? scene::WallCondition::no_slip
             : scene::WallCondition::slip;
}

void convert_domain(const v1::Scene& from, scene::Scene& to, ProblemSink& problems) {
  if (!from.has_domain()) {
    problems.error("domain", "is required: the box that everything stays in");
    return;
  }
  const v1::Domain& domain = from.domain();
  if (const auto lower = problems.required_vector(domain.lower(), "domain.lower")) {
    to.domain_lower = *lower;
  }
  if (const auto upper = problems.required_vector(domain.upper(), "domain.upper")) {
    to.domain_upper = *upper;
  }
  to.grid.wall = convert_wall(domain.wall(), "domain.wall", problems);
}

void convert_timing(const v1::Timing& timing, scene::Scene& to) {
  to.frame_count = timing.has_frame_count() ? timing.frame_count() : default_frame_count;
  to.frame_rate = timing.has_frames_per_second() ? timing.frames_per_second() : default_frame_rate;
  if (timing.has_max_substep_seconds()) to.coupling.max_substep = timing.max_substep_seconds();
}

void convert_grid(const v1::Scene& from, scene::Scene& to, ProblemSink& problems) {
  const v1::FluidGrid& grid = from.fluid_grid();
  if (from.fluids().empty()) {
    if (from.has_fluid_grid()) {
      problems.error("fluid_grid", "has no use without `fluids`: leave it out, or add a fluid");
    }
    return;
  }
  if (grid.has_cell_size()) {
    to.grid.cell_size = grid.cell_size();
  } else {
    problems.error("fluid_grid.cell_size", "is required with `fluids`, in metres");
  }
  if (chosen(grid.kernel(), "fluid_grid.kernel", problems) && grid.kernel() == v1::KERNEL_CUBIC) {
    to.grid.kernel = scene::Kernel::cubic;
  }
  if (grid.has_particles_per_axis()) to.grid.particles_per_axis = grid.particles_per_axis();
  if (grid.has_cfl_number()) to.grid.cfl = grid.cfl_number();
}

void convert_coupling(const v1::Scene& from, scene::Scene& to, ProblemSink& problems) {
  const v1::Coupling& coupling = from.coupling();
  if (chosen(coupling.method(), "coupling.method", problems)) {
    to.coupling.method = scene::CouplingMethod::admm_ipc;  // The one there is.
  }
  // Clamped (a NaN too), so that a bad cell size is not told a second time as a bad distance.
  to.coupling.contact_distance =
      coupling.has_contact_distance() ? coupling.contact_distance()
      : from.fluids().empty()
          ? default_contact_distance
          : std::fmax(smallest_contact,
                      std::fmin(largest_contact, default_cells_of_contact * to.grid.cell_size));
  if (coupling.has_max_iterations()) to.coupling.max_iterations = coupling.max_iterations();
  if (coupling.has_tolerance()) to.coupling.tolerance = coupling.tolerance();
}

scene::Fluid convert_fluid(const v1::Fluid& fluid, const std::string& path, ProblemSink& problems) {
  scene::Fluid converted;  // Its defaults are the documented ones.
  converted.name = fluid.name();
  const std::string regions_path = child_path(path, "regions");
  check_count(fluid.regions(), most_regions, regions_path, problems);
  if (fluid.regions().empty()) {
    problems.error(regions_path, "is required: the shapes that the fluid fills at the start");
  }
  for (int i = 0; i < std::min(fluid.regions_size(), most_regions); ++i) {
    converted.regions.push_back(convert_shape(
        fluid.regions(i), element_path(regions_path, static_cast<std::size_t>(i)), problems));
  }
  converted.velocity =
      problems.vector(fluid.velocity(), child_path(path, "velocity")).value_or(Vec3::Zero());
  if (fluid.has_density()) converted.density = fluid.density();
  if (fluid.has_sound_speed()) converted.sound_speed = fluid.sound_speed();
  if (fluid.has_eos_exponent()) converted.eos_exponent = fluid.eos_exponent();
  if (fluid.has_dynamic_viscosity()) converted.dynamic_viscosity = fluid.dynamic_viscosity();
  return converted;
}

scene::Obstacle convert_obstacle(const v1::Obstacle& obstacle, const std::string& path,
                                 ProblemSink& problems) {
  scene::Obstacle converted;
  converted.name = obstacle.name();
  converted.shape = convert_shape(obstacle.shape(), child_path(path, "shape"), problems);
  converted.wall = convert_wall(obstacle.wall(), child_path(path, "wall"), problems);
  if (obstacle.has_friction()) converted.friction = obstacle.friction();
  return converted;
}

void convert_output(const v1::Output& output, scene::Output& to, ProblemSink& problems) {
  for (int i = 0; i < output.fields_size(); ++i) {
    const std::string path = element_path("output.fields", static_cast<std::size_t>(i));
    const auto given = static_cast<v1::Field>(output.fields(i));
    if (given == v1::FIELD_POSITION || given == v1::FIELD_VELOCITY) {
      problems.error(path, "positions and velocities are in every frame: leave it out");
      continue;
    }
    const auto field = convert_field(given);
    if (!field) {
      problems.error(path,
                     "must be one of FIELD_PRESSURE, FIELD_DENSITY, FIELD_CONTACT_FORCE: no other "
                     "field is stored");
    } else if (to.has(*field)) {
      problems.error(path, "is there already");
    } else {
      to.fields.push_back(*field);
    }
  }
}

// The solver draws nothing: the camera is only checked, for whoever does.
void check_camera(const v1::Camera& camera, ProblemSink& problems) {
  const auto placed = [&](const auto& values, const std::string& path) {
    const auto vector = problems.required_vector(values, path);
    return vector && problems.in_range(*vector, -largest_camera_coordinate,
                                       largest_camera_coordinate, path)
               ? vector
               : std::nullopt;
  };
  const auto eye = placed(camera.eye(), "camera.eye");
  const auto target = placed(camera.target(), "camera.target");
  const bool viewing = eye && target && (*target - *eye).norm() >= smallest_view_distance;
  if (eye && target && !viewing) {
    problems.error("camera.target",
                   fmt::format("must be at least {} m from the eye", smallest_view_distance));
  }
  if (const auto up = problems.vector(camera.up(), "camera.up");
      up &&
      problems.in_range(*up, -largest_camera_coordinate, largest_camera_coordinate, "camera.up")) {
    if (up->norm() < smallest_view_distance) {
      problems.error("camera.up", "must not be zero");
    } else if (viewing && (*target - *eye).normalized().cross(up->normalized()).norm() < 1e-6) {
      problems.error("camera.up", "must not be along the view");
    }
  } else if (camera.up().empty() && viewing &&
             (*target - *eye).normalized().cross(Vec3::UnitZ()).norm() < 1e-6) {
    problems.error("camera.up", "is required for a view along z, where the default is no use");
  }
  if (camera.has_vertical_field_of_view_degrees()) {
    problems.in_range(camera.vertical_field_of_view_degrees(), 1, 150,
                      "camera.vertical_field_of_view_degrees");
  }
}

}  // namespace

ConvertedScene convert_scene(const v1::Scene& scene, const AssetResolver& assets,
                             const scene::Limits& limits) {
  ConvertedScene answer;
  ProblemSink problems;
  scene::Scene& to = answer.scene;
  to.name = scene.name().empty() ? "scene" : scene.name();
  to.gravity = problems.vector(scene.gravity(), "gravity").value_or(Vec3{0, 0, -9.81});
  convert_domain(scene, to, problems);
  convert_timing(scene.timing(), to);
  convert_grid(scene, to, problems);
  convert_coupling(scene, to, problems);
  check_count(scene.fluids(), most_fluids, "fluids", problems);
  for (int i = 0; i < std::min(scene.fluids_size(), most_fluids); ++i) {
    to.fluids.push_back(convert_fluid(
        scene.fluids(i), element_path("fluids", static_cast<std::size_t>(i)), problems));
  }
  ClothBudget budget{limits.vertex_count, limits.triangle_count, most_pin_tests};
  check_count(scene.cloths(), most_cloths, "cloths", problems);
  for (int i = 0; i < std::min(scene.cloths_size(), most_cloths); ++i) {
    const std::string path = element_path("cloths", static_cast<std::size_t>(i));
    check_count(scene.cloths(i).pins(), most_pins, child_path(path, "pins"), problems);
    to.cloths.push_back(convert_cloth(scene.cloths(i), path, assets, budget, problems));
  }
  check_count(scene.obstacles(), most_obstacles, "obstacles", problems);
  for (int i = 0; i < std::min(scene.obstacles_size(), most_obstacles); ++i) {
    to.obstacles.push_back(convert_obstacle(
        scene.obstacles(i), element_path("obstacles", static_cast<std::size_t>(i)), problems));
  }
  if (scene.has_camera()) check_camera(scene.camera(), problems);
  convert_output(scene.output(), to.output, problems);
  answer.problems = problems.take();
  return answer;
}

}  // namespace sluice::convert
