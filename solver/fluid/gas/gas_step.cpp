// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/gas_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "solver/fluid/gas/face_differences.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/stencil.h"

namespace sluice::fluid::grid {
namespace {

// Sheets part the gas whatever the size of cells. Bodies fill faces, or close them.
std::vector<Facet> facets_of_sheets(const ImmersedSolids& solids) {
  std::vector<Facet> facets;
  for (const ImmersedSolids::Surface& surface : solids.surfaces) {
    if (surface.is_closed) continue;
    for (const auto& [i, j, k] : surface.triangles) {
      const auto mean = [&, a = i, b = j, c = k](std::span<const Vec3> of) {
        return Vec3((of[static_cast<std::size_t>(a)] + of[static_cast<std::size_t>(b)] +
                     of[static_cast<std::size_t>(c)]) /
                    3);
      };
      const auto at = [&](std::int32_t n) { return solids.positions[static_cast<std::size_t>(n)]; };
      facets.push_back({.corners = {at(i), at(j), at(k)},
                        .velocity = mean(solids.velocities),
                        .is_at_end = true,
                        .sticks = surface.sticks});
    }
  }
  return facets;
}

}  // namespace

template <int D>
GasStep<D>::GasStep(GasSettings<D> settings)
    : settings_(std::move(settings)),
      solids_(settings_.frame, settings_.sides, settings_.depth),
      screens_(settings_.frame, settings_.depth, cells_that_mix),
      box_(settings_.sides),
      advection_(settings_.frame, settings_.sides, settings_.path_integrator),
      elastic_({settings_.frame.cell_size, settings_.frame.origin}, settings_.mass_of_cell),
      points_(settings_.frame, settings_.gas.density, settings_.mass_of_cell),
      channels_(channels_of(settings_.gas)) {
  grid_.tiles = box_.tiles();
  const std::size_t size = grid_.tiles.array_size();
  for (std::size_t axis = 0; axis < D; ++axis)
    grid_.velocity[axis].assign(size, 0);
  before_ = carried_ = grid_.velocity;
  pressure_.assign(size, 0);
  for (const Channel& channel : channels_)
    values_.emplace_back(size, channel.ambient);
}

template <int D>
void GasStep<D>::start(const VelocityField& velocity) {
  find_solids();
  for (std::size_t channel = 0; channel < channels_.size(); ++channel)
    values_[channel].assign(grid_.tiles.array_size(), channels_[channel].ambient);
  const GasLattice<D> gas = lattice();
  for (int axis = 0; axis < D; ++axis) {
    Array<float>& of_axis = grid_.velocity[static_cast<std::size_t>(axis)];
    for_each_tile(grid_.tiles, [&](std::size_t tile) {
      for (std::size_t face = tile * tile_size<D>; face < (tile + 1) * tile_size<D>; ++face) {
        const Vec3 x = gas.place_of_face(grid_.tiles.cell(face), axis);
        of_axis[face] = static_cast<float>(velocity(x)[world_axis<D>(axis)]);
      }
    });
  }
  put_regions(gas);
  points_.find(grid_);
  points_.meet(0, grid_);
  project();
  fill_around();
}

template <int D>
void GasStep<D>::set_solids(const ImmersedSolids& solids) {
  screens_.set_facets(facets_of_sheets(solids));
  if (!solids.points.empty()) {
    points_.set(solids);
    return;
  }
  have_solids_changed_ = have_solids_changed_ || !elastic_.is_empty() || !solids.empty();
  elastic_.set(solids);
}

template <int D>
void GasStep<D>::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  solids_.set_obstacles(obstacles);
  screens_.set_obstacles(obstacles);
  const bool were_moving = are_solids_moving_;
  are_solids_moving_ = std::ranges::any_of(
      obstacles, [](const scene::Obstacle& obstacle) { return !obstacle.velocity.isZero(0); });
  have_solids_changed_ = have_solids_changed_ || were_moving || are_solids_moving_;
}

template <int D>
SolveReport GasStep<D>::advance(const GasActions& actions, StageTimer* timer) {
  const auto finish = [timer](Stage stage) {
    if (timer != nullptr) timer->finish(stage);
  };
  const auto h = static_cast<float>(actions.duration);
  const float of_last = duration_ > 0 ? h / duration_ : 0;  // Scales the last pressure.
  carry(h, of_last);
  finish(Stage::fluid_transfers);
  if (have_solids_changed_) find_solids();
  points_.find(grid_);
  subtract_last_pressure(0.5F * of_last);
  points_.push(0.5 * static_cast<double>(of_last), grid_.velocity);
  put_contents(actions, of_last, lattice());
  add_forces(actions, h);
  finish(Stage::fluid_grid);
  diffuse(h);
  elastic_.press(pressure_, of_last, grid_.tiles);
  Cell<D> middle = settings_.sides.cells;
  for (std::int32_t& c : middle)
    c /= 2;
  elastic_.lift(actions.duration * actions.gravity, lattice().place_of_middle(middle));
  elastic_.respond();
  points_.lift(actions.duration * actions.gravity);
  points_.meet(static_cast<double>(of_last), grid_);
  const SolveReport report = project();
  add_to_pressure(of_last);
  duration_ = h;
  finish(Stage::fluid_pressure);
  fade(h, lattice());
  fill_around();
  finish(Stage::fluid_grid);
  have_solids_changed_ = false;
  return report;
}

// Finds the parts of faces that solids leave open, and where there is gas.
template <int D>
void GasStep<D>::find_solids() {
  solids_.find(grid_);
  elastic_.cover(grid_);
  elastic_.close_parted(grid_);
  box_.find_live(grid_);
}

template <int D>
SolveReport GasStep<D>::project() {
  if (!points_.is_empty()) return pressure_solver_.project(settings_.pressure, grid_, &points_);
  if (!have_solids_changed_)
    return pressure_solver_.project_as_before(settings_.pressure, grid_, &elastic_);
  return pressure_solver_.project(settings_.pressure, grid_, &elastic_);
}

template <int D>
void GasStep<D>::fill_around() {
  box_.fill_around(solids_, grid_);
  elastic_.constrain(grid_);
  for (std::size_t channel = 0; channel < channels_.size(); ++channel)
    box_.fill_around(channels_[channel].ambient, values_[channel]);
}

// Along the flow in the middle of the substep, as it goes on. Half of the last pressure acts
// before, where the gas comes from, the other half after, and pressure is solved for the rest
// [VanKan1986]: the trapezoidal rule on its way. Without that, a flow loses in each substep what
// pressure should have turned on the way.
template <int D>
void GasStep<D>::carry(float h, float of_last) {
  find_flow(of_last);
  points_.push(0.5 * static_cast<double>(of_last), carried_);
  std::vector<Advected> advected;
  advected.reserve(channels_.size() + D);
  for (std::size_t channel = 0; channel < channels_.size(); ++channel)
    advected.push_back({Advected::in_middles, &box_.live_cells(), &values_[channel]});
  for (std::size_t axis = 0; axis < D; ++axis)
    advected.push_back({static_cast<int>(axis), &box_.live_faces()[axis], &carried_[axis]});
  if (!screens_.is_empty()) {
    screens_.look_around(grid_.tiles, h, static_cast<double>(h * highest_speed(grid_)));
  }
  advection_.carry(grid_, settings_.gas.advection, h, advected,
                   screens_.is_empty() ? nullptr : &screens_);
  grid_.velocity.swap(carried_);
}

// The velocity becomes that flow, and the one before; what is carried along it is carried_.
template <int D>
void GasStep<D>::find_flow(float of_last) {
  const float part = 0.5F * of_last;
  for_each_difference(grid_.tiles, pressure_,
                      [&](std::size_t axis, std::size_t face, Float8 difference) {
                        float* const before = before_[axis].data() + face;
                        const Float8 velocity = load8(grid_.velocity[axis].data() + face);
                        store8(carried_[axis].data() + face, velocity - part * difference);
                        store8(before, velocity + part * (velocity - load8(before)));
                      });
  grid_.velocity.swap(before_);
}

template <int D>
void GasStep<D>::add_forces(const GasActions& actions, float h) {
  add_buoyancy(h * actions.gravity.cast<float>(), lattice());
  add_pushes(actions.pushes, h, lattice());
  const auto strength = static_cast<float>(settings_.gas.vorticity_confinement);
  if (strength > 0) confinement_.apply(strength, h, box_.live_faces(), box_.live_cells(), grid_);
}

template <int D>
void GasStep<D>::diffuse(float h) {
  const scene::Gas& gas = settings_.gas;
  const double edge = settings_.frame.cell_size;
  const auto number = static_cast<float>(gas.dynamic_viscosity / gas.density *
                                         static_cast<double>(h) / (edge * edge));
  if (!(number > 0)) return;
  diffusion_.apply(number, settings_.pressure, solids_, &elastic_, box_.live_faces(),
                   have_solids_changed_, grid_);
}

// Takes `part` of what the last pressure did in a substep of this length off the velocity, all
// around too.
template <int D>
void GasStep<D>::subtract_last_pressure(float part) {
  if (part == 0) return;
  for_each_difference(grid_.tiles, pressure_,
                      [&](std::size_t axis, std::size_t face, Float8 difference) {
                        float* const velocity = grid_.velocity[axis].data() + face;
                        store8(velocity, load8(velocity) - part * difference);
                      });
}

// pressure_ becomes what pressure did in all, for a substep as long as this one was.
template <int D>
void GasStep<D>::add_to_pressure(float of_last) {
  for_each_tile(grid_.tiles, [&](std::size_t tile) {
    for (std::size_t i = tile * tile_size<D>; i < (tile + 1) * tile_size<D>; i += 8) {
      float* const pressure = pressure_.data() + i;
      const Float8 sum = of_last * load8(pressure) + load8(grid_.pressure.data() + i);
      store8(pressure, mask8(box_.live_cells().data() + i) ? sum : Float8{});
    }
  });
  box_.fill_around_pressure(pressure_);
}

template <int D>
GasLattice<D> GasStep<D>::lattice() {
  return {.gas = settings_.gas,
          .frame = settings_.frame,
          .sides = settings_.sides,
          .depth = settings_.depth,
          .channels = channels_,
          .live_faces = box_.live_faces(),
          .live_cells = box_.live_cells(),
          .pressure = pressure_,
          .edge = 1,
          .grid = grid_,
          .values = values_};
}

template <int D>
void GasStep<D>::save(ByteWriter& out) const {
  out.put(duration_);
  for (const Array<float>& velocity : grid_.velocity)
    out.put_array(std::span<const float>(velocity));
  for (const Array<float>& velocity : before_)
    out.put_array(std::span<const float>(velocity));
  out.put_array(std::span<const float>(pressure_));
  for (const Array<float>& values : values_)
    out.put_array(std::span<const float>(values));
  elastic_.save(out);
  if (!points_.is_empty()) points_.save(out);
}

template <int D>
bool GasStep<D>::restore(ByteReader& in) {
  if (!in.get(duration_)) return false;
  for (Array<float>& velocity : grid_.velocity) {
    if (!in.get_array(std::span<float>(velocity))) return false;
  }
  for (Array<float>& velocity : before_) {
    if (!in.get_array(std::span<float>(velocity))) return false;
  }
  if (!in.get_array(std::span<float>(pressure_))) return false;
  for (Array<float>& values : values_) {
    if (!in.get_array(std::span<float>(values))) return false;
  }
  if (!elastic_.restore(in)) return false;
  if (!points_.is_empty() && !points_.restore(in)) return false;
  have_solids_changed_ = true;
  find_solids();
  points_.find(grid_);
  return true;
}

template class GasStep<2>;
template class GasStep<3>;

}  // namespace sluice::fluid::grid
