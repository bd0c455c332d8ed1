// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation/frame_checks.h"
#include "solver/scene/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace sluice::simulation {
namespace {

// Where liquids splash, particles are crowded for a moment: by up to 3 % of the volume in
// crowding_test.
constexpr double most_lost_volume = 0.1;

// A part of the energy in play. One shipped scene reaches it: raft_in_a_wave gains 1.4 %, once.
constexpr double most_energy_growth = 0.01;

// The energy that lifts all of the mass by this part of the domain's longest edge is no growth.
constexpr double negligible_height = 1e-3;

// A residual this many times its tolerance is told. Iterations that are cut off a little early
// are common and harmless: each substep starts from where the one before ended. Cloth that folds
// ends single substeps of the shipped scenes at up to 150 times the solids' tolerance.
constexpr double most_times_pressure_tolerance = 100;
constexpr double most_times_solid_tolerance = 1000;

// A body may lag its script by this many contact distances: one that brushes past something is as
// far behind.
constexpr double most_contacts_of_lag = 2;

// A part of what an emitter's flux brings in a frame: less is lost in the roundings of its
// particles.
constexpr double most_missing_flux = 0.02;

bool lets_through(scene::Side side) { return side != scene::Side::wall; }

bool is_closed(const scene::Scene& scene) {
  if (scene.gas || scene.wind) return false;
  for (const auto& sides : scene.grid.sides) {
    if (lets_through(sides[0]) || lets_through(sides[1])) return false;
  }
  if (!scene.drains.empty()) return false;
  for (const scene::Fluid& fluid : scene.fluids) {
    if (!fluid.emitters.empty()) return false;
  }
  for (const scene::RigidBody& body : scene.rigid_bodies) {
    if (!body.script.empty()) return false;
  }
  const auto moves = [](const std::vector<scene::Pin>& pins) {
    return std::any_of(pins.begin(), pins.end(), [](const scene::Pin& pin) {
      return pin.velocity != Vec3::Zero() || pin.angular_velocity != Vec3::Zero();
    });
  };
  return std::none_of(scene.cloths.begin(), scene.cloths.end(),
                      [&](const scene::Cloth& cloth) { return moves(cloth.pins); }) &&
         std::none_of(scene.soft_bodies.begin(), scene.soft_bodies.end(),
                      [&](const scene::SoftBody& body) { return moves(body.pins); });
}

}  // namespace

FrameChecks::FrameChecks(const scene::Scene& scene) : scene_(scene), is_closed_(is_closed(scene)) {}

void FrameChecks::begin(const FrameStatistics& at_start) {
  const double kinetic = at_start.kinetic_energy, potential = at_start.potential_energy;
  energies_ = {kinetic + potential, kinetic, potential, potential};
}

void FrameChecks::check(const CheckedFrame& frame, FrameStatistics& statistics) {
  check_volume(frame, statistics);
  check_particles(frame, statistics);
  check_emitters(frame, statistics);
  check_energy(frame, statistics);
  check_residuals(statistics);
  check_detail(frame, statistics);
  check_scripts(frame, statistics);
}

void FrameChecks::check_detail(const CheckedFrame& frame, FrameStatistics& statistics) const {
  if (!(frame.detail_lost > 1) || !scene_.gas || !scene_.grid.adaptive) return;
  const std::int64_t most = scene_.grid.adaptive->max_cells.value_or(0);
  const std::int64_t count = std::accumulate(statistics.cell_counts.begin(),
                                             statistics.cell_counts.end(), std::int64_t{0});
  std::string message =
      count > most ? fmt::format(
                         "there are {} cells (at most {} are told): sources, regions with the "
                         "smallest cells and surfaces of obstacles need them; ",
                         count, most)
                   : fmt::format("with at most {} cells, ", most);
  message += fmt::format(
      "differences count as detail only where they are {:.3g} times as large as told: a larger "
      "fluid_grid.adaptive.max_cells helps, or a smaller fluid_grid.adaptive.detail that asks for "
      "less",
      frame.detail_lost);
  statistics.warnings.push_back(
      {WarningKind::detail_lost, scene_.gas->name, std::move(message), frame.detail_lost, 1});
}

void FrameChecks::check_volume(const CheckedFrame& frame, FrameStatistics& statistics) const {
  if (scene_.fluids.empty() || !(frame.lost_volume_part > most_lost_volume)) return;
  const std::string name = scene_.fluids.size() == 1 ? scene_.fluids.front().name : std::string();
  statistics.warnings.push_back(
      {WarningKind::volume_lost, name,
       fmt::format("{:.1f} % of the fluid's volume has no room (up to {:.0f} % is normal): "
                   "something presses it together, or it went where it cannot be; leave it a way "
                   "out, move what presses it less far, or use smaller cells",
                   100 * frame.lost_volume_part, 100 * most_lost_volume),
       frame.lost_volume_part, most_lost_volume});
}

void FrameChecks::check_particles(const CheckedFrame& frame, FrameStatistics& statistics) const {
  if (scene_.fluids.empty()) return;
  const std::int64_t expected = frame.particle_count_before + statistics.emitted_count -
                                statistics.removed_count + statistics.settled_count;
  std::int64_t lost = std::max<std::int64_t>(0, expected - statistics.particle_count);
  // Fluid that is past an open or periodic side is taken out or put back in the next substep.
  Vec3 lower = scene_.domain_lower, upper = scene_.domain_upper;
  const double rounding = 1e-6 * std::max(lower.cwiseAbs().maxCoeff(), upper.cwiseAbs().maxCoeff());
  for (int axis = 0; axis < 3; ++axis) {
    const auto& sides = scene_.grid.sides[static_cast<std::size_t>(axis)];
    const double beyond = std::numeric_limits<double>::infinity();
    lower[axis] -= lets_through(sides[0]) ? beyond : rounding;
    upper[axis] += lets_through(sides[1]) ? beyond : rounding;
  }
  for (const Vec3f& particle : frame.particles) {
    const Vec3 x = particle.cast<double>();
    // Also where it is not a number.
    if (!((x.array() >= lower.array()).all() && (x.array() <= upper.array()).all())) ++lost;
  }
  if (lost == 0) return;
  statistics.warnings.push_back(
      {WarningKind::particles_lost, "",
       fmt::format("{} particles are gone or outside of the domain (none may be): the result is "
                   "not to be trusted; this is a fault of the solver, please report it",
                   lost),
       static_cast<double>(lost), 0});
}

void FrameChecks::check_emitters(const CheckedFrame& frame, FrameStatistics& statistics) const {
  for (const fluid::EmitterReport& emitter : frame.emitters) {
    if (!(emitter.wanted > 0)) continue;
    const double missing = 1 - emitter.delivered / emitter.wanted;
    if (!(missing > most_missing_flux)) continue;
    statistics.warnings.push_back(
        {WarningKind::emitter_blocked, scene_.fluids[emitter.fluid].name,
         fmt::format(
             "the emitter \"{}\" let in {:.3g} m^3 of {:.3g} m^3 ({:.0f} % may be missing): "
             "what is in its way does not yield, or fluid_grid.max_particles is reached; "
             "leave it a way out, or move it to where there is room",
             emitter.name, emitter.delivered, emitter.wanted, 100 * most_missing_flux),
         missing, most_missing_flux});
  }
}

void FrameChecks::check_energy(const CheckedFrame& frame, FrameStatistics& statistics) {
  if (!is_closed_) return;
  const double kinetic = statistics.kinetic_energy, potential = statistics.potential_energy;
  if (!frame.is_undisturbed) return begin(statistics);
  Energies& seen = energies_;
  seen.largest_kinetic = std::max(seen.largest_kinetic, kinetic);
  seen.lowest_potential = std::min(seen.lowest_potential, potential);
  seen.highest_potential = std::max(seen.highest_potential, potential);
  const double size = (scene_.domain_upper - scene_.domain_lower).maxCoeff();
  const double in_play =
      std::max(seen.largest_kinetic, seen.highest_potential - seen.lowest_potential);
  // Without gravity: what moves the mass by that part of the domain in a second.
  const double negligible =
      frame.mass * (frame.gravity.norm() * negligible_height * size +
                    0.5 * negligible_height * negligible_height * size * size);
  const double growth = kinetic + potential - seen.lowest_total;
  const double limit = most_energy_growth * in_play + negligible;
  if (growth > limit) {
    const bool has_solids =
        !(scene_.rigid_bodies.empty() && scene_.cloths.empty() && scene_.soft_bodies.empty());
    statistics.warnings.push_back(
        {WarningKind::energy_grew, "",
         fmt::format(
             "the mechanical energy is {:.3g} J above its lowest value, so far or since it "
             "last grew, and nothing in the scene did work (up to {:.3g} J is normal): the "
             "solver added it; {}{} may help",
             growth, limit, scene::is_weakly_coupled(scene_) ? "another coupling.method, " : "",
             has_solids ? "shorter substeps (timing.max_substep_seconds), more iterations or "
                          "another solid_solver.integrator"
                        : "shorter substeps (timing.max_substep_seconds) or smaller cells "
                          "(fluid_grid.cell_size)"),
         growth, limit});
    // Growth that has been told is not told again: only what is gained from here on counts.
    seen.lowest_total = kinetic + potential;
  }
  seen.lowest_total = std::min(seen.lowest_total, kinetic + potential);
}

void FrameChecks::check_residuals(FrameStatistics& statistics) const {
  // A value that is not a number compares with nothing.
  const double coupled = scene_.coupling.tolerance;
  if (!std::isfinite(statistics.residual)) {
    statistics.warnings.push_back(
        {WarningKind::not_converged, "",
         "the solids' step ended with a residual that is not finite: the result is not to be "
         "trusted; shorter substeps (timing.max_substep_seconds) or another "
         "solid_solver.integrator may help",
         statistics.residual, most_times_solid_tolerance * coupled});
  } else if (statistics.residual > most_times_solid_tolerance * coupled) {
    statistics.warnings.push_back(
        {WarningKind::not_converged, "",
         fmt::format(
             "the solids' step ended with a relative residual of {:.3g}, above its tolerance "
             "of {:.3g}: forces do not balance; more coupling.max_iterations, shorter "
             "substeps (timing.max_substep_seconds) or another solid_solver.integrator may "
             "help",
             statistics.residual, coupled),
         statistics.residual, most_times_solid_tolerance * coupled});
  }
  const double pressure = scene_.grid.pressure.tolerance;
  const auto fluid = [&] {
    return scene_.gas ? scene_.gas->name
                      : (scene_.fluids.empty() ? std::string() : scene_.fluids.front().name);
  };
  if (!std::isfinite(statistics.pressure_residual)) {
    statistics.warnings.push_back(
        {WarningKind::not_converged, fluid(),
         "the pressure ended with a residual that is not finite: the result is not to be trusted; "
         "shorter substeps (timing.max_substep_seconds) may help",
         statistics.pressure_residual, most_times_pressure_tolerance * pressure});
  } else if (statistics.pressure_residual > most_times_pressure_tolerance * pressure) {
    statistics.warnings.push_back(
        {WarningKind::not_converged, fluid(),
         fmt::format("the pressure ended with a residual of {:.3g} of the divergence, above its "
                     "tolerance of {:.3g}: the flow is not free of divergence; something may press "
                     "on fluid that cannot yield, or fluid_grid.pressure.max_iterations is too "
                     "small",
                     statistics.pressure_residual, pressure),
         statistics.pressure_residual, most_times_pressure_tolerance * pressure});
  }
}

void FrameChecks::check_scripts(const CheckedFrame& frame, FrameStatistics& statistics) const {
  const double limit = most_contacts_of_lag * scene_.coupling.contact_distance;
  for (const ScriptLag& lag : frame.script_lags) {
    if (!(lag.distance > limit)) continue;
    statistics.warnings.push_back(
        {WarningKind::stopped_short, lag.body,
         fmt::format("\"{}\" is {:.3g} m short of where its script has it (up to {:.3g} m is "
                     "normal): something in its way cannot yield; a script that ends earlier, or "
                     "leaves more room, may help",
                     lag.body, lag.distance, limit),
         lag.distance, limit});
  }
}

void FrameChecks::save(ByteWriter& out) const {
  const Energies& e = energies_;
  for (const double value :
       {e.lowest_total, e.largest_kinetic, e.lowest_potential, e.highest_potential})
    out.put(value);
}

bool FrameChecks::restore(ByteReader& in) {
  Energies& e = energies_;
  return in.get(e.lowest_total) && in.get(e.largest_kinetic) && in.get(e.lowest_potential) &&
         in.get(e.highest_potential);
}

}  // namespace sluice::simulation
