// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/fluid/abilities.h"
#include "solver/scene/capabilities.h"
#include "solver/simulation/fingerprint.h"

namespace sluice::simulation {

namespace {

// A frame that needs more substeps will not end in a person's time: the flow has run away.
constexpr std::int64_t most_substeps = 200'000;

// A substep that fails is tried again at half its length, and again, this often.
constexpr int most_halvings = 6;

Vec3 period_of(const scene::Scene& scene) {
  Vec3 period = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    if (scene.grid.sides[static_cast<std::size_t>(axis)][0] == scene::Side::periodic)
      period[axis] = scene.domain_upper[axis] - scene.domain_lower[axis];
  }
  return period;
}

// The box that no particle and no vertex leaves: the domain, without the sides that fluid goes
// through.
Eigen::AlignedBox3d closed_box_of(const scene::Scene& scene) {
  Eigen::AlignedBox3d box(scene.domain_lower, scene.domain_upper);
  for (int axis = 0; axis < 3; ++axis) {
    const auto& sides = scene.grid.sides[static_cast<std::size_t>(axis)];
    const double beyond = std::numeric_limits<double>::infinity();
    if (sides[0] != scene::Side::wall) box.min()[axis] = -beyond;
    if (sides[1] != scene::Side::wall) box.max()[axis] = beyond;
  }
  return box;
}

}  // namespace

Runner::Runner(const scene::Scene& scene, const SimulationOptions& options)
    : scene_(scene),
      observer_(options.observer),
      threads_(options.thread_count),
      timer_(options.clock),
      fingerprint_(fingerprint(scene)),
      solids_(solid::make_deformable_system(scene)),
      fluid_(fluid::make_fluid(scene)),
      coupling_(coupling::make_method(scene, solids_)),
      steering_(scene.gravity),
      obstacles_(scene),
      free_places_(scene),
      period_(period_of(scene)),
      closed_box_(closed_box_of(scene)),
      frame_(scene, solids_, fluid_.get()),
      checks_(scene_),
      gravity_before_(scene.gravity) {
  if (fluid_) {
    coupling_->place_solids(solids_, *fluid_);
    frame_.update(solids_, fluid_.get(), contact_forces_);
  }
  FrameStatistics at_start;
  threads_.run([&] { add_totals(at_start); });
  checks_.begin(at_start);
  if (!scene.output.has(Field::contact_force)) return;
  contact_forces_.vertices.assign(solids_.positions.size(), 0);
  if (particles() != nullptr)
    contact_forces_.particles.assign(static_cast<std::size_t>(particles()->particle_count()), 0);
}

double Runner::time() const { return static_cast<double>(frame_index_) / scene_.frame_rate; }

Result<std::monostate> Runner::steer(const SteerCommand& command) {
  return steering_.take(command,
                        {solids_, obstacles_, scene_.fluids, particles(),
                         scene_.gas ? &*scene_.gas : nullptr, scene_.grid.dimensions == 2});
}

Result<FrameStatistics> Runner::advance_frame() {
  Result<FrameStatistics> result = FrameStatistics{};
  threads_.run([&] {
    timer_.restart();
    keep_state(frame_start_);
    timer_.finish(Stage::output);
    result = march();
    if (!result) take_back(frame_start_);
    frame_.update(solids_, fluid_.get(), contact_forces_);
    timer_.finish(Stage::output);
    if (result) result.value().stage_seconds = timer_.seconds();
  });
  return result;
}

double Runner::longest_substep() const {
  double h = std::min(scene_.coupling.max_substep, coupling_->longest_substep(solids_));
  h = std::min(h, obstacles_.longest_substep());
  if (fluid_) h = std::min(h, fluid_->stable_substep(obstacles_.largest_speed()));
  return h;
}

std::string Runner::what_shortens_substeps() const {
  if (obstacles_.longest_substep() <= longest_substep()) {
    return fmt::format(
        "an obstacle moves at {:.3g} m/s, far for its size; a lower velocity may help",
        obstacles_.largest_speed());
  }
  // Also if it is no number.
  if (fluid_ && !(fluid_->stable_substep(obstacles_.largest_speed()) > longest_substep()))
    return fluid_->what_shortens_substeps();
  if (coupling_->longest_substep(solids_) <= longest_substep()) {
    return coupling_->what_shortens_substeps(solids_);
  }
  return fmt::format("timing.max_substep_seconds is {} s; a larger one may help",
                     scene_.coupling.max_substep);
}

void Runner::begin_march() {
  solid::apply_pin_velocities(solids_);
  coupling_->begin_frame();
}

Result<FrameStatistics> Runner::march() {
  FrameStatistics statistics;
  const std::int64_t particle_count_before =
      particles() != nullptr ? particles()->particle_count() : 0;
  statistics.smallest_gap = std::numeric_limits<double>::infinity();
  const double start = time();
  const double end = static_cast<double>(frame_index_ + 1) / scene_.frame_rate;
  const std::string where = fmt::format("frame {}: ", frame_index_ + 1);
  double now = start;
  begin_march();
  int halvings = 0;
  double longest = std::numeric_limits<double>::infinity();  // By those.
  for (bool is_second_half = false; now < end;) {
    // The rest of the frame is divided into as many equal substeps as it needs; the last one ends
    // on the frame's time itself.
    const double needed = std::ceil((end - now) / std::min(longest_substep(), longest));
    if (!(needed <= static_cast<double>(most_substeps - statistics.substep_count))) {
      return Error{ErrorCode::solver_diverged,
                   where + fmt::format("needs more than {} substeps: {}", most_substeps,
                                       what_shortens_substeps())};
    }
    const double next = needed <= 1 ? end : now + (end - now) / needed;
    const bool is_first = statistics.substep_count == 0;
    if (coupling_->is_worth_halving() && !is_first) {
      keep_state(substep_start_);
      timer_.finish(Stage::output);
    }
    const auto report = substep(next - now, next, needed <= 1);
    if (!report) {
      if (!coupling_->is_worth_halving() || halvings == most_halvings) {
        return Error{report.error().code,
                     where + report.error().message +
                         (halvings > 0 ? fmt::format(", even at {:.3g} s", next - now) : "") +
                         (scene::is_weakly_coupled(scene_)
                              ? "; COUPLING_METHOD_WEAK is unstable where fluid weighs much more "
                                "than solids: another coupling.method may help"
                              : "")};
      }
      take_back(is_first ? frame_start_ : substep_start_);
      if (is_first) {
        begin_march();
      } else {
        coupling_->begin_frame();  // Forces that may be what failed.
      }
      ++halvings;
      longest = 0.5 * (next - now);
      is_second_half = false;
      continue;
    }
    if (halvings > 0) {
      if (is_second_half && --halvings == 0) {
        longest = std::numeric_limits<double>::infinity();
      } else if (is_second_half) {
        longest *= 2;
      }
      is_second_half = !is_second_half;
    }
    ++statistics.substep_count;
    statistics.iteration_count += report.value().iteration_count;
    statistics.residual = coupling::larger_or_nan(statistics.residual, report.value().residual);
    statistics.smallest_gap = std::min(statistics.smallest_gap, report.value().smallest_gap);
    statistics.contact_count = report.value().contact_count;
    statistics.stopped_count += report.value().stopped_count;
    statistics.filter_impulse += report.value().filter_impulse;
    if (fluid_) {
      const fluid::PressureReport pressure = fluid_->pressure_report();
      statistics.pressure_iteration_count += pressure.iterations;
      statistics.pressure_residual =
          coupling::larger_or_nan(statistics.pressure_residual, pressure.residual);
    }
    now = next;
    exchange(now, statistics);
  }
  ++frame_index_;
  if (std::exchange(have_rows_changed_, false)) ++epoch_;
  add_totals(statistics);
  add_warnings(particle_count_before, statistics);
  steering_.finish_frame();
  return statistics;
}

Result<coupling::SubstepReport> Runner::substep(double h, double time_t1, bool is_last) {
  if (observer_ != nullptr) {
    observed_vertices_t0_ = solids_.positions;
    if (particles() != nullptr) {
      observed_particles_t0_.resize(static_cast<std::size_t>(particles()->particle_count()));
      observed_particles_t1_.resize(observed_particles_t0_.size());
      particles()->gather_rows(particles()->positions(), observed_particles_t0_);
    }
  }
  obstacles_.advance(h);
  const coupling::ExternalActions actions{steering_.gravity(), steering_.anchors(),
                                          steering_.pushes(), obstacles_.current(), time_t1 - h};
  if (auto* const painted = fluid::as<fluid::TakesStrokes>(fluid_.get()))
    painted->set_strokes(steering_.strokes(), 1 / scene_.frame_rate);
  const bool has_forces = is_last && scene_.output.has(Field::contact_force);
  auto report = coupling_->step(h, actions, solids_, fluid_.get(),
                                {has_forces ? &contact_forces_ : nullptr, &timer_});
  if (report && observer_ != nullptr) {
    if (particles() != nullptr)
      particles()->gather_rows(particles()->positions(), observed_particles_t1_);
    observer_->on_substep({time_t1, h, observed_particles_t0_, observed_particles_t1_,
                           observed_vertices_t0_, solids_.positions, solids_.triangles,
                           former_rows_, period_, obstacles_.current(), closed_box_.min(),
                           closed_box_.max(), scene_.coupling.contact_distance});
    former_rows_.clear();
  }
  return report;
}

void Runner::exchange(double time, FrameStatistics& statistics) {
  if (particles() == nullptr) return;
  bool are_solids_set = false;
  fluid::Exchange exchanged = particles()->exchange(time, [&](const Vec3& x) {
    if (!are_solids_set) free_places_.set_solids(solids_);
    are_solids_set = true;
    return free_places_.has(x);
  });
  statistics.emitted_count += exchanged.emitted_count;
  statistics.removed_count += exchanged.removed_count;
  statistics.settled_count += exchanged.settled_count;
  timer_.finish(Stage::fluid_sorting);
  if (exchanged.former_rows.empty() && exchanged.removed_count == 0) return;
  have_rows_changed_ = true;
  coupling_->renumber_particles(exchanged.former_rows);
  if (scene_.output.has(Field::contact_force)) {
    std::vector<float>& forces = contact_forces_.particles;
    std::vector<float> before(exchanged.former_rows.size(), 0);
    before.swap(forces);
    for (std::size_t row = 0; row < forces.size(); ++row) {
      const std::uint32_t former = exchanged.former_rows[row];
      if (former != no_row) forces[row] = before[former];
    }
  }
  former_rows_ = std::move(exchanged.former_rows);
}

void Runner::add_totals(FrameStatistics& statistics) const {
  const Vec3& gravity = steering_.gravity();
  statistics.potential_energy = solid::elastic_energy(solids_);
  for (std::size_t i = 0; i < solids_.positions.size(); ++i) {
    const auto& body = solids_.bodies[static_cast<std::size_t>(solids_.body_of_vertex[i])];
    if (body.rigid_body >= 0) break;  // The last of them.
    statistics.kinetic_energy += 0.5 * solids_.mass[i] * solids_.velocities[i].squaredNorm();
    statistics.momentum += solids_.mass[i] * solids_.velocities[i];
    if (solids_.is_held[i] == 0) {
      statistics.potential_energy -=
          body.gravity_scale * solids_.mass[i] * gravity.dot(solids_.positions[i]);
    }
  }
  for (const solid::RigidMember& member : solids_.rigid_bodies) {
    if (member.script) continue;
    const auto& body = solids_.bodies[static_cast<std::size_t>(member.body)];
    const double mass = member.inertia.mass;
    statistics.kinetic_energy += solid::kinetic_energy(member.inertia, member.state);
    statistics.momentum += mass * member.state.velocity;
    statistics.potential_energy -=
        body.gravity_scale * mass * gravity.dot(member.state.world_from_body.translation);
  }
  if (particles() != nullptr) {
    statistics.particle_count = particles()->particle_count();
    if (const auto* const interior = fluid::as<fluid::HasInterior>(fluid_.get()))
      statistics.interior_count = interior->interior_count();
  }
  if (const auto* const cells = fluid::as<fluid::DividesCells>(fluid_.get()))
    statistics.cell_counts.assign(cells->cell_counts().begin(), cells->cell_counts().end());
  if (fluid_) {
    statistics.kinetic_energy += fluid_->kinetic_energy();
    statistics.momentum += fluid_->momentum();
    statistics.potential_energy += fluid_->potential_energy(gravity);
  }
}

bool Runner::is_undisturbed() const {
  return steering_.anchors().empty() && steering_.pushes().empty() &&
         steering_.gravity() == gravity_before_ && !(obstacles_.largest_speed() > 0) &&
         std::none_of(solids_.pins.begin(), solids_.pins.end(), [](const solid::BodyPin& pin) {
           return pin.velocity != Vec3::Zero() || pin.is_turning();
         });
}

double Runner::free_mass() const {
  double mass = 0;
  for (std::size_t i = 0; i < solids_.positions.size(); ++i) {
    if (solids_.is_held[i] == 0) mass += solids_.mass[i];
  }
  for (const solid::RigidMember& member : solids_.rigid_bodies)
    mass += member.script ? 0 : member.inertia.mass;
  for (std::size_t i = 0; i < scene_.fluids.size(); ++i)
    mass += static_cast<double>(particles()->particle_count(i)) * particles()->mass(i);
  return mass;
}

std::vector<ScriptLag> Runner::script_lags() const {
  std::vector<ScriptLag> lags;
  for (const solid::RigidMember& member : solids_.rigid_bodies) {
    if (!member.script) continue;
    const solid::BodyRange& body = solids_.bodies[static_cast<std::size_t>(member.body)];
    const solid::Pose told = member.script->at(time());
    double furthest = 0;
    for (std::size_t i = 0; i < member.points.size(); ++i) {
      const Vec3& x = solids_.positions[static_cast<std::size_t>(body.first_vertex) + i];
      furthest = std::max(furthest, (solid::transform(told, member.points[i]) - x).norm());
    }
    lags.push_back({body.name, furthest});
  }
  return lags;
}

void Runner::add_warnings(std::int64_t particle_count_before, FrameStatistics& statistics) {
  CheckedFrame frame;
  std::vector<fluid::EmitterReport> emitters;
  frame.is_undisturbed = is_undisturbed();
  frame.gravity = steering_.gravity();
  frame.mass = free_mass();
  frame.particle_count_before = particle_count_before;
  if (particles() != nullptr) {
    frame.particles = particles()->positions();
    frame.lost_volume_part = particles()->lost_volume_part();
    emitters = particles()->take_emitter_reports();
    frame.emitters = emitters;
  }
  if (const auto* const cells = fluid::as<fluid::DividesCells>(fluid_.get()))
    frame.detail_lost = cells->detail_lost();
  frame.script_lags = script_lags();
  checks_.check(frame, statistics);
  gravity_before_ = steering_.gravity();
}

}  // namespace sluice::simulation
