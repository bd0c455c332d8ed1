// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "solver/geometry/shape.h"
#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

// MPM cuts the ways of its particles at obstacles, substep by substep: nothing leaks through a
// tenth of a cell, 9 to 65 % through a hundredth.
constexpr double least_for_particles = 0.1;

std::string words(double thickness, double least, double cell) {
  return fmt::format(
      "is {:.3g} m thick, less than {:.3g} m, with cells of {:.3g} m: fluid may go through it; "
      "make it thicker, or fluid_grid.cell_size smaller, or use a cloth, which lets nothing "
      "through",
      thickness, least, cell);
}

}  // namespace

void check_thin_solids(const Scene& scene, ProblemList& problems) {
  // Other solvers part their grids at what is thin, and contact stops particles at triangles.
  const bool is_mpm = !scene.fluids.empty() && scene.grid.solver == FluidSolver::mpm;
  if (!is_mpm || !problems.sound("fluid_grid")) return;
  const double cell = scene.grid.cell_size, least = cell * least_for_particles;
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    const std::string path = fmt::format("obstacles[{}]", i);
    if (!problems.sound(path)) continue;
    const double thickness = 2 * geometry::smallest_half_extent(scene.obstacles[i].shape);
    if (thickness < least) problems.warn(path + ".shape", words(thickness, least, cell));
  }
}

}  // namespace sluice::scene
