// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/liquid_settings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/scene/seeding.h"

namespace sluice::fluid::grid {
namespace {

Blend blend_of(const scene::FluidGrid& grid) {
  switch (grid.transfer) {
    case scene::Transfer::flip:
      return {static_cast<float>(grid.flip_ratio), false};
    case scene::Transfer::pic:
      return {0, false};
    case scene::Transfer::apic:
      break;
  }
  return {0, true};
}

}  // namespace

template <int D>
LiquidSettings<D> liquid_settings_of(const scene::Scene& scene) {
  LiquidSettings<D> settings;
  settings.frame = {static_cast<float>(scene.grid.cell_size), scene.domain_lower.cast<float>()};
  const std::array<std::int64_t, 3> cells = scene::grid_cells(scene);
  for (std::size_t axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(world_axis<D>(static_cast<int>(axis)));
    settings.sides.cells[axis] = static_cast<std::int32_t>(cells[a]);
    for (std::size_t side = 0; side < 2; ++side)
      settings.sides.is_wall[axis][side] = scene.grid.sides[a][side] == scene::Side::wall;
    settings.sides.is_periodic[axis] = scene.grid.sides[a][0] == scene::Side::periodic;
  }
  settings.sides.wall = scene.grid.wall;
  settings.slab = {scene.domain_lower.y(), scene.domain_upper.y() - scene.domain_lower.y()};
  settings.spacing = static_cast<float>(1.0 / scene.grid.particles_per_axis);
  for (const scene::Fluid& fluid : scene.fluids)
    settings.mass.push_back(static_cast<float>(fluid.density * scene::seed_steps(scene).prod()));
  if (!scene.fluids.empty()) {
    const scene::Fluid& fluid = scene.fluids.front();
    settings.density = static_cast<float>(fluid.density);
    settings.kinematic_viscosity = static_cast<float>(fluid.dynamic_viscosity / fluid.density);
    settings.is_mixed = std::ranges::any_of(
        scene.fluids, [&](const scene::Fluid& other) { return other.density != fluid.density; });
  }
  settings.blend = blend_of(scene.grid);
  settings.pressure = scene.grid.pressure;
  settings.path_integrator = scene.grid.path_integrator;
  return settings;
}

template LiquidSettings<2> liquid_settings_of<2>(const scene::Scene&);
template LiquidSettings<3> liquid_settings_of<3>(const scene::Scene&);

}  // namespace sluice::fluid::grid
