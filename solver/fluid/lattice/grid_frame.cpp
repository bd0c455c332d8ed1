// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/lattice/grid_frame.h"

#include <cassert>
#include <limits>

#include "solver/scene/seeding.h"

namespace sluice::fluid {

namespace {

// Cells by which particles stay off a wall. More than the rounding of a position some thousand
// cells from the origin of coordinates, less than anything that could be seen.
constexpr float wall_margin = 1e-3F;

}  // namespace

GridFrame::GridFrame(const scene::Scene& scene)
    : cell_size(static_cast<float>(scene.grid.cell_size)),
      is_flat(scene.grid.dimensions == 2),
      goes_far(scene.grid.solver == scene::FluidSolver::incompressible),
      plane(scene::plane_of_particles(scene)),
      inverse_cell(splat(1 / cell_size)),
      sides(scene.grid.sides) {
  constexpr float unbounded = std::numeric_limits<float>::infinity();
  origin = particle_lower = splat(0);
  particle_lower[3] = -unbounded;
  particle_upper = splat(unbounded);
  max_base = Int4{0, 0, 0, 0};
  const float margin = wall_margin * cell_size;
  const std::array<std::int64_t, 3> whole_cells = scene::grid_cells(scene);
  std::array<std::uint64_t, 3> blocks;
  for (int a = 0; a < 3; ++a) {
    const auto u = static_cast<std::size_t>(a);
    const auto cells = static_cast<std::int32_t>(whole_cells[u]);
    assert(cells >= 4 || is_across(a));
    wall_upper[u] = wall_lower + cells;
    lower[a] = static_cast<float>(scene.domain_lower[a]);
    upper[a] = static_cast<float>(scene.domain_lower[a] + cells * scene.grid.cell_size);
    origin[a] = static_cast<float>(scene.domain_lower[a] - wall_lower * scene.grid.cell_size);
    if (is_across(a)) {
      const double depth = scene.domain_upper[a] - scene.domain_lower[a];
      upper[a] = static_cast<float>(scene.domain_upper[a]);
      origin[a] = static_cast<float>(scene.domain_lower[a] +
                                     (0.5 - static_cast<double>(flat_place)) * depth);
      inverse_cell[a] = static_cast<float>(1 / depth);
    }
    const bool has_wall_below = sides[u][0] == scene::Side::wall;
    const bool has_wall_above = sides[u][1] == scene::Side::wall;
    const bool is_smooth = scene.grid.wall != scene::WallCondition::friction;
    const bool is_mirror = is_smooth && !is_across(a);
    mirrors[u] = {has_wall_below && is_mirror, has_wall_above && is_mirror};
    reach_lower[a] = has_wall_below ? lower[a] : lower[a] - cell_size;
    reach_upper[a] = has_wall_above ? upper[a] : upper[a] + cell_size;
    particle_lower[a] = has_wall_below ? lower[a] + margin : reach_lower[a];
    particle_upper[a] = has_wall_above ? upper[a] - margin : reach_upper[a];
    max_base[a] = wall_upper[u];
    blocks[u] = static_cast<std::uint64_t>(wall_upper[u] / block_edge) + 2;
  }
  strides = {blocks[1] * blocks[2], blocks[2]};
}

}  // namespace sluice::fluid
