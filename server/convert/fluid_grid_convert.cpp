// SPDX-License-Identifier: Apache-2.0
#include "server/convert/fluid_grid_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>

#include "server/convert/chosen.h"
#include "server/convert/field_path.h"
#include "server/convert/shape_convert.h"
#include "solver/scene/capabilities.h"

// The rules and defaults are those that scene.proto documents.
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

// Returns nothing of the FluidGrid where the solver is omitted or unknown.
std::optional<scene::FluidSolver> convert_solver(v1::FluidSolver solver, ProblemSink& problems) {
  if (!chosen(solver, "fluid_grid.solver", problems)) return std::nullopt;
  const auto rows = scene::fluid_rows();
  const auto row = std::ranges::find(rows, v1::FluidSolver_Name(solver), &scene::FluidRow::value);
  assert(row != rows.end());  // capabilities_test goes through the values.
  return row->solver;
}

void refuse_what_has_no_use(const v1::FluidGrid& grid, const scene::FluidRow& row,
                            ProblemSink& problems) {
  using scene::GridSetting;
  const auto refuse = [&](GridSetting setting, const char* field, bool is_given) {
    if (!is_given || row.settings.has(setting)) return;
    problems.error(child_path("fluid_grid", field),
                   fmt::format("has no use: only {} have it", scene::fluids_with(setting)));
  };
  refuse(GridSetting::kernel, "kernel", grid.kernel() != v1::KERNEL_UNSPECIFIED);
  refuse(GridSetting::particles, "particles_per_axis", grid.has_particles_per_axis());
  refuse(GridSetting::particles, "max_particles", grid.has_max_particles());
  refuse(GridSetting::transfer, "transfer", grid.transfer() != v1::TRANSFER_UNSPECIFIED);
  refuse(GridSetting::transfer, "flip_ratio", grid.has_flip_ratio());
  refuse(GridSetting::pressure, "pressure", grid.has_pressure());
  refuse(GridSetting::path_integrator, "path_integrator",
         grid.path_integrator() != v1::PATH_INTEGRATOR_UNSPECIFIED);
  refuse(GridSetting::adaptive, "adaptive", grid.has_adaptive());
}

void convert_pressure(const v1::PressureSolver& pressure, scene::PressureSettings& to,
                      ProblemSink& problems) {
  if (chosen(pressure.preconditioner(), "fluid_grid.pressure.preconditioner", problems))
    to.preconditioner = convert_preconditioner(pressure.preconditioner());
  if (pressure.has_tolerance()) to.tolerance = pressure.tolerance();
  if (pressure.has_max_iterations()) to.max_iterations = pressure.max_iterations();
}

scene::Adaptive convert_adaptive(const v1::Adaptive& adaptive, ProblemSink& problems) {
  scene::Adaptive to;
  if (adaptive.has_levels()) to.levels = adaptive.levels();
  if (adaptive.has_detail()) to.detail = adaptive.detail();
  for (int i = 0; i < adaptive.finest_size(); ++i) {
    to.finest.push_back(convert_shape(
        adaptive.finest(i), element_path("fluid_grid.adaptive.finest", static_cast<std::size_t>(i)),
        problems));
  }
  if (adaptive.has_max_cells()) to.max_cells = adaptive.max_cells();
  return to;
}

void convert_transfer(const v1::FluidGrid& grid, scene::FluidGrid& to, ProblemSink& problems) {
  if (chosen(grid.transfer(), "fluid_grid.transfer", problems))
    to.transfer = convert_transfer(grid.transfer());
  if (!grid.has_flip_ratio()) return;
  if (to.transfer != scene::Transfer::flip)
    problems.error("fluid_grid.flip_ratio", "has no use: it is of TRANSFER_FLIP");
  to.flip_ratio = grid.flip_ratio();
}

void convert_particles(const v1::Scene& from, scene::FluidGrid& to, ProblemSink& problems) {
  const v1::FluidGrid& grid = from.fluid_grid();
  if (grid.has_particles_per_axis()) to.particles_per_axis = grid.particles_per_axis();
  if (!grid.has_max_particles()) return;
  to.max_particles = grid.max_particles();
  if (std::ranges::all_of(from.fluids(),
                          [](const v1::Fluid& fluid) { return fluid.emitters().empty(); })) {
    problems.error("fluid_grid.max_particles", "has no use: no fluid has `emitters`");
  }
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
    if (grid.solver() != v1::FLUID_SOLVER_UNSPECIFIED)
      problems.error("fluid_grid.solver", "has no use: it is of `fluids`");
  } else if (const auto solver = convert_solver(grid.solver(), problems)) {
    to.solver = *solver;
  }
  const scene::FluidRow& row = scene::row_of(from.has_gas() ? scene::FluidSolver::gas : to.solver);
  refuse_what_has_no_use(grid, row, problems);
  to.cfl = grid.has_cfl_number() ? grid.cfl_number() : row.cfl;
  if (row.settings.has(scene::GridSetting::kernel) &&
      chosen(grid.kernel(), "fluid_grid.kernel", problems) && grid.kernel() == v1::KERNEL_CUBIC)
    to.kernel = scene::Kernel::cubic;
  if (row.settings.has(scene::GridSetting::particles)) convert_particles(from, to, problems);
  if (row.settings.has(scene::GridSetting::transfer)) convert_transfer(grid, to, problems);
  if (row.settings.has(scene::GridSetting::pressure))
    convert_pressure(grid.pressure(), to.pressure, problems);
  if (row.settings.has(scene::GridSetting::adaptive) && grid.has_adaptive())
    to.adaptive = convert_adaptive(grid.adaptive(), problems);
  if (row.settings.has(scene::GridSetting::path_integrator) &&
      chosen(grid.path_integrator(), "fluid_grid.path_integrator", problems) &&
      grid.path_integrator() == v1::PATH_INTEGRATOR_RK2)
    to.path_integrator = scene::PathIntegrator::rk2;
}

}  // namespace sluice::convert
