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
  step_.set_obstacles(scene.obstacles);
  step_.start();
  count_cells();
}

template <int D>
grid::SolveReport TreeGas<D>::step(const grid::GasActions& actions, StageTimer* timer) {
  const grid::SolveReport report = step_.advance(actions, timer);
  count_cells();
  return report;
}

template <int D>
bool TreeGas<D>::restore_grid(ByteReader& in) {
  if (!step_.restore(in)) return false;
  count_cells();
  return true;
}

template <int D>
void TreeGas<D>::count_cells() {
  cell_counts_.clear();
  for (std::size_t k = 0; k < step_.tree().level_count(); ++k)
    cell_counts_.push_back(static_cast<std::int64_t>(step_.tree().leaf_count(k)));
}

// Calls visit(index of one of the finest cells in arrays of the lattice, the cell, the level of the
// leaf that it is in), from many threads.
template <int D>
template <typename Visit>
void TreeGas<D>::for_each_cell(const Visit& visit) const {
  const auto width = static_cast<std::size_t>(lattice().counts[0]);
  const auto rows =
      static_cast<std::size_t>(lattice().counts[1]) * static_cast<std::size_t>(lattice().counts[2]);
  parallel::for_each_index(rows, rows_to_read, [&](std::size_t row) {
    Cell<D> cell{};
    const auto y = static_cast<std::int32_t>(row % static_cast<std::size_t>(lattice().counts[1]));
    if constexpr (D == 3) cell[1] = y;
    cell[D - 1] = static_cast<std::int32_t>(row / static_cast<std::size_t>(lattice().counts[1]));
    for (std::size_t x = 0; x < width; ++x) {
      cell[0] = static_cast<std::int32_t>(x);
      visit(row * width + x, cell, step_.tree().leaf_of(0, cell).level);
    }
  });
}

// Sets a component of each of the finest cells to `factor` times what is in its middle, between
// the values get(level) of the level whose leaf it is in. Those are `within` their cells. A leaf
// without gas has the value `in_solids`.
template <int D>
template <typename Get>
void TreeGas<D>::read_cells(const Get& get, const grid::Vec<D>& within, std::size_t component,
                            std::size_t components, float factor, float in_solids,
                            std::span<float> values) const {
  for_each_cell([&](std::size_t index, Cell<D> cell, std::size_t level) {
    const Layer<D>& layer = step_.layers()[level];
    const float edge = static_cast<float>(std::size_t{1} << level);
    grid::Vec<D> place;
    for (std::size_t a = 0; a < D; ++a) {
      place[static_cast<int>(a)] = (static_cast<float>(cell[a]) + 0.5F) / edge;
      cell[a] >>= level;
    }
    const Array<float>& of_level = get(*step_.levels()[level]);
    values[index * components + component] =
        layer.has_fluid(layer.tiles.find_cell(cell))
            ? factor * grid::interpolate<D>(layer.tiles, of_level.data(), place - within)
            : in_solids;
  });
}

template <int D>
void TreeGas<D>::read_levels(std::span<float> values) const {
  for_each_cell([&](std::size_t index, const Cell<D>& /*cell*/, std::size_t level) {
    values[index] = static_cast<float>(level);
  });
}

template <int D>
void TreeGas<D>::read_channels(scene::Carried what, std::span<float> values) const {
  const std::size_t components = what == scene::Carried::dye ? 3 : 1;
  for (std::size_t channel = 0; channel < step_.channels().size(); ++channel) {
    if (step_.channels()[channel].what != what) continue;
    read_cells([&](const FluidLevel<D>& level) -> auto& { return level.values[channel]; },
               grid::Vec<D>::Constant(0.5F),
               static_cast<std::size_t>(step_.channels()[channel].component), components, 1,
               step_.channels()[channel].ambient, values);
  }
}

template <int D>
void TreeGas<D>::read_pressure(std::span<float> values) const {
  read_cells([](const FluidLevel<D>& level) -> auto& { return level.pressure; },
             grid::Vec<D>::Constant(0.5F), 0, 1, grid::pascals(step_.settings(), step_.duration()),
             0, values);
}

template <int D>
void TreeGas<D>::read_velocity(std::span<float> values) const {
  std::ranges::fill(values, 0.0F);
  for (int axis = 0; axis < D; ++axis) {
    grid::Vec<D> of_face = grid::Vec<D>::Constant(0.5F);
    of_face[axis] = 0;
    read_cells(
        [&](const FluidLevel<D>& level) -> auto& {
          return level.grid.velocity[static_cast<std::size_t>(axis)];
        },
        of_face, static_cast<std::size_t>(grid::world_axis<D>(axis)), 3, 1, 0, values);
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
