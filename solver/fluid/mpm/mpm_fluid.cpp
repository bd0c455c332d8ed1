// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/mpm_fluid.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "solver/fluid/mpm/boundary.h"
#include "solver/fluid/mpm/emitters.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/grid_frame.h"
#include "solver/fluid/mpm/hidden_nodes.h"
#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/outlets.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/particle_order.h"
#include "solver/fluid/mpm/particles.h"
#include "solver/fluid/mpm/reactions.h"
#include "solver/fluid/mpm/rows.h"
#include "solver/fluid/mpm/snapshot.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"
#include "solver/scene/seeding.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t grain = 16384;  // Particles a chunk, for cheap loops.

// Cells that the fastest particle may have gone since particles were last put in order of their
// blocks. Beyond, memory accesses scatter too much (tests/bench/transfers_bench: 2 is in the flat
// part).
constexpr float reorder_distance = 2;

// Explicit diffusion in 3D is stable up to dx^2 / (6 nu) on the grid; APIC's transfers diffuse
// besides.
constexpr double viscous_safety = 0.5;

struct Speed {
  float squared = 0;  // [m^2/s^2] largest
  bool is_finite = true;
};

Speed largest_speed(const Particles& particles) {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(particles.count), grain, Speed{},
      [&](std::int64_t first, std::int64_t last) {
        Speed speed;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const float squared = particles.velocities[i].squaredNorm();
          speed.is_finite &= squared <= std::numeric_limits<float>::max();  // false for NaN
          speed.squared = std::max(speed.squared, squared);
        }
        return speed;
      },
      [](const Speed& a, const Speed& b) {
        return Speed{std::max(a.squared, b.squared), a.is_finite && b.is_finite};
      });
}

// What the gather that led to these particles reported.
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

template <scene::Kernel kernel>
Flow sample(const GridFrame& frame, const Grid& grid, const Vec3f& x) {
  using Spline = BSpline<kernel>;
  const Float4 X = frame.from_world(Float4{x[0], x[1], x[2], 0});
  const Int4 base = frame.template base<Spline>(X);
  const auto weights = weights_around<Spline>(X, base);
  Vec3 momentum = Vec3::Zero();
  double mass = 0;
  for (int i = 0; i < Spline::support; ++i) {
    for (int j = 0; j < Spline::support; ++j) {
      for (int k = 0; k < Spline::support; ++k) {
        const NodeBlock* nodes = grid.find(frame.block_key(base + Int4{i, j, k, 0}));
        if (nodes == nullptr) continue;
        const auto within = [&](int axis, int step) {
          return static_cast<std::size_t>((base[axis] + step) % block_edge);
        };
        const Float4& node =
            (*nodes)[(within(0, i) * block_edge + within(1, j)) * block_edge + within(2, k)];
        const double part =
            static_cast<double>(weights.w[i][0] * weights.w[j][1] * weights.w[k][2] * node[3]);
        mass += part;
        momentum += part * Vec3(node[0], node[1], node[2]);
      }
    }
  }
  if (!(mass > 0)) return {};
  return {momentum / mass, mass / std::pow(static_cast<double>(frame.cell_size), 3)};
}

}  // namespace

struct MpmFluid::State {
  explicit State(const scene::Scene& scene)
      : frame(scene),
        boundary(scene, frame),
        wall(scene.grid.wall),
        kernel(scene.grid.kernel),
        cfl(scene.grid.cfl),
        max_particles(scene.grid.max_particles),
        materials(make_materials(scene)),
        has_elastic(fluid::has_elastic(scene)),
        emitters(scene),
        outlets(scene, frame) {}

  [[nodiscard]] bool has_exchange() const { return !emitters.empty() || !outlets.empty(); }

  void on_new_positions() {
    assign_blocks(frame, kernel, particles.positions, particles.count, blocks);
    speed = largest_speed(particles);
    displacement += duration * std::sqrt(speed.squared);
    if (displacement > reorder_distance * frame.cell_size) {
      reactions.move(reorder(blocks, particles));
      displacement = 0;
    }
    emitters.hold(particles);
  }

  // Gives those that are left after the rows `gone` their new rows, and adds what came in. Returns
  // the former rows.
  std::vector<std::uint32_t> renumber(std::span<const std::uint32_t> gone,
                                      std::span<const Birth> births) {
    std::vector<std::int64_t> born(rows.fluid_count(), 0);
    for (const Birth& birth : births)
      ++born[birth.fluid];
    Rows::Change change = rows.change(gone, born);
    for (std::uint32_t& row : particles.rows)
      row = change.rows_of_former[row];
    // The new ones are the last rows of their fluids.
    std::vector<std::uint32_t> next(born.size());
    std::int64_t end = 0;
    for (std::size_t fluid = 0; fluid < born.size(); ++fluid) {
      end += rows.count(fluid);
      next[fluid] = static_cast<std::uint32_t>(end - born[fluid]);
    }
    const std::size_t first = particles.count;
    particles.resize(first + births.size(), has_elastic);
    for (std::size_t n = 0; n < births.size(); ++n) {
      particles.positions[first + n] = births[n].position;
      particles.velocities[first + n] = births[n].velocity;
      particles.materials[first + n] = births[n].fluid;
      particles.rows[first + n] = next[births[n].fluid]++;
    }
    return std::move(change.former_rows);
  }

  [[nodiscard]] std::vector<std::uint32_t> rows_of(std::span<const std::uint32_t> some) const {
    std::vector<std::uint32_t> found;
    found.reserve(some.size());
    for (const std::uint32_t i : some)
      found.push_back(particles.rows[i]);
    std::ranges::sort(found);
    return found;
  }

  [[nodiscard]] const Material& material_of(std::size_t particle) const {
    return materials[particles.materials[particle]];
  }

  GridFrame frame;
  Boundary boundary;
  scene::WallCondition wall;
  scene::Kernel kernel;
  double cfl;
  std::int64_t max_particles;
  std::vector<Material> materials;
  bool has_elastic;
  Emitters emitters;
  Outlets outlets;
  Rows rows;
  Particles particles;
  float displacement = 0;  // [m] that the fastest particle may have gone since the last reordering
  ParticleBlocks blocks;
  Speed speed;
  GatherReport gathered;  // of the last advance_velocities; the strain also after a restore
  float duration = 0;     // [s] of the last advance_velocities
  Reactions reactions;
  PressedCells pressed;
  Surfaces surfaces;
  HiddenNodes hidden_nodes;
  Grid grid;
};

MpmFluid::MpmFluid(const scene::Scene& scene) : state_(std::make_unique<State>(scene)) {
  assert(scene.fluids.size() <= 255);
  std::vector<std::vector<Vec3>> seeds;
  std::vector<std::int64_t> counts;
  std::size_t count = 0;
  for (std::size_t fluid = 0; fluid < scene.fluids.size(); ++fluid) {
    seeds.push_back(scene::seed_positions(scene, fluid));
    counts.push_back(static_cast<std::int64_t>(seeds.back().size()));
    count += seeds.back().size();
  }
  assert(count < (std::size_t{1} << 31));
  state_->rows = Rows(counts);
  Particles& particles = state_->particles;
  particles.resize(count, state_->has_elastic);
  std::uint32_t i = 0;
  for (std::size_t fluid = 0; fluid < seeds.size(); ++fluid) {
    for (const Vec3& seed : seeds[fluid]) {
      particles.positions[i] = seed.cast<float>();
      particles.velocities[i] = scene.fluids[fluid].velocity.cast<float>();
      particles.rows[i] = i;
      particles.materials[i] = static_cast<std::uint8_t>(fluid);
      ++i;
    }
  }
  seeds.clear();
  seeds.shrink_to_fit();
  state_->displacement = std::numeric_limits<float>::infinity();  // Not in order yet.
  state_->on_new_positions();
  particles.targets = particles.positions;
}

MpmFluid::MpmFluid(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
MpmFluid::MpmFluid(MpmFluid&&) noexcept = default;
MpmFluid& MpmFluid::operator=(MpmFluid&&) noexcept = default;
MpmFluid::~MpmFluid() = default;

double MpmFluid::stable_substep(double obstacle_speed) const noexcept {
  const State& s = *state_;
  const double inflow = s.emitters.largest_speed();
  if (s.particles.count == 0 && inflow == 0) return std::numeric_limits<double>::infinity();
  if (!s.speed.is_finite) return std::numeric_limits<double>::quiet_NaN();
  const double dx = s.frame.cell_size;
  auto sound = std::sqrt(static_cast<double>(s.gathered.wave_speed_squared));
  double substep = std::numeric_limits<double>::infinity();
  for (const Material& material : s.materials) {
    sound = std::max(sound, static_cast<double>(sound_speed(material, s.gathered.least_strain)));
    if (material.viscosity > 0) {
      substep = std::min(
          substep, viscous_safety * dx * dx * material.rest_density / (6 * material.viscosity));
    }
  }
  const double flow =
      std::max({std::sqrt(static_cast<double>(s.speed.squared)), obstacle_speed, inflow});
  return std::min(substep, s.cfl * dx / (sound + flow));
}

void MpmFluid::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  state_->boundary.set_obstacles(obstacles);
}

void MpmFluid::set_surfaces(const Surfaces& surfaces) { state_->surfaces = surfaces; }

void MpmFluid::advance_velocities(double h, const Vec3& gravity, std::span<const Push> pushes,
                                  StageTimer* timer) {
  const auto finish = [timer](Stage stage) {
    if (timer != nullptr) timer->finish(stage);
  };
  State& s = *state_;
  assert(h > 0);
  const Substep step{static_cast<float>(h),
                     gravity.cast<float>(),
                     pushes,
                     s.materials,
                     s.frame,
                     1 / (s.frame.cell_size * s.frame.cell_size * s.frame.cell_size),
                     s.pressed,
                     s.wall};
  s.duration = step.duration;
  s.grid.activate(s.frame, s.blocks.blocks);
  s.hidden_nodes.find(s.frame, s.kernel, s.particles.positions, s.surfaces, s.blocks, s.grid);
  finish(Stage::fluid_grid);
  s.reactions.add(step.duration, s.particles);
  particles_to_grid(step, s.kernel, s.particles, s.blocks, s.grid);
  finish(Stage::fluid_transfers);
  s.boundary.solve_nodes(s.grid);
  s.reactions.mark_cells(s.frame, s.kernel, s.particles, s.pressed);
  finish(Stage::fluid_grid);
  s.gathered = grid_to_particles(step, s.kernel, s.boundary, s.grid, s.blocks, s.particles);
  s.reactions.take_off(step, s.boundary, s.particles);
  s.emitters.carry(step, s.boundary, s.particles);
  finish(Stage::fluid_transfers);
}

Flow MpmFluid::flow_at(const Vec3& x) const {
  const State& s = *state_;
  const Vec3f place = x.cast<float>().cwiseMax(s.frame.lower).cwiseMin(s.frame.upper);
  return s.kernel == scene::Kernel::quadratic
             ? sample<scene::Kernel::quadratic>(s.frame, s.grid, place)
             : sample<scene::Kernel::cubic>(s.frame, s.grid, place);
}

std::int64_t MpmFluid::first_not_finite() const noexcept {
  const Particles& particles = state_->particles;
  if (state_->gathered.is_finite) return -1;
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
  Particles& particles = state_->particles;
  particles.targets[i] = target;
  particles.velocities[i] += change;
  state_->reactions.note(i, change);
}

void MpmFluid::commit() {
  State& s = *state_;
  s.surfaces = {};
  s.reactions.expect_noted(s.duration, s.materials, s.frame, s.kernel, s.particles);
  std::swap(s.particles.positions, s.particles.targets);
  if (!s.has_exchange()) s.on_new_positions();
}

Exchange MpmFluid::exchange(double time, const std::function<bool(const Vec3&)>& is_free) {
  State& s = *state_;
  if (!s.has_exchange()) return {};
  s.outlets.put_back(s.particles);
  const std::span<const std::uint32_t> gone = s.outlets.find_gone(time, s.particles);
  const std::vector<std::uint32_t> gone_rows = s.rows_of(gone);
  if (!gone.empty()) s.reactions.move(remove(gone, s.particles));
  const std::int64_t most = std::min(s.max_particles - particle_count(), s.rows.ids_left());
  std::vector<Birth> births;
  s.emitters.emit(s.duration, s.particles, s.boundary, is_free, most, births);
  s.emitters.open_and_shut(time);
  Exchange exchange{
      static_cast<std::int64_t>(births.size()), static_cast<std::int64_t>(gone.size()), {}};
  if (!births.empty() || !gone.empty()) exchange.former_rows = s.renumber(gone_rows, births);
  s.on_new_positions();
  return exchange;
}

bool MpmFluid::set_emitter(std::size_t fluid, std::string_view emitter, bool is_open,
                           const Vec3* velocity) {
  if (!state_->emitters.set(fluid, emitter, is_open, velocity)) return false;
  state_->emitters.hold(state_->particles);
  return true;
}

std::int64_t MpmFluid::particle_count() const noexcept {
  return static_cast<std::int64_t>(state_->particles.count);
}
std::int64_t MpmFluid::particle_count(std::size_t fluid) const noexcept {
  return state_->rows.count(fluid);
}
std::span<const Vec3f> MpmFluid::positions() const noexcept {
  return {state_->particles.positions.data(), state_->particles.count};
}
std::span<Vec3f> MpmFluid::targets() noexcept {
  return {state_->particles.targets.data(), state_->particles.count};
}
std::span<Vec3f> MpmFluid::velocities() noexcept {
  return {state_->particles.velocities.data(), state_->particles.count};
}
std::span<const Vec3f> MpmFluid::velocities() const noexcept {
  return {state_->particles.velocities.data(), state_->particles.count};
}
std::span<const std::uint32_t> MpmFluid::ids(std::size_t fluid) const noexcept {
  return state_->rows.ids(fluid);
}
std::span<const std::uint32_t> MpmFluid::rows() const noexcept { return state_->particles.rows; }
std::span<const std::uint8_t> MpmFluid::materials() const noexcept {
  return state_->particles.materials;
}
float MpmFluid::mass(std::size_t material) const noexcept {
  return state_->materials[material].mass;
}
const Vec3f& MpmFluid::lower() const noexcept { return state_->frame.reach_lower; }
const Vec3f& MpmFluid::upper() const noexcept { return state_->frame.reach_upper; }

std::vector<float> MpmFluid::volume_ratios() const {
  std::vector<float> ratios;
  ratios.reserve(state_->particles.count);
  for (const Affine& affine : state_->particles.affine)
    ratios.push_back(1 + affine.strain);
  return ratios;
}

std::vector<float> MpmFluid::pressures() const {
  const Particles& particles = state_->particles;
  std::vector<float> pressures(particles.count);
  for (std::size_t i = 0; i < particles.count; ++i) {
    pressures[i] = pressure_of(state_->materials, particles, i);
  }
  return pressures;
}

std::vector<float> MpmFluid::densities() const {
  const Particles& particles = state_->particles;
  std::vector<float> densities(particles.count);
  for (std::size_t i = 0; i < particles.count; ++i) {
    densities[i] = state_->material_of(i).rest_density / (1 + particles.affine[i].strain);
  }
  return densities;
}

namespace {

template <typename T>
void scatter_rows(std::span<const std::uint32_t> rows, std::span<const T> values,
                  std::span<T> out) {
  assert(values.size() == rows.size() && out.size() == rows.size());
  parallel::parallel_for(
      0, static_cast<std::int64_t>(rows.size()), grain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          out[rows[i]] = values[i];
        }
      });
}

}  // namespace

void MpmFluid::gather_rows(std::span<const Vec3f> values, std::span<Vec3f> out) const {
  scatter_rows<Vec3f>(state_->particles.rows, values, out);
}
void MpmFluid::gather_rows(std::span<const float> values, std::span<float> out) const {
  scatter_rows<float>(state_->particles.rows, values, out);
}

namespace {

// Sums term(i) over the particles: 0 <= i < count.
template <typename T, typename Term>
T sum_over(std::int64_t count, const T& zero, const Term& term) {
  return parallel::parallel_reduce(
      0, count, grain, zero,
      [&](std::int64_t first, std::int64_t last) {
        T sum = zero;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
          sum += term(i);
        return sum;
      },
      [](const T& a, const T& b) { return T(a + b); });
}

}  // namespace

double MpmFluid::kinetic_energy() const {
  const State& s = *state_;
  // Of the velocity field v + C (x - x_p) over the particle's kernel: m/2 (|v|^2 + |C|^2 / D_inv).
  const double D =
      s.frame.cell_size * s.frame.cell_size / (s.kernel == scene::Kernel::quadratic ? 4.0 : 3.0);
  return sum_over(particle_count(), 0.0, [&](std::size_t i) {
    double squared = s.particles.velocities[i].cast<double>().squaredNorm();
    for (const float c : s.particles.affine[i].c)
      squared += D * c * c;
    return 0.5 * s.material_of(i).mass * squared;
  });
}

Vec3 MpmFluid::momentum() const {
  const State& s = *state_;
  return sum_over(particle_count(), Vec3(Vec3::Zero()), [&](std::size_t i) {
    return Vec3(static_cast<double>(s.material_of(i).mass) *
                s.particles.velocities[i].cast<double>());
  });
}

Vec3 MpmFluid::mass_moment() const {
  const State& s = *state_;
  return sum_over(particle_count(), Vec3(Vec3::Zero()), [&](std::size_t i) {
    return Vec3(static_cast<double>(s.material_of(i).mass) *
                s.particles.positions[i].cast<double>());
  });
}

double MpmFluid::strain_energy() const {
  const State& s = *state_;
  return sum_over(particle_count(), 0.0, [&](std::size_t i) {
    const double compression =
        fluid::compression_energy(s.material_of(i), s.particles.affine[i].strain);
    if (s.particles.elastic.empty()) return compression;
    return compression + elastic_energy(s.material_of(i), s.particles.elastic[i]);
  });
}

std::vector<std::byte> MpmFluid::save() const {
  const State& s = *state_;
  return write_snapshot({s.rows, s.displacement, s.reactions.expected(), s.emitters}, s.particles);
}

Result<MpmFluid> MpmFluid::restore(const scene::Scene& scene, std::span<const std::byte> snapshot) {
  auto state = std::make_unique<State>(scene);
  SnapshotHead head{{}, 0, {}, state->emitters};
  std::string problem =
      read_snapshot(snapshot, scene.fluids.size(), state->has_elastic, head, state->particles);
  if (!problem.empty()) return Error{ErrorCode::invalid_snapshot, std::move(problem)};
  state->rows = std::move(head.rows);
  state->emitters = std::move(head.emitters);
  state->reactions.restore(std::move(head.reactions));
  state->particles.targets = state->particles.positions;
  state->gathered = report_of(state->particles, state->materials);
  state->on_new_positions();
  state->displacement = head.displacement;
  return MpmFluid(std::move(state));
}

}  // namespace sluice::fluid
