// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/grid_fluid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "solver/fluid/lattice/advection.h"
#include "solver/fluid/liquid/liquid_step.h"
#include "solver/fluid/obstacles/obstacle_ways.h"
#include "solver/fluid/particles/particle_order.h"
#include "solver/fluid/particles/particle_state.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t grid_fluid_grain = 4096;  // Particles.

// Fluid is taken to gain the speed of a fall through this many cells, also where it is at rest.
constexpr double cells_of_fall = 1;

// A substep is at most this part of sqrt(dx / g): waves two cells long turn by 0.65 rad in it. The
// surface is where the particles were at its start; in substeps twice as long still water does not
// stay still: a level at half a cell beside a post kept 3 mm/s and a film of half a cell over a
// step 60 mm/s, and have 0.01 with this.
constexpr double part_of_wave = 0.37;

// Whether viscosity damps the waves of two cells faster than they turn, at 2 nu k^2 [Lamb1932,
// section 348]: that of honey does, and a thin jet of it was torn by more and shorter substeps.
// Water's does not.
bool is_overdamped(double kinematic_viscosity, double gravity, double dx) {
  const double k = std::numbers::pi / dx;
  return 2 * kinematic_viscosity * k * k > std::sqrt(gravity * k);
}

// Cells that the fastest particle may have gone since particles were last put in the order of their
// cells. Beyond, memory accesses scatter.
constexpr float reorder_distance = 2;

}  // namespace

template <int D>
struct GridFluid<D>::Grid {
  Grid(const scene::Scene& scene, std::unique_ptr<Interior<D>> inside)
      : cfl(scene.grid.cfl),
        gravity(scene.gravity.norm()),
        kinematic_viscosity(scene.fluids.empty() ? 0
                                                 : scene.fluids.front().dynamic_viscosity /
                                                       scene.fluids.front().density),
        step(liquid_settings_of<D>(scene)),
        interior(std::move(inside)) {
    step.set_interior(interior.get());
    for (int axis = 0; axis < D; ++axis)
      particles_in_cell *= scene.grid.particles_per_axis;
    body_count = scene.rigid_bodies.size();
    for (const scene::Fluid& fluid : scene.fluids)
      rest_density.push_back(static_cast<float>(fluid.density));
  }

  double cfl;
  double gravity;              // [m/s^2] of the last substep
  double kinematic_viscosity;  // [m^2/s] The same for all fluids.
  // [m] that the fastest particle may have gone since the last reordering. Not in order at first.
  float displacement = std::numeric_limits<float>::infinity();
  std::vector<float> rest_density;  // [kg/m^3] by material
  LiquidStep<D> step;
  std::unique_ptr<Interior<D>> interior;  // May be null.
  std::vector<std::int64_t> cell_counts;  // Of a fluid with an interior.
  std::int64_t particles_in_cell = 1;
  Speed speed;
  LiquidReport report;
  std::size_t body_count;
  std::vector<KeptContact> contact;  // By body, or empty.
  ObstacleWays ways;
};

template <int D>
GridFluid<D>::GridFluid(const scene::Scene& scene, Start start,
                        std::unique_ptr<Interior<D>> interior)
    : ParticleFluid(std::make_unique<State>(scene, false)),
      grid_(std::make_unique<Grid>(scene, std::move(interior))) {
  state().do_settle = grid_->interior != nullptr;
  grid_->step.set_obstacles(scene.obstacles);
  grid_->ways.set(scene.obstacles);
  if (start != Start::at_time_0) return;
  if (grid_->interior) {
    grid_->interior->start(scene);
    seed(scene, [&](const Vec3& x) { return grid_->interior->has(x.cast<float>()); });
  } else {
    seed(scene);
  }
}

template <int D>
GridFluid<D>::GridFluid(GridFluid&&) noexcept = default;
template <int D>
GridFluid<D>& GridFluid<D>::operator=(GridFluid&&) noexcept = default;
template <int D>
GridFluid<D>::~GridFluid() = default;

template <int D>
void GridFluid<D>::on_new_positions() {
  grid_->speed = largest_speed(state().particles);
}

template <int D>
double GridFluid<D>::stable_substep(double obstacle_speed) const noexcept {
  const State& s = state();
  const double inflow = s.emitters.largest_speed();
  if (s.particles.count == 0 && inflow == 0) return std::numeric_limits<double>::infinity();
  if (!grid_->speed.is_finite) return std::numeric_limits<double>::quiet_NaN();
  const double dx = s.frame.cell_size;
  const double deep = grid_->interior ? grid_->interior->fastest() : 0;
  if (std::isnan(deep)) return std::numeric_limits<double>::quiet_NaN();
  const double flow = std::max(
      {std::sqrt(static_cast<double>(grid_->speed.squared)), deep, obstacle_speed, inflow});
  const double gained = std::sqrt(2 * cells_of_fall * dx * grid_->gravity);
  const double fastest = flow + gained;
  const double by_flow =
      fastest > 0 ? grid_->cfl * dx / fastest : std::numeric_limits<double>::infinity();
  if (!(grid_->gravity > 0) || is_overdamped(grid_->kinematic_viscosity, grid_->gravity, dx))
    return by_flow;
  return std::min(by_flow, part_of_wave * std::sqrt(dx / grid_->gravity));
}

template <int D>
void GridFluid<D>::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  ParticleFluid::set_obstacles(obstacles);
  grid_->step.set_obstacles(obstacles);
  if (grid_->interior) grid_->interior->set_obstacles(obstacles);
  grid_->ways.set(obstacles);
}

template <int D>
void GridFluid<D>::set_bodies(std::span<const ImmersedBody> bodies) {
  grid_->step.set_bodies(bodies);
}

template <int D>
std::span<const Wrench> GridFluid<D>::impulses_on_bodies() const noexcept {
  return grid_->step.impulses();
}

template <int D>
void GridFluid<D>::set_solids(const ImmersedSolids& solids) {
  grid_->step.set_solids(solids);
}

template <int D>
std::span<const Vec3> GridFluid<D>::impulses_on_solids() const noexcept {
  return grid_->step.elastic().impulses();
}

template <int D>
std::span<const Vec3> GridFluid<D>::velocities_of_solids() const noexcept {
  return grid_->step.elastic().velocities();
}

template <int D>
void GridFluid<D>::keep_contact(std::span<const KeptContact> of_bodies) {
  grid_->contact.assign(of_bodies.begin(), of_bodies.end());
}

template <int D>
std::span<const KeptContact> GridFluid<D>::kept_contact() const noexcept {
  return grid_->contact;
}

template <int D>
void GridFluid<D>::advance_velocities(double h, const Vec3& gravity, std::span<const Push> pushes,
                                      StageTimer* timer) {
  State& s = state();
  s.duration = static_cast<float>(h);
  grid_->gravity = gravity.norm();
  std::vector<Inlet> inlets = s.emitters.inlets();
  if (particle_count() >= s.max_particles) {  // None may come in.
    for (Inlet& inlet : inlets)
      inlet.rate = 0;
  }
  const std::size_t count = s.particles.count;
  float fastest = std::sqrt(grid_->speed.squared);
  if (grid_->interior) {
    fastest = std::max(fastest, static_cast<float>(std::sqrt(D) * grid_->interior->fastest()));
    grid_->interior->add_ghosts(s.duration, fastest, static_cast<std::uint8_t>(s.mass.size()),
                                s.particles);
  }
  grid_->report =
      grid_->step.advance({.duration = s.duration,
                           .gravity = gravity.cast<float>(),
                           .pushes = pushes,
                           .largest_speed = fastest,
                           .inlets = inlets,
                           .held = s.emitters.held_places(s.particles),
                           .is_outside = [&](const Vec3& x) { return s.boundary.is_outside(x); }},
                          s.particles, timer);
  parallel::parallel_for(
      0, particle_count(), grid_fluid_grain, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          keep_outside(i);
      });
  if (grid_->interior) {
    grid_->interior->take_ghosts(count, s.particles);
    count_cells();
  }
  s.emitters.take(grid_->report.inflows);
  s.emitters.carry(s.duration, s.boundary, s.particles);
  if (timer != nullptr) timer->finish(Stage::fluid_transfers);
}

// A particle beyond a periodic side meets the obstacles at the place where it will be put back,
// too.
template <int D>
void GridFluid<D>::keep_outside(std::size_t i) {
  State& s = state();
  const Vec3f& position = s.particles.positions[i];
  Vec3f &target = s.particles.targets[i], &velocity = s.particles.velocities[i];
  const auto within_reach = [&](const Vec3f& x) -> Vec3f {
    return x.cwiseMax(s.frame.reach_lower).cwiseMin(s.frame.reach_upper);
  };
  const ObstacleWays::Limits limits{s.duration, s.boundary.margin(), D == 2};
  const Vec3f beyond = s.frame.way_inside(target);
  const auto& on_way = grid_->step.obstacles_on_way(position, target);
  grid_->ways.bend(limits, on_way, position, target, velocity);
  if (!beyond.isZero(0)) {
    Vec3f inside = target + beyond;
    const Vec3f start = position + beyond;
    grid_->ways.bend(limits, grid_->step.obstacles_on_way(start, inside), start, inside, velocity);
    target = inside - beyond;
  }
  const Vec3f inside = within_reach(target + s.frame.way_inside(target));
  s.boundary.keep_outside(grid_->step.obstacles_near(inside), position, target, velocity);
  // The push out of one obstacle may have led the particle into another, or through.
  if (!grid_->ways.is_blocked(limits, on_way, position, target)) return;
  target = position;
  velocity.setZero();
}

template <int D>
Flow GridFluid<D>::flow_at(const Vec3& x) const {
  const GridFrame& frame = state().frame;
  const Vec3f around = x.cast<float>();
  const Vec3f place =
      Vec3f(around + frame.way_inside(around)).cwiseMax(frame.lower).cwiseMin(frame.upper);
  const float density = grid_->step.density_at(place);
  if (!(density > 0)) return {};
  const Vec<D> along = velocity_at<D>(grid_->step.frame(), grid_->step.grid(), place);
  Flow flow;
  for (int axis = 0; axis < D; ++axis)
    flow.velocity[world_axis<D>(axis)] = static_cast<double>(along[axis]);
  flow.density = static_cast<double>(density);
  return flow;
}

template <int D>
std::int64_t GridFluid<D>::first_not_finite() const noexcept {
  if (grid_->report.is_finite) return -1;
  const Particles& particles = state().particles;
  for (std::size_t i = 0; i < particles.count; ++i) {
    if (!particles.velocities[i].allFinite()) return static_cast<std::int64_t>(i);
  }
  return 0;
}

template <int D>
void GridFluid<D>::commit() {
  State& s = state();
  ParticleFluid::commit();
  grid_->displacement += s.duration * std::sqrt(grid_->speed.squared);
  if (!(grid_->displacement > reorder_distance * s.frame.cell_size)) return;
  if (grid_->interior) {  // Without its ghosts.
    std::vector<std::uint32_t> order;
    std::ranges::copy_if(grid_->step.order(), std::back_inserter(order),
                         [&](std::uint32_t i) { return i < s.particles.count; });
    put_in_order(order, s.particles);
  } else {
    put_in_order(grid_->step.order(), s.particles);
  }
  grid_->displacement = 0;
}

template <int D>
void GridFluid<D>::settle(std::vector<std::uint32_t>& gone, std::vector<Birth>& births) {
  if (!grid_->interior) return;
  const std::int64_t before = grid_->interior->volume();
  grid_->interior->settle(grid_->step.grid(), state().particles, gone, births);
  // What the interior gains, smaller cells lose.
  const std::span<const std::int64_t> larger = grid_->interior->cell_counts();
  std::ranges::copy(larger.subspan(1), grid_->cell_counts.begin() + 1);
  grid_->cell_counts.front() += (before - grid_->interior->volume()) / grid_->particles_in_cell;
}

template <int D>
SumsWithoutParticles GridFluid<D>::sums_without_particles() const {
  return grid_->interior ? grid_->interior->sums() : SumsWithoutParticles{};
}

template <int D>
std::vector<HasInterior::InteriorCell> GridFluid<D>::interior_cells() const {
  return grid_->interior ? grid_->interior->cells() : std::vector<InteriorCell>{};
}

template <int D>
std::int64_t GridFluid<D>::interior_count() const noexcept {
  return grid_->interior ? grid_->interior->volume() : 0;
}

template <int D>
void GridFluid<D>::count_cells() {
  const std::span<const std::int64_t> larger = grid_->interior->cell_counts();
  grid_->cell_counts.assign(larger.begin(), larger.end());
  const MacGrid<D>& grid = grid_->step.grid();
  for (std::size_t cell = 0; cell < grid.tiles.count() * tile_size<D>; ++cell) {
    const bool is_deep = !grid.is_interior.empty() && grid.is_interior[cell] != 0;
    grid_->cell_counts.front() += grid.distance[cell] < 0 && !is_deep ? 1 : 0;
  }
}

template <int D>
std::span<const std::int64_t> GridFluid<D>::cell_counts() const noexcept {
  return grid_->cell_counts;
}

template <int D>
std::vector<float> GridFluid<D>::pressures() const {
  const Particles& particles = state().particles;
  std::vector<float> pressures(particles.count);
  parallel::parallel_for(
      0, particle_count(), grid_fluid_grain, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          pressures[i] = grid_->step.pressure_at(particles.positions[i]);
        }
      });
  return pressures;
}

template <int D>
std::vector<float> GridFluid<D>::densities() const {
  const Particles& particles = state().particles;
  std::vector<float> densities(particles.count);
  for (std::size_t i = 0; i < particles.count; ++i)
    densities[i] = grid_->rest_density[particles.materials[i]];
  return densities;
}

template <int D>
PressureReport GridFluid<D>::pressure_report() const noexcept {
  return {grid_->report.pressure.iterations, grid_->report.pressure.residual};
}

// Over the faces of a component, trilinear weights spread a particle by f (1 - f) along each axis,
// where f is how far it is from one face to the next: not at all next to a face. That counts, as
// right at a surface C is large: the faces above it, which next to nothing is on, fall freely.
template <int D>
double GridFluid<D>::affine_square(std::size_t i) const noexcept {
  const Particles& particles = state().particles;
  const double dx = state().frame.cell_size;
  const Vec<D> X = grid_->step.frame().coordinates(particles.positions[i]);
  double sum = 0;
  for (int component = 0; component < D; ++component) {
    for (int axis = 0; axis < D; ++axis) {
      const float from_face = axis == component ? X[axis] : X[axis] + 0.5F;
      const auto f = static_cast<double>(from_face - std::floor(from_face));
      const double c = particles.affine[i].c[3 * world_axis<D>(axis) + world_axis<D>(component)];
      sum += dx * dx * f * (1 - f) * c * c;
    }
  }
  return sum;
}

template <int D>
void GridFluid<D>::save_rest(ByteWriter& out) const {
  out.put(grid_->gravity);
  out.put(grid_->displacement);
  out.put_array(std::span<const KeptContact>(grid_->contact));
  if (grid_->interior) grid_->interior->save(out);
}

template <int D>
bool GridFluid<D>::restore_rest(ByteReader& in) {
  if (!in.get(grid_->gravity) || !(grid_->gravity >= 0)) return false;
  if (!in.get(grid_->displacement) || !(grid_->displacement >= 0)) return false;
  std::uint64_t count = 0;
  if (!in.get(count) || (count != 0 && count != grid_->body_count)) return false;
  grid_->contact.resize(count);
  if (!in.get_elements(std::span(grid_->contact))) return false;
  const auto is_finite = [](const KeptContact& contact) {
    return contact.pressing.force.allFinite() && contact.pressing.torque.allFinite() &&
           contact.owed.force.allFinite() && contact.owed.torque.allFinite();
  };
  if (!std::ranges::all_of(grid_->contact, is_finite)) return false;
  if (grid_->interior && !grid_->interior->restore(in)) return false;
  on_new_positions();
  return true;
}

template <int D>
Result<GridFluid<D>> GridFluid<D>::restore(const scene::Scene& scene,
                                           std::span<const std::byte> snapshot) {
  GridFluid fluid(scene, Start::to_restore);
  std::string problem = fluid.restore_from(snapshot);
  if (!problem.empty()) return Error{ErrorCode::invalid_snapshot, std::move(problem)};
  return fluid;
}

template class GridFluid<2>;
template class GridFluid<3>;

}  // namespace sluice::fluid::grid
