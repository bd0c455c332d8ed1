// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/liquid_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "solver/fluid/lattice/advection.h"
#include "solver/fluid/lattice/extrapolation.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/liquid/interior_density.h"
#include "solver/fluid/liquid/level_at_solids.h"
#include "solver/fluid/liquid/liquid_surface.h"
#include "solver/fluid/liquid/mixed_density.h"
#include "solver/fluid/liquid/particle_spread.h"
#include "solver/fluid/liquid/surface_faces.h"
#include "solver/fluid/liquid/wall_fold.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t liquid_step_grain = 16384;  // Particles.
constexpr std::int64_t tiles_at_once = 8;

// Cells around the liquid that get its velocity: for what interpolation reaches, and at most so
// many for what goes further in a substep than it should.
constexpr int least_reach = 3, most_reach = 24;

// In parts of a substep before its end: where solids are on the grid.
constexpr double grid_at_end = 0;

// The part of an error in density, or in the height of shallow liquid, that is evened out in a
// substep.
constexpr float evened_part = 0.25F;

void push(std::span<const Push> pushes, float h, Particles& particles) {
  if (pushes.empty()) return;
  parallel::parallel_for(0, static_cast<std::int64_t>(particles.count), liquid_step_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto i = static_cast<std::size_t>(begin);
                                i < static_cast<std::size_t>(end); ++i) {
                             for (const Push& push : pushes) {
                               const Vec3 way = particles.positions[i].cast<double>() - push.center;
                               if (way.squaredNorm() < push.radius * push.radius)
                                 particles.velocities[i] += h * push.acceleration.cast<float>();
                             }
                           }
                         });
}

template <int D>
double mass_of_cell(const LiquidSettings<D>& settings) {
  return static_cast<double>(settings.density) *
         std::pow(static_cast<double>(settings.frame.cell_size), D) *
         (D == 2 ? settings.slab.depth : 1);
}

template <int D>
Vec<D> along_axes(const Vec3f& vector) {
  Vec<D> along;
  for (int axis = 0; axis < D; ++axis)
    along[axis] = vector[world_axis<D>(axis)];
  return along;
}

}  // namespace

template <int D>
LiquidStep<D>::LiquidStep(LiquidSettings<D> settings)
    : settings_(std::move(settings)),
      solids_(settings_.frame, settings_.sides, settings_.slab.middle()),
      screens_(settings_.frame, settings_.slab.middle()),
      bodies_(settings_.frame, settings_.slab, mass_of_cell(settings_)),
      elastic_(settings_.frame, mass_of_cell(settings_)),
      inlets_(settings_.frame, settings_.sides, settings_.slab) {
  mass_ = settings_.mass;
  volume_.assign(mass_.size(), std::pow(settings_.spacing, static_cast<float>(D)));
  if (mass_.empty()) return;
  mass_.push_back(mass_.front());  // Ghosts of an interior.
  volume_.push_back(0);
}

template <int D>
LiquidReport LiquidStep<D>::advance(const LiquidActions& actions, Particles& particles,
                                    StageTimer* timer) {
  const auto finish = [timer](Stage stage) {
    if (timer != nullptr) timer->finish(stage);
  };
  const CellFrame<D>& frame = settings_.frame;
  const float h = actions.duration;
  duration_ = h;
  push(actions.pushes, h, particles);
  const float way = h * (actions.largest_speed + h * actions.gravity.norm()) / frame.cell_size;
  const int reach = std::clamp(way < most_reach ? static_cast<int>(std::ceil(way)) + 2 : most_reach,
                               least_reach, most_reach);
  const std::span<const Vec3f> positions(particles.positions.data(), particles.count);
  cells_ = find_cells<D>(frame, positions, reach, settings_.sides.period());
  finish(Stage::fluid_sorting);
  grid_.tiles = cells_.tiles;
  for (std::size_t axis = 0; axis < D; ++axis) {
    grid_.velocity[axis].assign(grid_.tiles.array_size(), 0);
    weights_[axis].assign(grid_.tiles.array_size(), 0);
  }
  grid_.density.assign(grid_.tiles.array_size(), 0);
  for (std::size_t axis = 0; settings_.is_mixed && axis < D; ++axis)
    grid_.lightness[axis].assign(grid_.tiles.array_size(), 0);
  const float volume = std::pow(settings_.spacing, static_cast<float>(D));
  screens_.set_facets(bodies_.find_thin(grid_.tiles));
  screens_.look_around(grid_.tiles, h, 0);
  screened_.note(cells_, screens_, particles);
  particles_to_faces<D>(frame, cells_, screens_, mass_, volume_, particles, grid_, weights_);
  grid_.is_interior.clear();
  grid_.has_interior.clear();
  if (has_interior()) interior_->enter(settings_.mass.front() / volume, grid_, weights_);
  if (settings_.is_mixed) find_lightness<D>(settings_.mass.front() / volume, weights_, grid_);
  if (settings_.blend.flip > 0) find_before(reach);
  finish(Stage::fluid_transfers);
  solids_.find(grid_);
  add_density_of_interior<D>(settings_.sides, grid_);
  letting_go_.note_room(grid_);
  // No part of a face counts twice: what elastic bodies drive is exact for all that they fill,
  // rigid ones take of the rest what they fill, and what is thin closes what both leave.
  elastic_.cover(grid_);
  bodies_.cover(grid_, &screens_);
  screens_.take_room(grid_.tiles, grid_.room);
  elastic_.close_parted(grid_);
  inlets_.set(actions.inlets, actions.held);
  inlets_.cover(volume, actions.is_outside, grid_);
  pressure_solver_.set_inflow(inlets_.inflow());
  find_bodiless();
  fold_at_walls<D>(settings_.sides, grid_);
  const Vec<D> gravity = along_axes<D>(actions.gravity);
  // Eigen leaves 0 as it is.
  const LevelAtSolids<D> level = find_surface<D>(-gravity.normalized(), grid_);
  shallow_cells_.find(frame, cells_, screens_, positions, volume, gravity, grid_);
  shallow_cells_.set_level(grid_);
  fill_in_missing();
  calm_at_solids(level, gravity.norm(), h, frame.cell_size, grid_);
  bodies_.find_layers(grid_);
  add_gravity(h * actions.gravity);
  if (has_interior()) interior_->accelerate(h * gravity, actions.pushes, h);
  letting_go_.apply(inlets_, gravity, h, frame.cell_size, grid_);
  bodies_.attach(grid_);
  elastic_.attach(grid_);
  elastic_.respond();
  finish(Stage::fluid_grid);
  LiquidReport report;
  find_flow(report);
  report.inflows = inlets_.inflows();
  if (!bodies_.is_empty()) bodies_.limit_slits(grid_);
  finish(Stage::fluid_pressure);
  find_known<D>(grid_, weights_, known_);
  if (report.viscosity.iterations > 0) {
    drag_skin<D>(cells_, grid_, known_);
  } else if (ImmersedTogether<D>(bodies_, elastic_).is_empty()) {
    // Contact would stop more of what meets bodies.
    rest_skin<D>(cells_, h * gravity, known_, grid_);
  }
  shallow_cells_.hold(h, frame.cell_size, grid_);
  slits_.shut(weights_, settings_.mass.front() / volume, grid_, known_);
  for (std::size_t axis = 0; axis < D; ++axis)
    extrapolate<D>(grid_.tiles, reach, grid_.velocity[axis], known_[axis]);
  solids_.constrain(grid_);
  bodies_.constrain(grid_);
  elastic_.constrain(grid_);
  inlets_.constrain(grid_);
  slits_.open(grid_);
  finish(Stage::fluid_grid);
  bodies_.add_layer_motions(weights_, grid_);
  report.is_finite =
      faces_to_particles<D>(frame, cells_, grid_, before_, settings_.blend, particles);
  const SeenFlow<D> seen(grid_, screens_, grid_at_end);
  report.is_finite =
      screened_.gather(seen, frame.cell_size, grid_, before_, settings_.blend, particles) &&
      report.is_finite;
  bodies_.remove_layer_motions(grid_);
  finish(Stage::fluid_transfers);
  if (has_interior()) {
    interior_->even_out(evened_part, h, settings_.spacing, grid_);
  } else {
    pressure_solver_.even_out(evened_part, h, frame.cell_size, settings_.spacing, grid_);
  }
  shallow_cells_.raise(evened_part, h, frame.cell_size, grid_);
  finish(Stage::fluid_pressure);
  parallel::parallel_for(0, static_cast<std::int64_t>(cells_.occupied.size()), tiles_at_once,
                         [&](std::int64_t begin, std::int64_t end) {
                           TileTracer<D> tracer(frame, grid_, settings_.path_integrator);
                           for (auto t = static_cast<std::size_t>(begin);
                                t < static_cast<std::size_t>(end); ++t) {
                             const std::size_t tile = cells_.occupied[t];
                             tracer.look_at(tile);
                             tracer.trace(cells_.in_tile(tile), positions, h, particles.targets);
                           }
                         });
  screened_.trace(seen, h, settings_.path_integrator, particles);
  if (settings_.kinematic_viscosity > 0)
    spread_particles<D>(frame, cells_, grid_, screens_, settings_.spacing, particles);
  finish(Stage::fluid_transfers);
  return report;
}

// FLIP gives particles the change of the grid's velocity, also where none of them is near.
template <int D>
void LiquidStep<D>::find_before(int layers) {
  before_ = grid_.velocity;
  for (std::size_t axis = 0; axis < D; ++axis) {
    known_[axis].resize(grid_.tiles.array_size());
    for (std::size_t face = 0; face < known_[axis].size(); ++face)
      known_[axis][face] = weights_[axis][face] > 0 ? 1 : 0;
    extrapolate<D>(grid_.tiles, layers, before_[axis], known_[axis]);
  }
}

// Bodies, sheets and pipes have taken of cells' room by now.
template <int D>
void LiquidStep<D>::find_bodiless() {
  grid_.is_bodiless.assign(solids_.all().empty() ? 0 : grid_.tiles.array_size(), 1);
  for (std::size_t tile = 0; !grid_.is_bodiless.empty() && tile < grid_.tiles.count(); ++tile) {
    if (grid_.is_clear[tile] != 0) continue;
    for (std::size_t cell = tile * tile_size<D>; cell < (tile + 1) * tile_size<D>; ++cell)
      grid_.is_bodiless[cell] = grid_.room[cell] < letting_go_.room()[cell] ? 0 : 1;
  }
}

template <int D>
void LiquidStep<D>::add_gravity(const Vec3f& change) {
  for (int axis = 0; axis < D; ++axis) {
    const float of_axis = change[world_axis<D>(axis)];
    if (of_axis == 0) continue;
    Array<float>& velocity = grid_.velocity[static_cast<std::size_t>(axis)];
    const std::size_t count = grid_.tiles.count() * tile_size<D>;
    for (std::size_t face = 0; face < count; ++face)
      velocity[face] += of_axis;
  }
}

// Pressure, viscosity, and pressure again, as in [Batty2008]. Without the first, viscosity meets
// the velocity of a free fall, which gravity has just added to liquid at rest, too, and walls shear
// that: the last projection does not take it back, and a vessel of still liquid turned at 0.7 m/s.
// How fast a block of pitch sinks is the same with one projection, to a tenth.
template <int D>
void LiquidStep<D>::find_flow(LiquidReport& report) {
  const scene::PressureSettings& settings = settings_.pressure;
  if (has_interior()) {
    report.pressure = interior_->project(settings, inlets_.inflow(), duration_, grid_);
    inlets_.find_inflows(grid_);
    report.viscosity.converged = true;
    return;
  }
  ImmersedTogether<D> solids(bodies_, elastic_);
  report.pressure = pressure_solver_.project(settings, grid_, &solids);
  inlets_.find_inflows(grid_);
  report.viscosity.converged = true;
  if (!(settings_.kinematic_viscosity > 0)) return;
  const float dx = settings_.frame.cell_size;
  inlets_.constrain(grid_);
  solids_.find_grip(grid_);
  report.viscosity = viscosity_solver_.apply(settings_.kinematic_viscosity * duration_ / (dx * dx),
                                             settings.tolerance, settings.max_iterations, grid_);
  if (report.viscosity.iterations == 0) return;
  const int iterations = report.pressure.iterations;
  report.pressure = pressure_solver_.project_again(settings, grid_, &solids);
  report.pressure.iterations += iterations;
}

// Cells that count as liquid without particles, in holes and at solids, have faces that no particle
// has given a velocity: they get it from those next to them.
template <int D>
void LiquidStep<D>::fill_in_missing() {
  find_known<D>(grid_, weights_, known_);
  for (std::size_t axis = 0; axis < D; ++axis) {
    bool is_missing = false;
    for (std::size_t face = 0; face < known_[axis].size(); ++face) {
      const bool has_velocity = weights_[axis][face] > 0;
      is_missing = is_missing || (known_[axis][face] != 0 && !has_velocity);
      known_[axis][face] = has_velocity ? 1 : 0;
    }
    if (is_missing) extrapolate<D>(grid_.tiles, 2, grid_.velocity[axis], known_[axis]);
  }
}

template <int D>
const ObstacleList& LiquidStep<D>::obstacles_near(const Vec3f& x) const noexcept {
  const Cell<D> cell = cell_at<D>(settings_.frame.coordinates(x));
  return solids_.obstacles_near(grid_.tiles.find(tile_of<D>(cell)));
}

template <int D>
const ObstacleList& LiquidStep<D>::obstacles_on_way(const Vec3f& from,
                                                    const Vec3f& to) const noexcept {
  const auto tile_at = [&](const Vec3f& x) {
    return tile_of<D>(cell_at<D>(settings_.frame.coordinates(x)));
  };
  const Cell<D> first = tile_at(from);
  return first == tile_at(to) ? solids_.obstacles_near(grid_.tiles.find(first)) : solids_.all();
}

// Between the cells that are not solid: those have no pressure, and air has 0.
template <int D>
float LiquidStep<D>::pressure_at(const Vec3f& x) const {
  if (!(duration_ > 0)) return 0;
  const Vec<D> X = settings_.frame.coordinates(x) - Vec<D>::Constant(0.5F);
  const Cell<D> low = cell_at<D>(X);
  float sum = 0, weights = 0;
  for (std::size_t corner = 0; corner < std::size_t{1} << D; ++corner) {
    Cell<D> cell = low;
    float weight = 1;
    for (std::size_t axis = 0; axis < D; ++axis) {
      const float part = X[static_cast<int>(axis)] - static_cast<float>(low[axis]);
      const bool is_upper = (corner >> axis & 1U) != 0;
      cell[axis] += is_upper ? 1 : 0;
      weight *= is_upper ? part : 1 - part;
    }
    const std::size_t index = grid_.tiles.find_cell(cell);
    if (grid_.room[index] < room_at_face) continue;
    sum += weight * grid_.pressure[index];
    weights += weight;
  }
  if (!(weights > 0)) return 0;
  return sum / weights * settings_.density * settings_.frame.cell_size / duration_;
}

template <int D>
float LiquidStep<D>::density_at(const Vec3f& x) const {
  const Vec<D> X = settings_.frame.coordinates(x);
  const float filled =
      interpolate<D>(grid_.tiles, grid_.density.data(), X - Vec<D>::Constant(0.5F));
  if (!settings_.is_mixed) return filled * settings_.density;
  Vec<D> of_faces = X - Vec<D>::Constant(0.5F);
  of_faces[0] += 0.5F;
  const float lightness = interpolate<D>(grid_.tiles, grid_.lightness[0].data(), of_faces);
  return lightness > 0 ? filled / lightness * settings_.density : 0;
}

template class LiquidStep<2>;
template class LiquidStep<3>;

}  // namespace sluice::fluid::grid
