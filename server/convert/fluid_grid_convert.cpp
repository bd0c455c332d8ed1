// SPDX-License-Identifier: Apache-2.0
#include "server/convert/fluid_grid_convert.h"

#include <algorithm>

#include "server/convert/chosen.h"
#include "server/convert/field_path.h"
#include "solver/scene/defaults.h"

// As documented in scene.proto.
namespace sluice::convert {
namespace {

scene::Preconditioner convert_preconditioner(v1::Preconditioner preconditioner) {
  switch (preconditioner) {
    case v1::PRECONDITIONER_INCOMPLETE_CHOLESKY:
      return scene::Preconditioner::incomplete_cholesky;
    case v1::PRECONDITIONER_JACOBI:
      return scene::Preconditioner::jacobi;
    case v1::PRECONDITIONER_FAST_POISSON:
      return scene::Preconditioner::fast_poisson;
    default:
      return scene::Preconditioner::multigrid;
  }
}

scene::Transfer convert_transfer(v1::Transfer transfer) {
  switch (transfer) {
    case v1::TRANSFER_FLIP:
      return scene::Transfer::flip;
    case v1::TRANSFER_PIC:
      return scene::Transfer::pic;
    default:
      return scene::Transfer::apic;
  }
}

// Of incompressible liquids and gas.
void convert_path_integrator(const v1::FluidGrid& grid, scene::FluidGrid& to,
                             ProblemSink& problems) {
  if (chosen(grid.path_integrator(), "fluid_grid.path_integrator", problems) &&
      grid.path_integrator() == v1::PATH_INTEGRATOR_RK2)
    to.path_integrator = scene::PathIntegrator::rk2;
}

void convert_pressure(const v1::PressureSolver& pressure, scene::PressureSettings& to,
                      ProblemSink& problems) {
  if (chosen(pressure.preconditioner(), "fluid_grid.pressure.preconditioner", problems))
    to.preconditioner = convert_preconditioner(pressure.preconditioner());
  if (pressure.has_tolerance()) to.tolerance = pressure.tolerance();
  if (pressure.has_max_iterations()) to.max_iterations = pressure.max_iterations();
}

void convert_incompressible(const v1::FluidGrid& grid, scene::FluidGrid& to,
                            ProblemSink& problems) {
  to.solver = scene::FluidSolver::incompressible;
  to.cfl = scene::incompressible_cfl;
  if (chosen(grid.transfer(), "fluid_grid.transfer", problems))
    to.transfer = convert_transfer(grid.transfer());
  if (grid.has_flip_ratio()) {
    if (to.transfer != scene::Transfer::flip)
      problems.error("fluid_grid.flip_ratio", "has no use: it is of TRANSFER_FLIP");
    to.flip_ratio = grid.flip_ratio();
  }
  convert_pressure(grid.pressure(), to.pressure, problems);
  convert_path_integrator(grid, to, problems);
  if (grid.kernel() != v1::KERNEL_UNSPECIFIED)
    problems.error("fluid_grid.kernel", "has no use: it is of FLUID_SOLVER_MPM");
}

void convert_mpm(const v1::FluidGrid& grid, scene::FluidGrid& to, ProblemSink& problems) {
  if (chosen(grid.kernel(), "fluid_grid.kernel", problems) && grid.kernel() == v1::KERNEL_CUBIC)
    to.kernel = scene::Kernel::cubic;
  const auto refuse = [&](bool is_given, const char* field,
                          const char* reason = "has no use: it is of FLUID_SOLVER_INCOMPRESSIBLE") {
    if (is_given) problems.error(child_path("fluid_grid", field), reason);
  };
  refuse(grid.transfer() != v1::TRANSFER_UNSPECIFIED, "transfer");
  refuse(grid.has_flip_ratio(), "flip_ratio");
  refuse(grid.has_pressure(), "pressure");
  refuse(grid.path_integrator() != v1::PATH_INTEGRATOR_UNSPECIFIED, "path_integrator",
         "has no use: it is of FLUID_SOLVER_INCOMPRESSIBLE and of `gas`; FLUID_SOLVER_MPM moves "
         "particles by the velocity of the end of a step");
}

void convert_for_gas(const v1::FluidGrid& grid, scene::FluidGrid& to, ProblemSink& problems) {
  to.cfl = scene::incompressible_cfl;
  convert_pressure(grid.pressure(), to.pressure, problems);
  convert_path_integrator(grid, to, problems);
  const auto refuse = [&](bool is_given, const char* field) {
    if (is_given) problems.error(child_path("fluid_grid", field), "has no use: it is of `fluids`");
  };
  refuse(grid.kernel() != v1::KERNEL_UNSPECIFIED, "kernel");
  refuse(grid.has_particles_per_axis(), "particles_per_axis");
  refuse(grid.has_max_particles(), "max_particles");
  refuse(grid.solver() != v1::FLUID_SOLVER_UNSPECIFIED, "solver");
  refuse(grid.transfer() != v1::TRANSFER_UNSPECIFIED, "transfer");
  refuse(grid.has_flip_ratio(), "flip_ratio");
}

}  // namespace

void convert_fluid_grid(const v1::Scene& from, scene::FluidGrid& to, ProblemSink& problems) {
  const v1::FluidGrid& grid = from.fluid_grid();
  if (from.fluids().empty() && !from.has_gas()) {
    if (from.has_fluid_grid()) {
      problems.error("fluid_grid",
                     "has no use without `fluids` and `gas`: leave it out, or add a fluid");
    }
    return;
  }
  if (grid.has_cell_size()) {
    to.cell_size = grid.cell_size();
  } else {
    problems.error("fluid_grid.cell_size", from.has_gas() ? "is required with `gas`, in metres"
                                                          : "is required with `fluids`, in metres");
  }
  if (grid.has_dimensions()) to.dimensions = grid.dimensions();
  if (from.has_gas()) {
    convert_for_gas(grid, to, problems);
    if (grid.has_cfl_number()) to.cfl = grid.cfl_number();
    return;
  }
  if (grid.has_particles_per_axis()) to.particles_per_axis = grid.particles_per_axis();
  if (chosen(grid.solver(), "fluid_grid.solver", problems) &&
      grid.solver() == v1::FLUID_SOLVER_INCOMPRESSIBLE) {
    convert_incompressible(grid, to, problems);
  } else {
    convert_mpm(grid, to, problems);
  }
  if (grid.has_cfl_number()) to.cfl = grid.cfl_number();
  if (grid.has_max_particles()) {
    to.max_particles = grid.max_particles();
    if (std::ranges::all_of(from.fluids(),
                            [](const v1::Fluid& fluid) { return fluid.emitters().empty(); })) {
      problems.error("fluid_grid.max_particles", "has no use: no fluid has `emitters`");
    }
  }
}

}  // namespace sluice::convert
