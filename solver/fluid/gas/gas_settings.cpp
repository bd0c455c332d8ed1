// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/gas_settings.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/scene/seeding.h"

namespace sluice::fluid::grid {

template <int D>
CellLattice lattice_of(const scene::Scene& scene) {
  const std::array<std::int64_t, 3> cells = scene::grid_cells(scene);
  CellLattice lattice{{1, 1, 1}, scene.domain_lower, Vec3::Constant(scene.grid.cell_size)};
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(world_axis<D>(axis));
    lattice.counts[a] = static_cast<std::int32_t>(cells[a]);
  }
  if constexpr (D == 2) lattice.edges.y() = scene.domain_upper.y() - scene.domain_lower.y();
  return lattice;
}

template <int D>
GasSettings<D> settings_of(const scene::Scene& scene) {
  GasSettings<D> settings;
  settings.frame = {static_cast<float>(scene.grid.cell_size), scene.domain_lower.cast<float>()};
  settings.depth = 0.5 * (scene.domain_lower.y() + scene.domain_upper.y());
  const std::array<std::int64_t, 3> cells = scene::grid_cells(scene);
  for (std::size_t axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(world_axis<D>(static_cast<int>(axis)));
    settings.sides.cells[axis] = static_cast<std::int32_t>(cells[a]);
    for (std::size_t side = 0; side < 2; ++side) {
      settings.sides.is_wall[axis][side] = scene.grid.sides[a][side] == scene::Side::wall;
      settings.sides.velocity[axis][side] = scene.grid.side_velocities[a][side];
    }
    settings.sides.is_periodic[axis] = scene.grid.sides[a][0] == scene::Side::periodic;
  }
  settings.sides.wall = scene.grid.wall;
  if (scene.gas) settings.gas = *scene.gas;
  settings.mass_of_cell = settings.gas.density * lattice_of<D>(scene).edges.prod();
  settings.pressure = scene.grid.pressure;
  settings.path_integrator = scene.grid.path_integrator;
  return settings;
}

template <int D>
float pascals(const GasSettings<D>& settings, float duration) {
  const double edge = settings.frame.cell_size, seconds = duration;
  return static_cast<float>(seconds > 0 ? settings.gas.density * edge / seconds : 0);
}

std::vector<Channel> channels_of(const scene::Gas& gas) {
  std::vector<Channel> channels;
  for (const scene::Carried what : gas.carries) {
    const bool is_dye = what == scene::Carried::dye;
    const double ambient = what == scene::Carried::temperature ? gas.ambient_temperature : 0;
    for (int component = 0; component < (is_dye ? 3 : 1); ++component)
      channels.push_back({what, component, static_cast<float>(ambient)});
  }
  return channels;
}

std::optional<float> value_of(const scene::GasContent& content, const Channel& channel) {
  switch (channel.what) {
    case scene::Carried::smoke:
      if (content.smoke) return static_cast<float>(*content.smoke);
      break;
    case scene::Carried::temperature:
      if (content.temperature) return static_cast<float>(*content.temperature);
      break;
    case scene::Carried::dye:
      if (content.dye) return static_cast<float>((*content.dye)[channel.component]);
      break;
  }
  return std::nullopt;
}

template CellLattice lattice_of<2>(const scene::Scene&);
template CellLattice lattice_of<3>(const scene::Scene&);
template float pascals<2>(const GasSettings<2>&, float);
template float pascals<3>(const GasSettings<3>&, float);
template GasSettings<2> settings_of<2>(const scene::Scene&);
template GasSettings<3> settings_of<3>(const scene::Scene&);

}  // namespace sluice::fluid::grid
