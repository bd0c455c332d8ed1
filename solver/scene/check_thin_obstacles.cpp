// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "solver/geometry/shape.h"
#include "solver/scene/checks.h"

namespace sluice::scene {

// MPM cuts the ways of particles at obstacles, but its kernels reach 1.5 cells past them: fluids on
// the two sides share nodes. Water that flows by at 1 m/s gave 11 % of its momentum to water behind
// 0.01 cells in 0.1 s, 7 % behind one cell and 4 % behind two. Nodes on a dry side get some of the
// water on the other: that kept 2 to 8 mm/s for ever (mpm_rest_test).
void check_thin_obstacles(const Scene& scene, ProblemList& problems) {
  if (scene.fluids.empty() || scene.grid.solver != FluidSolver::mpm) return;
  if (!problems.sound("fluid_grid")) return;
  const double cell = scene.grid.cell_size;
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    const std::string path = fmt::format("obstacles[{}]", i);
    if (!problems.sound(path)) continue;
    const double thickness = 2 * geometry::smallest_half_extent(scene.obstacles[i].shape);
    if (thickness >= cell) continue;
    problems.warn(path + ".shape",
                  fmt::format("is {:.3g} m thick, with cells of {:.3g} m: nothing goes through it, "
                              "but fluids on its two sides drag each other along, and water on one "
                              "side alone keeps some mm/s at rest; make it thicker, "
                              "or fluid_grid.cell_size smaller, or use a cloth or "
                              "FLUID_SOLVER_INCOMPRESSIBLE, which keep them apart",
                              thickness, cell));
  }
}

}  // namespace sluice::scene
