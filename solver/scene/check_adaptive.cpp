// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "solver/scene/checks.h"
#include "solver/scene/seeding.h"

// Every range here is documented, with its unit, at the field in scene.proto.
namespace sluice::scene {
namespace {

constexpr std::size_t most_finest_regions = 1024;
// Small cells are needed as far around detail as it may go in a substep.
constexpr double most_cells_crossed = 10;
constexpr int most_levels = 12;
constexpr std::int64_t most_cells = std::numeric_limits<std::int32_t>::max();

void refuse_what_trees_lack(const Scene& scene, ProblemList& problems) {
  const auto refuse = [&](bool is_there, const char* path) {
    if (is_there) {
      problems.error(path,
                     "must be empty with `fluid_grid.adaptive`, which knows no solids but "
                     "obstacles yet; without it, all cells are equal");
    }
  };
  refuse(!scene.cloths.empty(), "cloths");
  refuse(!scene.soft_bodies.empty(), "soft_bodies");
  if (!scene.gas) refuse(!scene.rigid_bodies.empty(), "rigid_bodies");
  if (!scene.gas && scene.grid.adaptive->max_cells) {
    problems.error(
        "fluid_grid.adaptive.max_cells",
        "has no use with `fluids` yet: leave it out, or make fluid_grid.cell_size larger");
  }
  for (const auto& sides : scene.grid.sides) {
    if (sides[0] != Side::periodic) continue;
    problems.error("domain.periodic_axes", "must be empty with `fluid_grid.adaptive`");
    break;
  }
  if (scene.gas && scene.gas->dynamic_viscosity > 0) {
    problems.error("gas.dynamic_viscosity",
                   "must be 0 with `fluid_grid.adaptive`, which has no viscosity yet");
  }
  if (scene.fluids.size() > 1) {
    problems.error("fluids", fmt::format("has {} elements; with `fluid_grid.adaptive` at most 1 is "
                                         "allowed yet",
                                         scene.fluids.size()));
  }
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    if (scene.fluids[i].dynamic_viscosity > 0) {
      problems.error(element("fluids", i) + ".dynamic_viscosity",
                     "must be 0 with `fluid_grid.adaptive`, which has no viscosity yet");
    }
  }
  const Preconditioner preconditioner = scene.grid.pressure.preconditioner;
  if (preconditioner != Preconditioner::automatic && preconditioner != Preconditioner::multigrid) {
    problems.error("fluid_grid.pressure.preconditioner",
                   "must be PRECONDITIONER_MULTIGRID with `fluid_grid.adaptive`, or omitted");
  }
}

// The domain has at least the largest cells, and those are divided that it ends in.
void check_max_cells(const Scene& scene, ProblemList& problems) {
  const Adaptive& adaptive = *scene.grid.adaptive;
  if (!scene.gas || !adaptive.max_cells || !problems.sound("fluid_grid.cell_size") ||
      !problems.sound("domain") || !(adaptive.levels >= 1 && adaptive.levels <= most_levels))
    return;
  std::int64_t largest = 1;
  for (const std::int64_t cells : grid_cells(scene))
    largest *= ((cells - 1) >> (adaptive.levels - 1)) + 1;
  if (*adaptive.max_cells < largest || *adaptive.max_cells > most_cells) {
    problems.error("fluid_grid.adaptive.max_cells",
                   fmt::format("{} is not in [{}, {}]: the domain has {} of the largest cells",
                               *adaptive.max_cells, largest, most_cells, largest));
  }
}

}  // namespace

void check_adaptive(const Scene& scene, ProblemList& problems) {
  if (!scene.grid.adaptive) return;
  const Adaptive& adaptive = *scene.grid.adaptive;
  refuse_what_trees_lack(scene, problems);
  if (problems.sound("fluid_grid.cfl_number"))
    problems.range(scene.grid.cfl, 0.05, most_cells_crossed, "fluid_grid.cfl_number");
  problems.range(adaptive.levels, 2, most_levels, "fluid_grid.adaptive.levels");
  problems.range(adaptive.detail, 0.01, 100, "fluid_grid.adaptive.detail");
  if (adaptive.finest.size() > most_finest_regions) {
    problems.error("fluid_grid.adaptive.finest",
                   fmt::format("has {} elements; at most {} are allowed", adaptive.finest.size(),
                               most_finest_regions));
  }
  check_max_cells(scene, problems);
  for (std::size_t i = 0; i < adaptive.finest.size(); ++i)
    check_place(scene, adaptive.finest[i], element("fluid_grid.adaptive.finest", i), problems);
}

}  // namespace sluice::scene
