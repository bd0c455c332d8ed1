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

// A fluid that is refused for its material is not refused for its viscosity, too, which may be a
// default.
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
  check_periodic_tiles(scene, "an incompressible liquid", problems);
}

}  // namespace sluice::scene
