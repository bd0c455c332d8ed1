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

// Sets a component of each of the finest cells to `factor` times get(level, place), where a leaf of
// that level has the cell's middle, at `place` in its level's cells.
template <int D>
template <typename Get>
void TreeGas<D>::read_cells(const Get& get, std::size_t component, std::size_t components,
                            float factor, std::span<float> values) const {
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
      *out = factor * get(level, place);
    }
  });
}

template <int D>
void TreeGas<D>::read(Field field, std::span<float> values) const {
  const auto at = [&](std::size_t level, const Array<float>& array, const grid::Vec<D>& place,
                      const grid::Vec<D>& of_value) {
    return grid::interpolate<D>(step_.layers()[level].tiles, array.data(), place - of_value);
  };
  const grid::Vec<D> middle = grid::Vec<D>::Constant(0.5F);
  const auto read_channels = [&](scene::Carried what) {
    const auto components = static_cast<std::size_t>(component_count(field));
    for (std::size_t channel = 0; channel < step_.channels().size(); ++channel) {
      if (step_.channels()[channel].what != what) continue;
      read_cells(
          [&](std::size_t level, const grid::Vec<D>& place) {
            return at(level, step_.values(level, channel), place, middle);
          },
          static_cast<std::size_t>(step_.channels()[channel].component), components, 1, values);
    }
  };
  switch (field) {
    case Field::smoke:
      return read_channels(scene::Carried::smoke);
    case Field::temperature:
      return read_channels(scene::Carried::temperature);
    case Field::dye:
      return read_channels(scene::Carried::dye);
    case Field::pressure: {
      const double edge = step_.settings().frame.cell_size, density = step_.settings().gas.density;
      const auto duration = static_cast<double>(step_.duration());
      const auto pascals = static_cast<float>(duration > 0 ? density * edge / duration : 0);
      return read_cells(
          [&](std::size_t level, const grid::Vec<D>& place) {
            return at(level, step_.pressure(level), place, middle);
          },
          0, 1, pascals, values);
    }
    case Field::velocity:
      std::ranges::fill(values, 0.0F);
      for (std::size_t axis = 0; axis < D; ++axis) {
        grid::Vec<D> of_face = middle;
        of_face[static_cast<int>(axis)] = 0;
        read_cells(
            [&](std::size_t level, const grid::Vec<D>& place) {
              return at(level, step_.velocity(level, axis), place, of_face);
            },
            static_cast<std::size_t>(grid::world_axis<D>(static_cast<int>(axis))), 3, 1, values);
      }
      return;
    case Field::position:
    case Field::density:
    case Field::contact_force:
      break;  // A gas has none: scene::validate.
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
