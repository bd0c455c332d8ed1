// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/tree_gas.h"

#include <algorithm>

#include "solver/fluid/lattice/advection.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid::adaptive {
namespace {

constexpr std::int64_t rows_to_read = 16;

}  // namespace

template <int D>
TreeGas<D>::TreeGas(const scene::Scene& scene)
    : Gas(scene, grid::lattice_of<D>(scene)),
      step_(grid::settings_of<D>(scene), scene.grid.adaptive.value_or(scene::Adaptive{}),
            scene.grid.cfl) {
  step_.start();
}

// Sets a component of each of the finest cells to `factor` times what is in its middle, between
// the values get(level) of the level whose leaf it is in. Those are `within` their cells.
template <int D>
template <typename Get>
void TreeGas<D>::read_cells(const Get& get, const grid::Vec<D>& within, std::size_t component,
                            std::size_t components, float factor, std::span<float> values) const {
  const auto width = static_cast<std::size_t>(lattice().counts[0]);
  const auto rows =
      static_cast<std::size_t>(lattice().counts[1]) * static_cast<std::size_t>(lattice().counts[2]);
  parallel::for_each_index(rows, rows_to_read, [&](std::size_t row) {
    Cell<D> cell{};
    const auto y = static_cast<std::int32_t>(row % static_cast<std::size_t>(lattice().counts[1]));
    if constexpr (D == 3) cell[1] = y;
    cell[D - 1] = static_cast<std::int32_t>(row / static_cast<std::size_t>(lattice().counts[1]));
    float* out = values.data() + row * width * components + component;
    for (std::size_t x = 0; x < width; ++x, out += components) {
      cell[0] = static_cast<std::int32_t>(x);
      const std::size_t level = step_.tree().leaf_of(0, cell).level;
      const float edge = static_cast<float>(std::size_t{1} << level);
      grid::Vec<D> place;
      for (std::size_t a = 0; a < D; ++a)
        place[static_cast<int>(a)] = (static_cast<float>(cell[a]) + 0.5F) / edge;
      const Array<float>& of_level = get(*step_.levels()[level]);
      *out = factor *
             grid::interpolate<D>(step_.layers()[level].tiles, of_level.data(), place - within);
    }
  });
}

template <int D>
void TreeGas<D>::read_channels(scene::Carried what, std::span<float> values) const {
  const std::size_t components = what == scene::Carried::dye ? 3 : 1;
  for (std::size_t channel = 0; channel < step_.channels().size(); ++channel) {
    if (step_.channels()[channel].what != what) continue;
    read_cells([&](const GasLevel<D>& level) -> auto& { return level.values[channel]; },
               grid::Vec<D>::Constant(0.5F),
               static_cast<std::size_t>(step_.channels()[channel].component), components, 1,
               values);
  }
}

template <int D>
void TreeGas<D>::read_pressure(std::span<float> values) const {
  read_cells([](const GasLevel<D>& level) -> auto& { return level.pressure; },
             grid::Vec<D>::Constant(0.5F), 0, 1, grid::pascals(step_.settings(), step_.duration()),
             values);
}

template <int D>
void TreeGas<D>::read_velocity(std::span<float> values) const {
  std::ranges::fill(values, 0.0F);
  for (int axis = 0; axis < D; ++axis) {
    grid::Vec<D> of_face = grid::Vec<D>::Constant(0.5F);
    of_face[axis] = 0;
    read_cells(
        [&](const GasLevel<D>& level) -> auto& {
          return level.grid.velocity[static_cast<std::size_t>(axis)];
        },
        of_face, static_cast<std::size_t>(grid::world_axis<D>(axis)), 3, 1, values);
  }
}

template <int D>
double TreeGas<D>::kinetic_energy() const {
  double energy = 0;
  for (std::size_t axis = 0; axis < D; ++axis)
    energy += 0.5 * step_.settings().mass_of_cell *
              sum_of_velocities(step_.layers(), step_.levels(), axis, 2);
  return energy;
}

template <int D>
Vec3 TreeGas<D>::momentum() const {
  Vec3 momentum = Vec3::Zero();
  for (std::size_t axis = 0; axis < D; ++axis) {
    momentum[grid::world_axis<D>(static_cast<int>(axis))] =
        step_.settings().mass_of_cell * sum_of_velocities(step_.layers(), step_.levels(), axis, 1);
  }
  return momentum;
}

template class TreeGas<2>;
template class TreeGas<3>;

}  // namespace sluice::fluid::adaptive
