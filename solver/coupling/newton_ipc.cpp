// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/newton_ipc.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "solver/contact/gap.h"
#include "solver/coupling/divergence.h"
#include "solver/coupling/fluid_step.h"

namespace sluice::coupling {
namespace {

// Points may leave their expected way by the first, as a part of the contact distance, before
// candidates are looked for again; they are looked for as often as the second says, before the
// filter ends ways where they are known.
constexpr double slack_of_newton = 1;
constexpr int most_detections = 4;

// Particles may enter a wall by this part of the contact distance while they are solved for.
constexpr double particle_depth = 0.1;

Vec3 sum_of(std::span<const Vec3> vectors) {
  return std::accumulate(vectors.begin(), vectors.end(), Vec3(Vec3::Zero()));
}

}  // namespace

NewtonIpc::NewtonIpc(const scene::Scene& scene, solid::DeformableSystem& solids)
    : contact_distance_(scene.coupling.contact_distance),
      predictor_(scene, solids),
      walls_(scene),
      rigid_(scene, solids),
      surfaces_(scene, solids),
      solve_({.relative_residual = scene.coupling.tolerance,
              .max_iterations = scene.coupling.max_iterations},
             surfaces_, solids),
      end_(scene.coupling.step_filter) {
  for (const std::int32_t body : solids.body_of_vertex) {
    vertex_margins_.push_back({0, contact_distance_ + solids.bodies[at(body)].half_thickness,
                               scene.domain_lower, scene.domain_upper, body});
  }
}

double NewtonIpc::longest_substep(const solid::DeformableSystem& solids) const {
  return rigid_.longest_substep(solids);
}

std::string NewtonIpc::what_shortens_substeps(const solid::DeformableSystem& /*solids*/) const {
  return "a rigid body turns too fast, or moves too fast for the thinnest obstacle";
}

void NewtonIpc::begin_frame() { finder_.forget(); }

Result<SubstepReport> NewtonIpc::step(double h, const ExternalActions& actions,
                                      solid::DeformableSystem& solids, fluid::Fluid* fluid,
                                      const StepNotes& notes) {
  walls_.move(actions.obstacles, h);
  if (auto error =
          advance_fluid(h, actions, {solids.positions, solids.triangles}, fluid, notes.timer))
    return *error;
  SubstepReport report;
  if (!solids.positions.empty()) {
    predictor_.predict(h, actions, solids, rigid_, term_);
    if (notes.timer != nullptr) notes.timer->finish(Stage::solid);
    auto* const particles = fluid::as<fluid::ParticleFluid>(fluid);
    if (auto error = solve(h, solids, particles, notes, report)) return *error;
    if (notes.forces != nullptr) measure_forces(particles, *notes.forces);
  }
  commit_fluid(fluid, notes.timer);
  return report;
}

std::optional<Error> NewtonIpc::solve(double h, solid::DeformableSystem& solids,
                                      fluid::ParticleFluid* fluid, const StepNotes& notes,
                                      SubstepReport& report) {
  const auto finish = [&](Stage stage) {
    if (notes.timer != nullptr) notes.timer->finish(stage);
  };
  vertex_places_ = term_.targets;
  particle_places_.clear();
  if (fluid != nullptr) {
    const std::span<const Vec3f> targets = fluid->targets();
    particle_places_.assign(targets.begin(), targets.end());
  }
  if (const auto bad = first_not_finite(vertex_places_); bad >= 0) {
    const auto& owner = solids.bodies[at(solids.body_of_vertex[static_cast<std::size_t>(bad)])];
    return diverged(owner.name, "forces on it are too large; smaller drags or velocities may help");
  }
  double slack = slack_of_newton * contact_distance_ + walls_.largest_step();
  for (int detection = 1;; ++detection) {
    bounds_.begin(
        {fluid != nullptr ? fluid->positions() : std::span<const Vec3f>{}, solids.positions},
        {particle_places_, vertex_places_}, slack);
    finder_.find(bounds_, surfaces_.view(), surfaces_.largest_gap(), candidates_);
    finish(Stage::contact_detection);
    gather_points(h, solids, fluid);
    const auto solved = solve_.minimise({h, x_n_, inertia_, targets_, &walls_, margins_}, x_);
    if (!solved) return solved.error();
    report.iteration_count += solved.value().iteration_count;
    report.residual = solved.value().residual;
    report.contact_count = solved.value().contact_count;
    place_points(fluid);
    finish(Stage::coupling);
    if (bounds_.largest_excess({particle_places_, vertex_places_}) <= slack ||
        detection == most_detections) {
      break;
    }
  }
  if (fluid != nullptr) set_velocities(h, *fluid);
  const contact::PairsView pairs{surfaces_.view(), candidates_};
  end_.filter(h, bounds_, pairs, solids, fluid, rigid_, vertex_places_, report);
  const std::span<const Vec3> forces = solve_.pair_forces();
  report.solid_impulse = h * sum_of(forces.first(vertex_places_.size()));
  report.fluid_impulse = h * sum_of(forces.subspan(vertex_places_.size()));
  report.smallest_gap = contact::smallest_gap(
      pairs,
      {fluid != nullptr ? std::span<const Vec3f>(fluid->targets()) : std::span<const Vec3f>{},
       vertex_places_});
  finish(Stage::step_filter);
  SubstepEnd::place(h, vertex_places_, rigid_, solids);
  finish(Stage::solid);
  return std::nullopt;
}

// Gathers all vertices, and the particles that some candidate has; other particles go straight to
// their targets.
void NewtonIpc::gather_points(double h, const solid::DeformableSystem& solids,
                              fluid::ParticleFluid* fluid) {
  x_n_ = solids.positions;
  targets_ = term_.targets;
  inertia_ = term_.inertia;
  margins_ = vertex_margins_;
  particles_.clear();
  if (fluid == nullptr) return;
  const double depth = particle_depth * contact_distance_;
  const WallMargin margin{-depth, depth, fluid->lower().cast<double>(),
                          fluid->upper().cast<double>()};
  for (const auto& [point, triangle] : candidates_.points) {
    if (at(point) >= particle_places_.size()) break;
    if (!particles_.empty() && particles_.back() == point) continue;
    particles_.push_back(point);
    x_n_.push_back(fluid->positions()[at(point)].cast<double>());
    targets_.push_back(fluid->targets()[at(point)].cast<double>());
    inertia_.push_back(static_cast<double>(fluid->mass(fluid->materials()[at(point)])) / (h * h));
    margins_.push_back(margin);
  }
}

void NewtonIpc::place_points(const fluid::ParticleFluid* fluid) {
  std::copy_n(x_.begin(), vertex_places_.size(), vertex_places_.begin());
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    const Vec3 place =
        walls_.resolve_particle(x_n_[vertex_places_.size() + i], x_[vertex_places_.size() + i],
                                fluid->lower().cast<double>(), fluid->upper().cast<double>());
    particle_places_[at(particles_[i])] = place.cast<float>();
  }
}

void NewtonIpc::set_velocities(double h, fluid::ParticleFluid& fluid) const {
  for (const std::int32_t particle : particles_) {
    const Vec3f& place = particle_places_[at(particle)];
    const Vec3f change = (place - fluid.targets()[at(particle)]) / static_cast<float>(h);
    if (!change.isZero(0)) fluid.move_by_contact(at(particle), place, change);
  }
}

void NewtonIpc::measure_forces(const fluid::ParticleFluid* fluid, ContactForces& forces) const {
  const std::span<const Vec3> pairs = solve_.pair_forces(), walls = solve_.wall_forces();
  for (std::size_t i = 0; i < forces.vertices.size(); ++i)
    forces.vertices[i] = static_cast<float>((pairs[i] + walls[i]).norm());
  std::ranges::fill(forces.particles, 0.0F);
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    forces.particles[fluid->rows()[at(particles_[i])]] =
        static_cast<float>(pairs[forces.vertices.size() + i].norm());
  }
}

}  // namespace sluice::coupling
