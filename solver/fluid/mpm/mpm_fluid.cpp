// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/mpm_fluid.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/covered_emitters.h"
#include "solver/fluid/mpm/filled_volume.h"
#include "solver/fluid/mpm/flow_of_grid.h"
#include "solver/fluid/mpm/gaps.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/grid_sides.h"
#include "solver/fluid/mpm/hidden_nodes.h"
#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/node_boundary.h"
#include "solver/fluid/mpm/obstacle_nodes.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/reactions.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/fluid/particles/crowding.h"
#include "solver/fluid/particles/particle_order.h"
#include "solver/fluid/particles/particle_state.h"
#include "solver/fluid/particles/particles.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::fluid {

namespace {

// Cells that the fastest particle may have gone since particles were last put in order of their
// blocks. Beyond, memory accesses scatter too much (tests/bench/transfers_bench: 2 is in the flat
// part).
constexpr float reorder_distance = 2;

// Explicit diffusion in 3D is stable up to dx^2 / (6 nu) on the grid; APIC's transfers diffuse
// besides.
constexpr double viscous_safety = 0.5;

// The report of the gather that led to these particles.
GatherReport report_of(const Particles& particles, std::span<const Material> materials) {
  GatherReport report;
  for (std::size_t i = 0; i < particles.count; ++i) {
    if (!materials[particles.materials[i]].is_liquid()) continue;
    report.least_strain = std::min(report.least_strain, particles.affine[i].strain);
  }
  for (const Elastic& elastic : particles.elastic)
    report.wave_speed_squared = std::max(report.wave_speed_squared, elastic.wave_speed_squared);
  return report;
}

}  // namespace

struct MpmFluid::Mpm {
  explicit Mpm(const scene::Scene& scene)
      : wall(scene.grid.wall),
        kernel(scene.grid.kernel),
        cfl(scene.grid.cfl),
        materials(make_materials(scene)),
        is_mixed(has_mixed_liquids(scene)),
        obstacle_nodes(GridFrame(scene), scene.grid) {}

  [[nodiscard]] const Material& material_of(const Particles& particles, std::size_t i) const {
    return materials[particles.materials[i]];
  }

  scene::WallCondition wall;
  scene::Kernel kernel;
  double cfl;
  std::vector<Material> materials;
  bool is_mixed;
  // [m] that the fastest particle may have gone since the last reordering. Not in order at first.
  float displacement = std::numeric_limits<float>::infinity();
  ParticleBlocks blocks;
  Speed speed;
  GatherReport gathered;  // of the last advance_velocities; the strain also after a restore
  Reactions reactions;
  PressedCells pressed;
  Surfaces surfaces;
  HiddenNodes hidden_nodes;
  HeldNodes held;
  ObstacleNodes obstacle_nodes;
  Grid grid;
  FilledVolume filled;  // Where fluids are mixed.
  Gaps gaps;
};

MpmFluid::MpmFluid(const scene::Scene& scene, Start start)
    : ParticleFluid(std::make_unique<State>(scene, fluid::has_elastic(scene))),
      mpm_(std::make_unique<Mpm>(scene)) {
  if (start == Start::at_time_0) seed(scene);
}

MpmFluid::MpmFluid(MpmFluid&&) noexcept = default;
MpmFluid& MpmFluid::operator=(MpmFluid&&) noexcept = default;
MpmFluid::~MpmFluid() = default;

void MpmFluid::on_new_positions() {
  State& s = state();
  Mpm& m = *mpm_;
  assign_blocks(s.frame, m.kernel, s.particles.positions, s.particles.count, m.blocks);
  m.speed = largest_speed(s.particles);
  m.displacement += s.duration * std::sqrt(m.speed.squared);
  if (m.displacement > reorder_distance * s.frame.cell_size) {
    m.reactions.move(reorder(m.blocks, s.particles));
    m.displacement = 0;
  }
}

void MpmFluid::follow(std::span<const std::uint32_t> places) { mpm_->reactions.move(places); }

double MpmFluid::stable_substep(double obstacle_speed) const noexcept {
  const State& s = state();
  const Mpm& m = *mpm_;
  const double inflow = s.emitters.largest_speed();
  if (s.particles.count == 0 && inflow == 0) return std::numeric_limits<double>::infinity();
  if (!m.speed.is_finite) return std::numeric_limits<double>::quiet_NaN();
  const double dx = s.frame.cell_size;
  auto sound = std::sqrt(static_cast<double>(m.gathered.wave_speed_squared));
  double substep = std::numeric_limits<double>::infinity();
  for (const Material& material : m.materials) {
    sound = std::max(sound, static_cast<double>(sound_speed(material, m.gathered.least_strain)));
    if (material.viscosity > 0) {
      substep = std::min(
          substep, viscous_safety * dx * dx * material.rest_density / (6 * material.viscosity));
    }
  }
  const double flow =
      std::max({std::sqrt(static_cast<double>(m.speed.squared)), obstacle_speed, inflow});
  return std::min(substep, m.cfl * dx / (sound + flow));
}

void MpmFluid::set_surfaces(const Surfaces& surfaces) { mpm_->surfaces = surfaces; }

void MpmFluid::advance_velocities(double h, const Vec3& gravity, std::span<const Push> pushes,
                                  StageTimer* timer) {
  const auto finish = [timer](Stage stage) {
    if (timer != nullptr) timer->finish(stage);
  };
  State& s = state();
  Mpm& m = *mpm_;
  assert(h > 0);
  const Substep step{static_cast<float>(h),
                     gravity.cast<float>(),
                     pushes,
                     m.materials,
                     s.frame,
                     1 / s.frame.node_volume(),
                     m.pressed,
                     m.wall};
  s.duration = step.duration;
  m.reactions.add(step.duration, s.particles);
  m.grid.activate(s.frame, m.blocks.blocks);
  m.obstacle_nodes.find(s.boundary, m.grid);
  m.hidden_nodes.find(s.frame, m.kernel, s.particles.positions, m.surfaces, m.obstacle_nodes.thin(),
                      m.blocks, m.grid);
  m.obstacle_nodes.link(m.hidden_nodes, s.boundary, m.grid);
  finish(Stage::fluid_grid);
  particles_to_grid(step, m.kernel, s.particles, m.blocks, m.grid);
  finish(Stage::fluid_transfers);
  if (m.is_mixed)
    m.filled.find(s.frame, m.kernel, m.wall, m.materials, s.particles, m.blocks, m.grid);
  m.held.find(s.frame, m.kernel, m.materials, s.particles, m.blocks, m.grid);
  m.obstacle_nodes.find_pressing(m.materials, s.particles, m.blocks, m.grid);
  solve_nodes(step, s.boundary, m.held, m.obstacle_nodes, m.grid);
  m.reactions.mark_cells(s.frame, m.kernel, s.particles, m.pressed);
  finish(Stage::fluid_grid);
  if (m.is_mixed) m.filled.exchange(m.grid);
  m.obstacle_nodes.fill(m.materials.front().gathered_density, m.grid);
  m.gaps.narrow(s.frame, m.materials.front().gathered_density, m.obstacle_nodes.links(), m.grid);
  m.gathered = grid_to_particles(step, m.kernel, m.grid, m.blocks, s.particles);
  leave_obstacles(step.duration, s.boundary, m.blocks, s.particles);
  press_emitted(step, m.kernel, m.grid, s.emitters, s.particles);
  if (m.is_mixed) m.filled.exchange(m.grid);
  m.reactions.take_off(step.duration, s.boundary, s.particles);
  s.emitters.carry(step.duration, s.boundary, s.particles);
  finish(Stage::fluid_transfers);
}

Flow MpmFluid::flow_at(const Vec3& x) const {
  const State& s = state();
  const Mpm& m = *mpm_;
  const Vec3f place = x.cast<float>().cwiseMax(s.frame.lower).cwiseMin(s.frame.upper);
  return flow_of_grid(s.frame, m.kernel, m.grid, place);
}

std::int64_t MpmFluid::first_not_finite() const noexcept {
  const Particles& particles = state().particles;
  if (mpm_->gathered.is_finite) return -1;
  for (std::size_t i = 0; i < particles.count; ++i) {
    const Affine& affine = particles.affine[i];
    if (!particles.velocities[i].allFinite() ||
        !std::all_of(std::begin(affine.c), std::end(affine.c),
                     [](float c) { return std::isfinite(c); })) {
      return static_cast<std::int64_t>(i);
    }
  }
  return 0;  // Only a mass was not: of no particle more than of another.
}

void MpmFluid::move_by_contact(std::size_t i, const Vec3f& target, const Vec3f& change) {
  ParticleFluid::move_by_contact(i, target, change);
  mpm_->reactions.note(i, change);
}

void MpmFluid::commit() {
  State& s = state();
  Mpm& m = *mpm_;
  m.surfaces = {};
  m.reactions.expect_noted(s.duration, m.materials, s.frame, m.kernel, s.particles);
  ParticleFluid::commit();
}

std::vector<float> MpmFluid::volume_ratios() const {
  std::vector<float> ratios;
  ratios.reserve(state().particles.count);
  for (const Affine& affine : state().particles.affine)
    ratios.push_back(1 + affine.strain);
  return ratios;
}

std::vector<float> MpmFluid::pressures() const {
  const Particles& particles = state().particles;
  std::vector<float> pressures(particles.count);
  for (std::size_t i = 0; i < particles.count; ++i) {
    pressures[i] = pressure_of(mpm_->materials, particles, i);
  }
  return pressures;
}

std::vector<float> MpmFluid::densities() const {
  const Particles& particles = state().particles;
  std::vector<float> densities(particles.count);
  for (std::size_t i = 0; i < particles.count; ++i) {
    densities[i] = mpm_->material_of(particles, i).rest_density / (1 + particles.affine[i].strain);
  }
  return densities;
}

double MpmFluid::affine_square(std::size_t i) const noexcept {
  // Over a particle's kernel, the velocity field v + C (x - x_p) has the energy
  // m/2 (|v|^2 + |C|^2 / D_inv).
  const double dx = state().frame.cell_size;
  double sum = 0;
  for (const float c : state().particles.affine[i].c)
    sum += static_cast<double>(c) * static_cast<double>(c);
  return dx * dx / (mpm_->kernel == scene::Kernel::quadratic ? 4.0 : 3.0) * sum;
}

double MpmFluid::strain_energy() const {
  const Particles& particles = state().particles;
  return sum_over(particle_count(), 0.0, [&](std::size_t i) {
    const Material& material = mpm_->material_of(particles, i);
    const double compression = fluid::compression_energy(material, particles.affine[i].strain);
    if (particles.elastic.empty()) return compression;
    return compression + elastic_energy(material, particles.elastic[i]);
  });
}

double MpmFluid::lost_volume_part() const {
  std::vector<double> volumes;
  for (const Material& material : mpm_->materials)
    volumes.push_back(material.is_liquid() ? static_cast<double>(material.rest_volume) : 0);
  return crowded_part(state().frame, state().particles, volumes);
}

void MpmFluid::save_rest(ByteWriter& out) const {
  out.put(mpm_->displacement);
  out.put_array(std::span<const Reaction>(mpm_->reactions.expected()));
  out.put_array(std::span<const ObstacleNodes::Force>(mpm_->obstacle_nodes.forces()));
}

bool MpmFluid::restore_rest(ByteReader& in) {
  const Particles& particles = state().particles;
  float displacement = 0;
  std::uint64_t reaction_count = 0;
  if (!in.get(displacement) || !in.get(reaction_count) || reaction_count > particles.count)
    return false;
  std::vector<Reaction> reactions(static_cast<std::size_t>(reaction_count));
  if (!in.get_elements(std::span(reactions))) return false;
  std::uint64_t force_count = 0;
  if (!in.get(force_count) || force_count > in.left() / sizeof(ObstacleNodes::Force)) return false;
  std::vector<ObstacleNodes::Force> forces(static_cast<std::size_t>(force_count));
  if (!in.get_elements(std::span(forces))) return false;
  mpm_->obstacle_nodes.restore(std::move(forces));
  const bool are_of_particles = std::ranges::all_of(
      reactions, [&](const Reaction& reaction) { return reaction.particle < particles.count; });
  if (!are_of_particles) return false;
  mpm_->reactions.restore(std::move(reactions));
  mpm_->gathered = report_of(particles, mpm_->materials);
  mpm_->displacement = 0;  // Particles were in order when they were saved.
  on_new_positions();
  mpm_->displacement = displacement;
  return true;
}

Result<MpmFluid> MpmFluid::restore(const scene::Scene& scene, std::span<const std::byte> snapshot) {
  MpmFluid fluid(scene, Start::to_restore);
  std::string problem = fluid.restore_from(snapshot);
  if (!problem.empty()) return Error{ErrorCode::invalid_snapshot, std::move(problem)};
  return fluid;
}

}  // namespace sluice::fluid
