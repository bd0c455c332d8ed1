// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/grid_gas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "solver/fluid/lattice/stencil.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"
#include "solver/scene/seeding.h"
#include "solver/simd/vectors.h"

namespace sluice::fluid::grid {

using namespace simd;

namespace {

constexpr std::int64_t rows_at_once = 16;
constexpr std::int64_t grid_gas_grain = 8;  // Tiles.

// A sum over the faces that gas flows through, of as much of the gas as each is the middle of:
// term(axis, velocity). For faces in the domain's sides, inlets among them, that is half a cell.
template <int D, typename Term>
double sum_over_faces(const GasStep<D>& step, const Term& term) {
  const MacGrid<D>& grid = step.grid();
  const Sides<D>& sides = step.settings().sides;
  const auto part_of = [&](std::size_t axis, std::size_t face) {
    const Cell<D> at = grid.tiles.cell(face);
    for (std::size_t across = 0; across < D; ++across) {
      const bool ends = across == axis && !sides.is_periodic[axis];
      if (at[across] < 0 || at[across] > sides.cells[across] - (ends ? 0 : 1)) return 0.0;
    }
    const bool is_in_side =
        !sides.is_periodic[axis] && (at[axis] == 0 || at[axis] == sides.cells[axis]);
    if (is_in_side && sides.is_wall[axis][at[axis] == 0 ? 0 : 1]) return 0.5;
    const double open = grid.open[axis][face];
    return is_in_side ? 0.5 * open : open;
  };
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(grid.tiles.count()), grid_gas_grain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (std::size_t axis = 0; axis < D; ++axis) {
          for (std::size_t face = static_cast<std::size_t>(begin) * tile_size<D>;
               face < static_cast<std::size_t>(end) * tile_size<D>; ++face) {
            sum += part_of(axis, face) * term(axis, static_cast<double>(grid.velocity[axis][face]));
          }
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
}

}  // namespace

template <int D>
GridGas<D>::GridGas(const scene::Scene& scene)
    : Gas(scene, lattice_of<D>(scene)), step_(settings_of<D>(scene)) {
  step_.set_obstacles(scene.obstacles);
  start();
}

template <int D>
void GridGas<D>::start() {
  step_.start([&](const Vec3& /*x*/) { return step_.settings().gas.velocity; });
  find_fastest();
}

template <int D>
void GridGas<D>::set_solids(const ImmersedSolids& solids) {
  if (step_.duration() == 0 && !solids.empty()) {
    // At time 0 it goes around them, which moves nothing.
    ImmersedSolids still = solids;
    still.response = nullptr;
    // The velocities of bodies with points say how they would move in the substep without the gas,
    // which is no motion of theirs yet.
    if (!solids.points.empty()) still.velocities = solids.start_velocities;
    step_.set_solids(still);
    start();
  }
  step_.set_solids(solids);
}

template <int D>
SolveReport GridGas<D>::step(const GasActions& actions, StageTimer* timer) {
  const SolveReport report = step_.advance(actions, timer);
  find_fastest();
  return report;
}

template <int D>
void GridGas<D>::find_fastest() {
  const MacGrid<D>& grid = step_.grid();
  fastest_ = parallel::parallel_reduce(
      0, static_cast<std::int64_t>(grid.tiles.count()), grid_gas_grain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        Float8 most{}, spoilt{};  // The latter 0, or no number where a velocity is none.
        for (std::size_t axis = 0; axis < D; ++axis) {
          const std::uint8_t* const live = step_.box().live_faces()[axis].data();
          for (std::size_t face = static_cast<std::size_t>(begin) * tile_size<D>;
               face < static_cast<std::size_t>(end) * tile_size<D>; face += 8) {
            const Float8 velocity = load8(grid.velocity[axis].data() + face);
            const Float8 of_live = mask8(live + face) ? velocity : Float8{};
            most = max8(max8(of_live, -of_live), most);
            spoilt += of_live - of_live;
          }
        }
        double fastest = 0;
        for (std::size_t lane = 0; lane < 8; ++lane) {
          fastest = std::max(fastest, static_cast<double>(most[lane])) +
                    static_cast<double>(spoilt[lane]);
        }
        return fastest;
      },
      [](double a, double b) { return a >= b || std::isnan(a) ? a : b; });
}

// value(index in arrays, component); 0 where there is no gas.
template <int D>
template <typename Value>
void GridGas<D>::read_cells(int components, std::span<float> values, const Value& value) const {
  const std::int64_t rows = std::int64_t{lattice().counts[1]} * lattice().counts[2];
  const auto width = static_cast<std::size_t>(lattice().counts[0]);
  parallel::parallel_for(0, rows, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const auto y = static_cast<std::int32_t>(row % lattice().counts[1]);
      const auto z = static_cast<std::int32_t>(row / lattice().counts[1]);
      float* out = values.data() +
                   static_cast<std::size_t>(row) * width * static_cast<std::size_t>(components);
      for (std::int32_t x = 0; x < lattice().counts[0]; ++x) {
        Cell<D> cell{};
        cell[0] = x;
        cell[D - 1] = z;
        if constexpr (D == 3) cell[1] = y;
        const std::size_t index = step_.grid().tiles.find_cell(cell);
        for (int component = 0; component < components; ++component)
          *out++ = value(index, component);
      }
    }
  });
}

template <int D>
void GridGas<D>::read_channels(scene::Carried what, std::span<float> values) const {
  const Array<std::uint8_t>& live = step_.box().live_cells();
  std::size_t first = 0;
  while (step_.channels()[first].what != what)
    ++first;
  const int components = what == scene::Carried::dye ? 3 : 1;
  read_cells(components, values, [&](std::size_t index, int component) {
    const std::size_t channel = first + static_cast<std::size_t>(component);
    return live[index] != 0 ? step_.values(channel)[index] : step_.channels()[channel].ambient;
  });
}

template <int D>
void GridGas<D>::read_pressure(std::span<float> values) const {
  const Array<std::uint8_t>& live = step_.box().live_cells();
  const float unit = pascals(step_.settings(), step_.duration());
  read_cells(1, values, [&](std::size_t index, int /*component*/) {
    return live[index] != 0 ? unit * step_.pressure()[index] : 0.0F;
  });
}

template <int D>
void GridGas<D>::read_velocity(std::span<float> values) const {
  const Array<std::uint8_t>& live = step_.box().live_cells();
  read_cells(3, values, [&](std::size_t index, int component) {
    if (live[index] == 0 || (D == 2 && component == 1)) return 0.0F;
    const int axis = D == 2 && component == 2 ? 1 : component;
    const MacGrid<D>& grid = step_.grid();
    Cell<D> next = grid.tiles.cell(index);
    ++next[static_cast<std::size_t>(axis)];
    const Array<float>& velocity = grid.velocity[static_cast<std::size_t>(axis)];
    return 0.5F * (velocity[index] + velocity[grid.tiles.find_cell(next)]);
  });
}

template <int D>
double GridGas<D>::kinetic_energy() const {
  const double mass = step_.settings().gas.density * lattice().edges.prod();
  double energy = 0.5 * mass * sum_over_faces(step_, [](std::size_t /*axis*/, double speed) {
                    return speed * speed;
                  });
  for (const double of_axis : step_.points().displaced(step_.grid().velocity, 2))
    energy -= 0.5 * of_axis;
  return energy;
}

template <int D>
Vec3 GridGas<D>::momentum() const {
  const double mass = step_.settings().gas.density * lattice().edges.prod();
  const std::array<double, D> in_solids = step_.points().displaced(step_.grid().velocity, 1);
  Vec3 sum = Vec3::Zero();
  for (std::size_t a = 0; a < D; ++a) {
    sum[world_axis<D>(static_cast<int>(a))] =
        mass * sum_over_faces(
                   step_, [a](std::size_t axis, double speed) { return axis == a ? speed : 0.0; }) -
        in_solids[a];
  }
  return sum;
}

template <int D>
bool GridGas<D>::restore_grid(ByteReader& in) {
  if (!step_.restore(in)) return false;
  find_fastest();
  return true;
}

template class GridGas<2>;
template class GridGas<3>;

}  // namespace sluice::fluid::grid
