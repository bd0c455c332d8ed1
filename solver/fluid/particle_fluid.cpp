// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particle_fluid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/fluid/particles/crowding.h"
#include "solver/fluid/particles/particle_order.h"
#include "solver/fluid/particles/particle_snapshot.h"
#include "solver/fluid/particles/particle_state.h"
#include "solver/parallel/parallel_for.h"
#include "solver/scene/seeding.h"
#include "solver/simd/particle_lanes.h"

namespace sluice::fluid {

using namespace simd;

namespace {

constexpr std::int64_t particle_fluid_grain = 16384;  // Particles a chunk, for cheap loops.

// Gives those that are left after the rows `gone` their new rows, and adds what came in. Returns
// the former rows.
std::vector<std::uint32_t> renumber(std::span<const std::uint32_t> gone,
                                    std::span<const Birth> births, bool has_elastic, Rows& rows,
                                    Particles& particles) {
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
    particles.affine[first + n] = births[n].affine;
    particles.materials[first + n] = births[n].fluid;
    particles.rows[first + n] = next[births[n].fluid]++;
  }
  return std::move(change.former_rows);
}

std::vector<std::uint32_t> rows_of(std::span<const std::uint32_t> some,
                                   const Particles& particles) {
  std::vector<std::uint32_t> found;
  found.reserve(some.size());
  for (const std::uint32_t i : some)
    found.push_back(particles.rows[i]);
  std::ranges::sort(found);
  return found;
}

template <typename T>
void scatter_rows(std::span<const std::uint32_t> rows, std::span<const T> values,
                  std::span<T> out) {
  assert(values.size() == rows.size() && out.size() == rows.size());
  parallel::parallel_for(0, static_cast<std::int64_t>(rows.size()), particle_fluid_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto i = static_cast<std::size_t>(first);
                                i < static_cast<std::size_t>(last); ++i) {
                             out[rows[i]] = values[i];
                           }
                         });
}

std::vector<float> masses_of(const scene::Scene& scene) {
  std::vector<float> masses;
  masses.reserve(scene.fluids.size());
  for (const scene::Fluid& fluid : scene.fluids) {
    masses.push_back(static_cast<float>(fluid.density * scene::seed_steps(scene).prod()));
  }
  return masses;
}

std::vector<std::string> names_of(const scene::Scene& scene) {
  std::vector<std::string> names;
  names.reserve(scene.fluids.size());
  for (const scene::Fluid& fluid : scene.fluids)
    names.push_back(fluid.name);
  return names;
}

constexpr const char* does_not_fit = "fluid snapshot: what follows the particles does not fit them";

}  // namespace

Speed largest_speed(const Particles& particles) {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(particles.count), particle_fluid_grain, Speed{},
      [&](std::int64_t first, std::int64_t last) {
        constexpr int width = 8;
        Float8 largest{};
        Int8 is_wild{};
        for (std::int64_t i = first; i < last; i += width) {
          Float8 v[4];
          load_columns<width>(
              [&](int n) {
                return particles.velocities[static_cast<std::size_t>(std::min(i + n, last - 1))]
                    .data();
              },
              v);
          const Float8 squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
          is_wild |= ~(squared <= std::numeric_limits<float>::max());  // true for NaN
          largest = squared > largest ? squared : largest;
        }
        Speed speed;
        for (int n = 0; n < width; ++n) {
          speed.is_finite &= is_wild[n] == 0;
          speed.squared = std::max(speed.squared, largest[n]);
        }
        return speed;
      },
      [](const Speed& a, const Speed& b) {
        return Speed{std::max(a.squared, b.squared), a.is_finite && b.is_finite};
      });
}

ParticleFluid::State::State(const scene::Scene& scene, bool are_elastic)
    : frame(scene),
      boundary(scene, frame),
      max_particles(scene.grid.max_particles),
      names(names_of(scene)),
      mass(masses_of(scene)),
      rest_volume(scene::seed_steps(scene).prod()),
      has_elastic(are_elastic),
      emitters(scene),
      outlets(scene, frame) {}

ParticleFluid::ParticleFluid(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ParticleFluid::ParticleFluid(ParticleFluid&&) noexcept = default;
ParticleFluid& ParticleFluid::operator=(ParticleFluid&&) noexcept = default;
ParticleFluid::~ParticleFluid() = default;

void ParticleFluid::seed(const scene::Scene& scene,
                         const std::function<bool(const Vec3&)>& is_left_out) {
  assert(scene.fluids.size() <= 255);
  const scene::Seeds all_seeds(scene);
  std::vector<std::vector<Vec3>> seeds;
  std::vector<std::int64_t> counts;
  std::size_t count = 0;
  for (std::size_t fluid = 0; fluid < scene.fluids.size(); ++fluid) {
    seeds.push_back(all_seeds.positions(fluid, is_left_out));
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
  on_new_positions();
  state_->emitters.hold(particles);
  particles.targets = particles.positions;
}

std::vector<std::byte> ParticleFluid::save() const {
  ByteWriter out;
  save(out);
  return out.take();
}

void ParticleFluid::save(ByteWriter& out) const {
  write_snapshot(state_->rows, state_->emitters, state_->particles, out);
  save_rest(out);
}

bool ParticleFluid::restore(ByteReader& in) { return read(in).empty(); }

std::string ParticleFluid::restore_from(std::span<const std::byte> snapshot) {
  ByteReader in(snapshot);
  std::string problem = read(in);
  return problem.empty() && !in.is_at_end() ? does_not_fit : problem;
}

std::string ParticleFluid::read(ByteReader& in) {
  State& s = *state_;
  std::string problem =
      read_snapshot(in, s.mass.size(), s.has_elastic, s.rows, s.emitters, s.particles);
  if (!problem.empty()) return problem;
  s.particles.targets = s.particles.positions;
  if (!restore_rest(in)) return does_not_fit;
  s.emitters.hold(s.particles);
  return {};
}

std::string ParticleFluid::what_shortens_substeps() const {
  if (particle_count() == 0) return "an emitter lets fluid in too fast for its grid";
  const std::span<const Vec3f> all = velocities();
  const auto fastest = std::max_element(all.begin(), all.end(), [](const Vec3f& a, const Vec3f& b) {
    return a.squaredNorm() < b.squaredNorm();
  });
  return fmt::format(
      "\"{}\" moves at {:.3g} m/s, too fast for its grid; larger cells, a gentler push or, with "
      "FLUID_SOLVER_MPM, a lower sound_speed may help",
      name_of(fastest - all.begin()), fastest->cast<double>().norm());
}

Result<std::monostate> ParticleFluid::advance(const FluidActions& actions, StageTimer* timer) {
  advance_velocities(actions.duration, actions.gravity, actions.pushes, timer);
  const std::int64_t bad = first_not_finite();
  if (bad < 0) return std::monostate{};
  return Error{ErrorCode::solver_diverged,
               fmt::format("the motion of \"{}\" is no longer finite: the flow became too fast for "
                           "its grid; a smaller cfl_number, a gentler push or, with "
                           "FLUID_SOLVER_MPM, a larger sound_speed may help",
                           name_of(bad))};
}

void ParticleFluid::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  state_->boundary.set_obstacles(obstacles);
}

void ParticleFluid::move_by_contact(std::size_t i, const Vec3f& target, const Vec3f& change) {
  state_->particles.targets[i] = target;
  state_->particles.velocities[i] += change;
}

void ParticleFluid::commit() {
  State& s = *state_;
  if (s.frame.is_flat) {  // Pushes by people, and contact, may lead out of the plane.
    for (std::size_t i = 0; i < s.particles.count; ++i) {
      s.particles.targets[i].y() = s.frame.plane;
      s.particles.velocities[i].y() = 0;
    }
  }
  std::swap(s.particles.positions, s.particles.targets);
  if (s.has_exchange()) return;
  on_new_positions();
  s.emitters.hold(s.particles);
}

Exchange ParticleFluid::exchange(double time, const std::function<bool(const Vec3&)>& is_free) {
  State& s = *state_;
  if (!s.has_exchange()) return {};
  s.outlets.put_back(s.particles);
  std::vector<std::uint32_t> gone_rows;
  const auto take_out = [&](std::span<const std::uint32_t> gone) {
    const std::vector<std::uint32_t> rows = rows_of(gone, s.particles);
    gone_rows.insert(gone_rows.end(), rows.begin(), rows.end());
    if (!gone.empty()) follow(remove(gone, s.particles));
  };
  take_out(s.outlets.find_gone(time, s.particles));
  Exchange exchange;
  exchange.removed_count = static_cast<std::int64_t>(gone_rows.size());
  std::vector<std::uint32_t> settled;
  std::vector<Birth> births;
  settle(settled, births);
  take_out(settled);
  std::ranges::sort(gone_rows);
  exchange.settled_count =
      static_cast<std::int64_t>(births.size()) - static_cast<std::int64_t>(settled.size());
  const std::int64_t most = std::min(s.max_particles - particle_count(), s.rows.ids_left());
  std::vector<Birth> emitted;
  s.emitters.emit(s.duration, s.particles, s.boundary, is_free, most, emitted);
  s.emitters.open_and_shut(time);
  exchange.emitted_count = static_cast<std::int64_t>(emitted.size());
  births.insert(births.end(), emitted.begin(), emitted.end());
  if (!births.empty() || !gone_rows.empty())
    exchange.former_rows = renumber(gone_rows, births, s.has_elastic, s.rows, s.particles);
  on_new_positions();
  s.emitters.hold(s.particles);
  return exchange;
}

void ParticleFluid::settle(std::vector<std::uint32_t>& gone, std::vector<Birth>& births) {
  gone.clear();
  births.clear();
}

SumsWithoutParticles ParticleFluid::sums_without_particles() const { return {}; }

std::vector<EmitterReport> ParticleFluid::take_emitter_reports() {
  return state_->emitters.take_reports();
}

bool ParticleFluid::set_emitter(std::size_t fluid, std::string_view emitter, bool is_open,
                                const Vec3* velocity) {
  if (!state_->emitters.set(fluid, emitter, is_open, velocity)) return false;
  state_->emitters.hold(state_->particles);
  return true;
}

std::int64_t ParticleFluid::particle_count() const noexcept {
  return static_cast<std::int64_t>(state_->particles.count);
}
std::int64_t ParticleFluid::particle_count(std::size_t fluid) const noexcept {
  return state_->rows.count(fluid);
}
std::span<const Vec3f> ParticleFluid::positions() const noexcept {
  return {state_->particles.positions.data(), state_->particles.count};
}
std::span<Vec3f> ParticleFluid::targets() noexcept {
  return {state_->particles.targets.data(), state_->particles.count};
}
std::span<Vec3f> ParticleFluid::velocities() noexcept {
  return {state_->particles.velocities.data(), state_->particles.count};
}
std::span<const Vec3f> ParticleFluid::velocities() const noexcept {
  return {state_->particles.velocities.data(), state_->particles.count};
}
std::span<const std::uint32_t> ParticleFluid::ids(std::size_t fluid) const noexcept {
  return state_->rows.ids(fluid);
}
std::span<const std::uint32_t> ParticleFluid::rows() const noexcept {
  return state_->particles.rows;
}
std::span<const std::uint8_t> ParticleFluid::materials() const noexcept {
  return state_->particles.materials;
}
float ParticleFluid::mass(std::size_t material) const noexcept { return state_->mass[material]; }
const std::string& ParticleFluid::name_of(std::int64_t i) const noexcept {
  return state_->names[state_->particles.materials[static_cast<std::size_t>(i)]];
}
const Vec3f& ParticleFluid::lower() const noexcept { return state_->frame.reach_lower; }
const Vec3f& ParticleFluid::upper() const noexcept { return state_->frame.reach_upper; }

double ParticleFluid::lost_volume_part() const {
  const State& s = *state_;
  const std::vector<double> volumes(s.mass.size(), s.rest_volume);
  return crowded_part(s.frame, s.particles, volumes);
}

void ParticleFluid::gather_rows(std::span<const Vec3f> values, std::span<Vec3f> out) const {
  scatter_rows<Vec3f>(state_->particles.rows, values, out);
}
void ParticleFluid::gather_rows(std::span<const float> values, std::span<float> out) const {
  scatter_rows<float>(state_->particles.rows, values, out);
}

double ParticleFluid::kinetic_energy() const {
  const State& s = *state_;
  const double of_particles = sum_over(particle_count(), 0.0, [&](std::size_t i) {
    const double squared =
        s.particles.velocities[i].cast<double>().squaredNorm() + affine_square(i);
    return 0.5 * s.mass[s.particles.materials[i]] * squared;
  });
  return of_particles + sums_without_particles().kinetic_energy;
}

Vec3 ParticleFluid::momentum() const {
  const State& s = *state_;
  const Vec3 of_particles = sum_over(particle_count(), Vec3(Vec3::Zero()), [&](std::size_t i) {
    return Vec3(static_cast<double>(s.mass[s.particles.materials[i]]) *
                s.particles.velocities[i].cast<double>());
  });
  return of_particles + sums_without_particles().momentum;
}

double ParticleFluid::potential_energy(const Vec3& gravity) const {
  return strain_energy() - gravity.dot(mass_moment());
}

Vec3 ParticleFluid::mass_moment() const {
  const State& s = *state_;
  const Vec3 of_particles = sum_over(particle_count(), Vec3(Vec3::Zero()), [&](std::size_t i) {
    return Vec3(static_cast<double>(s.mass[s.particles.materials[i]]) *
                s.particles.positions[i].cast<double>());
  });
  return of_particles + sums_without_particles().mass_moment;
}

}  // namespace sluice::fluid
