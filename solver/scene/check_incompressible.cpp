// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <variant>

#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

bool is_newtonian(const Fluid& fluid) {
  return std::holds_alternative<std::monostate>(fluid.material);
}

// What is refused for its material is not refused for its viscosity, too, which may be a default.
bool is_viscous(const Fluid& fluid) { return is_newtonian(fluid) && fluid.dynamic_viscosity > 0; }

void check_fluids(const Scene& scene, ProblemList& problems) {
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    const Fluid& fluid = scene.fluids[i];
    const std::string path = element("fluids", i);
    if (!is_newtonian(fluid)) {
      problems.error(
          path,
          "is no Newtonian liquid: FLUID_SOLVER_INCOMPRESSIBLE has no `bingham`, `jelly`, "
          "`sand` and `snow`; FLUID_SOLVER_MPM has");
    }
    if (fluid.density != scene.fluids.front().density && is_viscous(fluid)) {
      problems.error(path + ".density",
                     fmt::format("{} kg/m^3 is not that of fluids[0], {}: with "
                                 "FLUID_SOLVER_INCOMPRESSIBLE all fluids that are viscous have "
                                 "one density",
                                 fluid.density, scene.fluids.front().density));
    }
    if (is_newtonian(fluid) && fluid.dynamic_viscosity != scene.fluids.front().dynamic_viscosity) {
      problems.error(path + ".dynamic_viscosity",
                     fmt::format("{} Pa s is not that of fluids[0], {}: with "
                                 "FLUID_SOLVER_INCOMPRESSIBLE all fluids have one viscosity",
                                 fluid.dynamic_viscosity, scene.fluids.front().dynamic_viscosity));
    }
  }
}

void check_walls_of_liquid(const Scene& scene, ProblemList& problems) {
  const char* const message =
      "WALL_CONDITION_FRICTION is of what shears like a solid, which FLUID_SOLVER_INCOMPRESSIBLE "
      "has none of: choose WALL_CONDITION_SLIP or WALL_CONDITION_NO_SLIP";
  check_periodic_tiles(scene, "an incompressible liquid", problems);
  if (scene.grid.wall == WallCondition::friction) problems.error("domain.wall", message);
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    if (scene.obstacles[i].wall == WallCondition::friction)
      problems.error(element("obstacles", i) + ".wall", message);
  }
}

void check_walls_of_rigid_bodies(const Scene& scene, ProblemList& problems) {
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i) {
    if (scene.rigid_bodies[i].wall == WallCondition::slip) continue;
    problems.error(element("rigid_bodies", i) + ".wall",
                   "incompressible liquids slip along rigid bodies, but with "
                   "COUPLING_METHOD_ONE_WAY: leave it out");
  }
}

void check_rigid_bodies_in_liquid(const Scene& scene, ProblemList& problems) {
  if (scene.coupling.method != CouplingMethod::variational_rigid) {
    problems.error("coupling.method",
                   "must be COUPLING_METHOD_VARIATIONAL_RIGID or COUPLING_METHOD_ONE_WAY for rigid "
                   "bodies with FLUID_SOLVER_INCOMPRESSIBLE; FLUID_SOLVER_MPM has the others");
    return;
  }
  check_walls_of_rigid_bodies(scene, problems);
  if (is_viscous(scene.fluids.front())) {
    problems.error("fluids[0].dynamic_viscosity",
                   fmt::format("{} Pa s: COUPLING_METHOD_VARIATIONAL_RIGID has no viscous drag on "
                               "bodies; leave it out, or choose COUPLING_METHOD_ONE_WAY",
                               scene.fluids.front().dynamic_viscosity));
  }
}

void check_what_deforms_in_liquid(const Scene& scene, ProblemList& problems) {
  const CouplingMethod method = scene.coupling.method;
  const bool is_flat = scene.grid.dimensions == 2;
  if (method != CouplingMethod::boundary_map && method != CouplingMethod::weak) {
    problems.error("coupling.method",
                   is_flat ? "must be COUPLING_METHOD_BOUNDARY_MAP or COUPLING_METHOD_WEAK for "
                             "slices in liquids in two dimensions"
                           : "must be COUPLING_METHOD_BOUNDARY_MAP, COUPLING_METHOD_WEAK or "
                             "COUPLING_METHOD_ONE_WAY for cloths and soft bodies with "
                             "FLUID_SOLVER_INCOMPRESSIBLE; FLUID_SOLVER_MPM has the others");
    return;
  }
  if (!scene.rigid_bodies.empty() && method == CouplingMethod::weak) {
    problems.error("coupling.method",
                   "COUPLING_METHOD_WEAK has no rigid bodies in liquids of "
                   "FLUID_SOLVER_INCOMPRESSIBLE; COUPLING_METHOD_BOUNDARY_MAP has");
  }
  check_walls_of_rigid_bodies(scene, problems);
  const auto check_wall = [&](WallCondition wall, const std::string& path) {
    if (wall == WallCondition::slip) return;
    problems.error(path + ".wall",
                   "incompressible liquids slip along cloths and soft bodies: leave it out");
  };
  for (std::size_t i = 0; i < scene.cloths.size(); ++i)
    check_wall(scene.cloths[i].wall, element("cloths", i));
  for (std::size_t i = 0; i < scene.soft_bodies.size(); ++i)
    check_wall(scene.soft_bodies[i].wall, element("soft_bodies", i));
  if (is_viscous(scene.fluids.front())) {
    problems.error("fluids[0].dynamic_viscosity",
                   fmt::format("{} Pa s: incompressible liquids have no viscous drag on cloths and "
                               "soft bodies; leave it out{}",
                               scene.fluids.front().dynamic_viscosity,
                               is_flat ? "" : ", or choose COUPLING_METHOD_ONE_WAY"));
  }
}

void check_solids_in_liquid(const Scene& scene, ProblemList& problems) {
  const bool is_elastic = is_elastic_on_grid(scene);
  const bool has_one_way = scene.grid.dimensions == 3 || !is_elastic;
  if (scene.coupling.method == CouplingMethod::one_way && has_one_way) return;
  if (is_elastic) {
    check_what_deforms_in_liquid(scene, problems);
  } else if (!scene.rigid_bodies.empty()) {
    check_rigid_bodies_in_liquid(scene, problems);
  }
}

}  // namespace

void check_pressure(const Scene& scene, ProblemList& problems) {
  const PressureSettings& pressure = scene.grid.pressure;
  const bool is_box = scene.gas && scene.obstacles.empty() && scene.cloths.empty() &&
                      scene.soft_bodies.empty() && scene.rigid_bodies.empty();
  if (pressure.preconditioner == Preconditioner::fast_poisson && !is_box) {
    problems.error("fluid_grid.pressure.preconditioner",
                   "PRECONDITIONER_FAST_POISSON is of a `gas` that fills its domain, without "
                   "obstacles and bodies: choose PRECONDITIONER_MULTIGRID, or leave it out");
  }
  problems.range(pressure.tolerance, 1e-12, 0.1, "fluid_grid.pressure.tolerance");
  if (pressure.max_iterations < 1 || pressure.max_iterations > 100'000) {
    problems.error("fluid_grid.pressure.max_iterations",
                   fmt::format("{} is not in [1, 100000]", pressure.max_iterations));
  }
}

void check_incompressible(const Scene& scene, ProblemList& problems) {
  if (scene.fluids.empty() || scene.grid.solver != FluidSolver::incompressible) return;
  problems.range(scene.grid.flip_ratio, 0, 1, "fluid_grid.flip_ratio");
  check_pressure(scene, problems);
  check_fluids(scene, problems);
  check_walls_of_liquid(scene, problems);
  check_solids_in_liquid(scene, problems);
}

}  // namespace sluice::scene
