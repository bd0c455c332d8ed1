// SPDX-License-Identifier: Apache-2.0
#include "server/convert/scene_convert.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/convert/chosen.h"
#include "server/convert/cloth_convert.h"
#include "server/convert/domain_convert.h"
#include "server/convert/emitter_convert.h"
#include "server/convert/fluid_convert.h"
#include "server/convert/fluid_grid_convert.h"
#include "server/convert/frame_convert.h"
#include "server/convert/gas_convert.h"
#include "server/convert/integrator_convert.h"
#include "server/convert/problem_sink.h"
#include "server/convert/rigid_body_convert.h"
#include "server/convert/shape_convert.h"
#include "server/convert/soft_body_convert.h"
#include "server/convert/wall_convert.h"
#include "solver/scene/capabilities.h"

namespace sluice::convert {
namespace {

// The limits are those that scene.proto documents.
constexpr int most_fluids = 64;
constexpr int most_drains = 64;
constexpr int most_cloths = 256;
constexpr int most_rigid_bodies = 1'024;
constexpr int most_soft_bodies = 256;
constexpr int most_pins = 1024;
constexpr std::int64_t most_pin_tests = 200'000'000;  // vertices times regions: a few seconds
constexpr int most_obstacles = 1024;
constexpr int most_springs = 65'536;
constexpr int most_contact_pairs = 4'096;
constexpr double largest_camera_coordinate = 1e6;  // [m]
constexpr double smallest_view_distance = 1e-6;    // [m]

template <typename Repeated>
void check_count(const Repeated& items, int most, const std::string& path, ProblemSink& problems) {
  if (items.size() > most) {
    problems.error(path,
                   fmt::format("has {} elements; at most {} are allowed", items.size(), most));
  }
}

void convert_timing(const v1::Scene& from, scene::Scene& to, scene::OpenFields& open) {
  const v1::Timing& timing = from.timing();
  if (timing.has_frame_count()) to.frame_count = timing.frame_count();
  if (timing.has_frames_per_second()) to.frame_rate = timing.frames_per_second();
  open.max_substep = !timing.has_max_substep_seconds();
  if (!open.max_substep) to.coupling.max_substep = timing.max_substep_seconds();
}

// By its name, which the table of methods has.
scene::CouplingMethod convert_method(v1::CouplingMethod method) {
  const std::string& name = v1::CouplingMethod_Name(method);
  const auto rows = scene::method_rows();
  const auto found =
      std::ranges::find_if(rows, [&](const scene::MethodRow& row) { return name == row.name; });
  return found == rows.end() ? scene::Coupling().method : found->method;
}

void convert_coupling(const v1::Scene& from, scene::Scene& to, scene::OpenFields& open,
                      ProblemSink& problems) {
  const v1::Coupling& coupling = from.coupling();
  if (chosen(coupling.method(), "coupling.method", problems)) {
    to.coupling.method = convert_method(coupling.method());
  } else {
    open.method = true;
  }
  if (chosen(coupling.step_filter(), "coupling.step_filter", problems) &&
      coupling.step_filter() == v1::STEP_FILTER_GLOBAL) {
    to.coupling.step_filter = scene::StepFilter::global;
  }
  if (coupling.has_drag()) {
    if (!scene::row_of(to.coupling.method).lets_fluid_through)
      problems.error("coupling.drag", "has no use: it is of COUPLING_METHOD_ONE_WAY");
    to.coupling.drag = coupling.drag();
  }
  open.contact_distance = !coupling.has_contact_distance();
  if (!open.contact_distance) to.coupling.contact_distance = coupling.contact_distance();
  if (coupling.has_max_iterations()) to.coupling.max_iterations = coupling.max_iterations();
  if (coupling.has_tolerance()) to.coupling.tolerance = coupling.tolerance();
}

void convert_solid_solver(const v1::Scene& from, scene::Scene& converted, scene::OpenFields& open,
                          ProblemSink& problems) {
  const v1::SolidSolver& solver = from.solid_solver();
  scene::SolidSolver& to = converted.solid_solver;
  if (const auto& method = scene::row_of(converted.coupling.method); !method.has_integrators) {
    if (from.has_solid_solver()) {
      problems.error("solid_solver",
                     fmt::format("has no use with {}, which solves solids and all else at once, as "
                                 "`coupling` says: leave it out",
                                 method.name));
    }
    return;
  }
  if (from.has_solid_solver() && from.cloths().empty() && from.soft_bodies().empty()) {
    problems.error("solid_solver",
                   "has no use without `cloths` and `soft_bodies`: leave it out, or add one");
    return;
  }
  if (chosen(solver.integrator(), "solid_solver.integrator", problems)) {
    to.integrator = convert_integrator(solver.integrator());
  } else {
    open.integrator = true;
    open.iterates = solver.has_max_iterations() || solver.has_tolerance();
  }
  const bool iterates = open.integrator || (to.integrator != scene::Integrator::consensus_admm &&
                                            to.integrator != scene::Integrator::symplectic_euler);
  const auto refuse = [&](const char* field) {
    problems.error(child_path("solid_solver", field),
                   to.integrator == scene::Integrator::consensus_admm
                       ? "has no use: the iterations of consensus ADMM are those of `coupling`"
                       : "has no use: symplectic Euler does not iterate");
  };
  if (solver.has_max_iterations()) {
    if (!iterates) refuse("max_iterations");
    to.max_iterations = solver.max_iterations();
  }
  if (solver.has_tolerance()) {
    if (!iterates) refuse("tolerance");
    to.tolerance = solver.tolerance();
  }
}

scene::Obstacle convert_obstacle(const v1::Obstacle& obstacle, const std::string& path,
                                 ProblemSink& problems) {
  scene::Obstacle converted;
  converted.name = obstacle.name();
  converted.shape = convert_shape(obstacle.shape(), child_path(path, "shape"), problems);
  converted.wall = convert_wall(obstacle.wall(), child_path(path, "wall"), problems);
  if (obstacle.has_friction()) converted.friction = obstacle.friction();
  if (obstacle.has_restitution()) converted.restitution = obstacle.restitution();
  return converted;
}

scene::Wind convert_wind(const v1::Wind& wind, ProblemSink& problems) {
  scene::Wind converted;  // Its defaults are the documented ones.
  converted.velocity =
      problems.required_vector(wind.velocity(), "wind.velocity").value_or(Vec3::Zero());
  if (wind.has_density()) converted.density = wind.density();
  if (wind.has_gust_strength()) converted.gust_strength = wind.gust_strength();
  if (wind.has_gust_period_seconds()) converted.gust_period = wind.gust_period_seconds();
  if (wind.has_normal_drag()) converted.normal_drag = wind.normal_drag();
  if (wind.has_tangential_drag()) converted.tangential_drag = wind.tangential_drag();
  return converted;
}

scene::BodySpring convert_spring(const v1::Spring& spring, const std::string& path,
                                 ProblemSink& problems) {
  scene::BodySpring converted{
      {spring.body_a(), spring.vertex_a()}, {spring.body_b(), spring.vertex_b()}, 0, std::nullopt};
  if (spring.has_stiffness()) {
    converted.stiffness = spring.stiffness();
  } else {
    problems.error(child_path(path, "stiffness"), "is required, in N/m");
  }
  if (spring.has_rest_length()) converted.rest_length = spring.rest_length();
  return converted;
}

scene::ContactPair convert_contact_pair(const v1::ContactPair& pair) {
  scene::ContactPair converted{pair.body_a(), pair.body_b(), std::nullopt, std::nullopt};
  if (pair.has_friction()) converted.friction = pair.friction();
  if (pair.has_restitution()) converted.restitution = pair.restitution();
  return converted;
}

void convert_output(const v1::Output& output, bool has_gas, scene::Output& to,
                    ProblemSink& problems) {
  for (int i = 0; i < output.fields_size(); ++i) {
    const std::string path = element_path("output.fields", static_cast<std::size_t>(i));
    const auto given = static_cast<v1::Field>(output.fields(i));
    const auto field = convert_field(given);
    if (given == v1::FIELD_POSITION || (given == v1::FIELD_VELOCITY && !has_gas)) {
      problems.error(path, "positions and velocities are in every frame: leave it out");
    } else if (given == v1::FIELD_SMOKE || given == v1::FIELD_TEMPERATURE ||
               given == v1::FIELD_DYE) {
      problems.error(path, "is in every frame of a gas that carries it: see `gas.carries`");
    } else if (given == v1::FIELD_INTERIOR_CELL) {
      problems.error(path, "is in every frame of a liquid on cells of many sizes: leave it out");
    } else if (!field) {
      problems.error(path,
                     "must be one of FIELD_PRESSURE, FIELD_DENSITY, FIELD_CONTACT_FORCE, "
                     "FIELD_VELOCITY, FIELD_CELL_LEVEL: no other field is stored");
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
  to.gravity = problems.vector(scene.gravity(), "gravity").value_or(to.gravity);
  convert_domain(scene, to, problems);
  convert_fluid_grid(scene, to.grid, problems);
  scene::OpenFields open;
  convert_coupling(scene, to, open, problems);
  convert_timing(scene, to, open);
  convert_solid_solver(scene, to, open, problems);
  check_count(scene.fluids(), most_fluids, "fluids", problems);
  for (int i = 0; i < std::min(scene.fluids_size(), most_fluids); ++i) {
    to.fluids.push_back(convert_fluid(scene.fluids(i), to.grid.solver,
                                      element_path("fluids", static_cast<std::size_t>(i)),
                                      problems));
  }
  if (scene.has_gas()) to.gas = convert_gas(scene.gas(), problems);
  check_count(scene.drains(), most_drains, "drains", problems);
  for (int i = 0; i < std::min(scene.drains_size(), most_drains); ++i) {
    to.drains.push_back(convert_drain(
        scene.drains(i), element_path("drains", static_cast<std::size_t>(i)), problems));
  }
  BodyBudget budget{limits.vertex_count, limits.triangle_count, limits.tetrahedron_count,
                    most_pin_tests};
  check_count(scene.cloths(), most_cloths, "cloths", problems);
  for (int i = 0; i < std::min(scene.cloths_size(), most_cloths); ++i) {
    const std::string path = element_path("cloths", static_cast<std::size_t>(i));
    check_count(scene.cloths(i).pins(), most_pins, child_path(path, "pins"), problems);
    to.cloths.push_back(convert_cloth(scene.cloths(i), path, assets, budget, problems));
    if (!scene.cloths(i).has_thickness()) open.thickness.push_back(static_cast<std::size_t>(i));
  }
  check_count(scene.soft_bodies(), most_soft_bodies, "soft_bodies", problems);
  for (int i = 0; i < std::min(scene.soft_bodies_size(), most_soft_bodies); ++i) {
    const std::string path = element_path("soft_bodies", static_cast<std::size_t>(i));
    check_count(scene.soft_bodies(i).pins(), most_pins, child_path(path, "pins"), problems);
    to.soft_bodies.push_back(
        convert_soft_body(scene.soft_bodies(i), path, assets, budget, problems));
  }
  check_count(scene.rigid_bodies(), most_rigid_bodies, "rigid_bodies", problems);
  for (int i = 0; i < std::min(scene.rigid_bodies_size(), most_rigid_bodies); ++i) {
    to.rigid_bodies.push_back(convert_rigid_body(
        scene.rigid_bodies(i), element_path("rigid_bodies", static_cast<std::size_t>(i)), assets,
        budget, problems));
  }
  check_count(scene.obstacles(), most_obstacles, "obstacles", problems);
  for (int i = 0; i < std::min(scene.obstacles_size(), most_obstacles); ++i) {
    to.obstacles.push_back(convert_obstacle(
        scene.obstacles(i), element_path("obstacles", static_cast<std::size_t>(i)), problems));
  }
  if (scene.has_wind()) to.wind = convert_wind(scene.wind(), problems);
  check_count(scene.springs(), most_springs, "springs", problems);
  for (int i = 0; i < std::min(scene.springs_size(), most_springs); ++i) {
    to.springs.push_back(convert_spring(
        scene.springs(i), element_path("springs", static_cast<std::size_t>(i)), problems));
  }
  check_count(scene.contact_pairs(), most_contact_pairs, "contact_pairs", problems);
  for (int i = 0; i < std::min(scene.contact_pairs_size(), most_contact_pairs); ++i)
    to.contact_pairs.push_back(convert_contact_pair(scene.contact_pairs(i)));
  if (scene.has_camera()) check_camera(scene.camera(), problems);
  convert_output(scene.output(), scene.has_gas(), to.output, problems);
  answer.choices = scene::choose(open, to);
  answer.problems = problems.take();
  return answer;
}

}  // namespace sluice::convert
