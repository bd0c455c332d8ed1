// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/solid_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>

#include "solver/contact/gap.h"
#include "solver/coupling/divergence.h"
#include "solver/coupling/obstacle_stop.h"
#include "solver/parallel/parallel_for.h"
#include "solver/scene/capabilities.h"
#include "solver/solid/spring_potential.h"

namespace sluice::coupling {

namespace {

constexpr std::int64_t solid_step_grain = 512;

// Largest 2 sum w / (m / h^2): within it 30 iterations leave a few per cent of a step's motion as
// error (consensus_admm_test, thirty_iterations_leave_a_small_part_of_the_step).
constexpr double stiffest_ratio = 32;

// Points may leave their expected way by this part of the contact's gap before candidates are
// looked for again.
constexpr double slack_part = 0.25;

// Particles closer to a solid than this part of contact's gap are caught between solids: the flow
// that moves them keeps them further off where it can.
constexpr double caught_part = 0.5;

// Times that candidates are looked for in a substep before the filter ends it where they are known.
constexpr int most_detections = 3;

std::vector<const solid::Potential*> elements_of(const solid::DeformableSystem& solids) {
  std::vector<const solid::Potential*> elements;
  for (const auto* group : {&solids.elements, &solids.dampers}) {
    for (const auto& potential : *group)
      elements.push_back(potential.get());
  }
  return elements;
}

bool is_all_rigid(const scene::Scene& scene) {
  return scene.cloths.empty() && scene.soft_bodies.empty();
}

// Largest sum k / (m / h^2) of springs that have their contact found between solves, each as if
// vertices were free. Sheets of 41 x 41 vertices, 0.5 and 0.1 m wide (213 and 5e3), fall on a ball
// that way in half the time that it takes with the ball in the matrix; one of 10 mm (5e5) is thrown
// off with ten thousand times its energy.
constexpr double stiffest_sheet = 3e4;

double stiffness_ratio(const solid::DeformableSystem& solids, double h) {
  std::vector<double> sums(solids.positions.size(), 0.0);
  for (const solid::Spring& spring : solids.springs) {
    sums[static_cast<std::size_t>(spring.a)] += spring.stiffness;
    sums[static_cast<std::size_t>(spring.b)] += spring.stiffness;
  }
  double largest = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (solids.is_held[i] == 0) largest = std::max(largest, sums[i] * h * h / solids.mass[i]);
  }
  return largest;
}

// Where the fluid's pressure moves solids (BoundaryMap, ImmersedBoundary), what their walls hold is
// held in the response that it is solved with, and pressing them in Newton's matrix does not agree
// with that. Sheets of springs alone have a Newton's method of their own
// (integrator/spring_newton.h).
bool is_pressed(const scene::Scene& scene, const solid::DeformableSystem& solids) {
  if (is_all_rigid(scene) || scene.solid_solver.integrator != scene::Integrator::newton ||
      scene::row_of(scene.coupling.method).is_in_pressure)
    return false;
  return !solids.elements.empty() ||
         stiffness_ratio(solids, scene.coupling.max_substep) > stiffest_sheet;
}

/// By all that ties vertices together.
integrator::LooseParts loose_parts_of(const solid::DeformableSystem& solids) {
  const solid::SpringPotential springs(solids.springs);
  std::vector<const solid::Potential*> elements = elements_of(solids);
  elements.push_back(&springs);
  return {elements, solids.positions.size()};
}

}  // namespace

SolidStep::SolidStep(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : settings_(scene.coupling),
      walls_(scene),
      presses_(solids, scene.coupling),
      predictor_(scene, solids),
      contact_(scene, solids,
               is_pressed(scene, solids) ? SurfaceContact::SolidPairs::pressed
                                         : SurfaceContact::SolidPairs::iterated),
      rigid_(scene, solids),
      loose_parts_(loose_parts_of(solids)),
      end_(scene.coupling.step_filter),
      diagonal_(solids.positions.size()),
      particle_inertia_(scene.fluids.size()),
      iterate_(solids.positions.size()),
      next_(solids.positions.size()),
      wall_forces_(solids.positions.size(), Vec3::Zero()),
      is_at_wall_(solids.positions.size(), 0) {
  if (is_all_rigid(scene) || scene.solid_solver.integrator == scene::Integrator::consensus_admm) {
    // Weights of damping go with 1 / h: those of a step of 1 s are its constants.
    for (const auto& damper : solids.dampers)
      damper->begin_step(solids.positions, 1);
    admm_ = std::make_unique<integrator::ConsensusAdmm>(solids.springs, elements_of(solids),
                                                        solids.positions.size());
    bound_substep(solids);
  } else if (is_pressed(scene, solids)) {
    pressed_ = std::make_unique<PressedSolids>(scene.solid_solver, scene.coupling.contact_distance,
                                               solids);
  } else {
    implicit_ = std::make_unique<ImplicitSolids>(scene.solid_solver, solids);
  }
}

void SolidStep::bound_substep(const solid::DeformableSystem& solids) {
  std::vector<const solid::Potential*> dampers;
  dampers.reserve(solids.dampers.size());
  for (const auto& damper : solids.dampers)
    dampers.push_back(damper.get());
  const integrator::AdmmStages damping(dampers, solids.positions.size());
  for (std::size_t i = 0; i < solids.positions.size(); ++i) {
    const double c = damping.stiffness_sum(i), k = admm_->stiffness_sum(i) - c;
    if (solids.is_held[i] != 0 || k + c == 0) continue;
    // The positive root of k h^2 + c h = 32 m.
    const double limit = stiffest_ratio * solids.mass[i];
    const double substep = 2 * limit / (c + std::sqrt(c * c + 4 * k * limit));
    if (substep < stable_substep_) {
      stable_substep_ = substep;
      stiffest_body_ = solids.bodies[static_cast<std::size_t>(solids.body_of_vertex[i])].name;
    }
    stiffness_total_ += k;
  }
}

double SolidStep::longest_substep(const solid::DeformableSystem& solids) const {
  return std::min(stable_substep_, rigid_.longest_substep(solids));
}

std::string SolidStep::what_shortens_substeps(const solid::DeformableSystem& solids) const {
  if (rigid_.longest_substep(solids) <= stable_substep_) {
    return "a rigid body turns too fast, or moves too fast for the thinnest obstacle; gentler "
           "forces or some damping may help";
  }
  return fmt::format(
      "\"{}\" is too stiff for its mass; lower stiffness or a larger area_density may help",
      stiffest_body_);
}

void SolidStep::begin_frame() {
  contact_.begin_frame();
  presses_.begin_frame();
  finder_.forget();
  expected_excess_ = 0;
  std::ranges::fill(wall_forces_, Vec3::Zero());
}

Result<SubstepReport> SolidStep::step(double h, const ExternalActions& actions,
                                      solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
                                      FluidRole role, const StepNotes& notes) {
  notes_ = notes;
  fluid_role_ = role;
  walls_.move(actions.obstacles, h);
  if (solids.positions.empty()) return SubstepReport{};
  predictor_.predict(h, actions, solids, rigid_, term_);
  auto report = solve(h, actions, solids, fluid);
  if (report && notes.forces != nullptr) measure_forces(actions.forces, *notes.forces);
  return report;
}

void SolidStep::measure_forces(std::span<const Vec3> of_fluid, ContactForces& forces) const {
  contact_.measure_forces(forces.particles);
  std::vector<Vec3> sums = wall_forces_;
  for (std::size_t i = 0; i < of_fluid.size(); ++i)
    sums[i] += of_fluid[i];
  rigid_.add_wall_forces(sums);
  for (std::size_t i = 0; i < forces.vertices.size(); ++i) {
    forces.vertices[i] = static_cast<float>((contact_.forces()[i] + sums[i]).norm());
  }
}

WallPoint SolidStep::wall_point(double h, const solid::DeformableSystem& solids,
                                std::size_t vertex) const {
  const std::int32_t body = solids.body_of_vertex[vertex];
  const double gap =
      solids.bodies[static_cast<std::size_t>(body)].half_thickness + settings_.contact_distance;
  return {solids.positions[vertex], solids.velocities[vertex], body, gap, recovery_rate * gap * h};
}

void SolidStep::resolve_walls(double h, const solid::DeformableSystem& solids, WallPass pass) {
  parallel::parallel_for(
      0, static_cast<std::int64_t>(next_.size()), solid_step_grain,
      [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          if (solids.is_held[i] != 0) continue;
          const bool again = pass == WallPass::again;
          if (notes_.forces != nullptr && !again) wall_forces_[i].setZero();
          if (pass == WallPass::touching && is_at_wall_[i] == 0) continue;
          const Vec3 free = next_[i];
          next_[i] = walls_.resolve(wall_point(h, solids, i), free);
          // Once the iteration stands still, this is what keeps forces in balance.
          if (notes_.forces != nullptr) {
            wall_forces_[i] += diagonal_[i] * (next_[i] - free);
          }
          is_at_wall_[i] = (again && is_at_wall_[i] != 0) || next_[i] != free ? 1 : 0;
        }
      });
}

void SolidStep::balance_momentum() {
  loose_inertia_ = term_.inertia;
  forces_.assign(contact_.forces().begin(), contact_.forces().end());
  for (std::size_t i = 0; i < loose_inertia_.size(); ++i) {
    if (pressed_) {
      forces_[i] += wall_forces_[i];
    } else if (is_at_wall_[i] != 0) {  // A vertex at a wall counts as held.
      loose_inertia_[i] = std::numeric_limits<double>::infinity();
    }
  }
  loose_parts_.place({loose_inertia_, term_.targets, forces_, {}}, iterate_);
}

// By walls, contact and, from `next_` on, the step filter.
void SolidStep::find_touched(bool has_contact) {
  is_touched_ = is_at_wall_;
  for (std::size_t i = 0; has_contact && i < is_touched_.size(); ++i) {
    if (!contact_.forces()[i].isZero(0) || iterate_[i] != next_[i]) is_touched_[i] = 1;
  }
}

Result<SubstepReport> SolidStep::solve(double h, const ExternalActions& actions,
                                       solid::DeformableSystem& solids,
                                       fluid::ParticleFluid* fluid) {
  SubstepReport report;
  const auto check = [&]() -> std::optional<Error> {
    const auto bad = first_not_finite(iterate_);
    if (bad < 0) return std::nullopt;
    const auto owner = solids.body_of_vertex[static_cast<std::size_t>(bad)];
    return diverged(solids.bodies[static_cast<std::size_t>(owner)].name,
                    "forces on it are too large; smaller stiffness, drags or velocities may help");
  };
  for (const auto& damper : solids.dampers)
    damper->begin_step(solids.positions, actions.time_rule.part * h);
  if (admm_) {
    admm_->begin(solids.positions, term_, contact_.forces(), iterate_);
  } else if (pressed_) {
    pressed_->begin(h, term_, rigid_, actions.likely_ends);
    iterate_.assign(pressed_->points().begin(),
                    pressed_->points().begin() + static_cast<std::ptrdiff_t>(iterate_.size()));
  } else {
    implicit_->begin(solids.positions, term_, actions.likely_ends);
    if (auto error = solve_whole(solids, iterate_, report)) return *error;
  }
  if (auto error = check()) return *error;
  for (std::size_t i = 0; i < diagonal_.size(); ++i)
    diagonal_[i] = admm_ ? admm_->diagonal(i, term_) : term_.inertia[i];
  finish(Stage::solid);
  const bool has_contact = fluid != nullptr || contact_.is_between_solids();
  if (has_contact) {
    set_particles(h, fluid);
    find_contacts(h, solids);
  }
  for (int detection = 1;; ++detection) {
    if (admm_) {
      iterate(h, solids, report);
    } else if (auto error = pressed_ ? iterate_pressed(h, solids, report)
                                     : iterate_whole(h, solids, report)) {
      return *error;
    }
    if (auto error = check()) return *error;
    finish(Stage::coupling);
    if (!has_contact || is_within_bounds() || detection == most_detections) break;
    contact_.keep_forces();
    find_contacts(h, solids);
  }
  balance_momentum();
  if (pressed_) stay_off_walls(solids);
  if (!rigid_.is_empty()) report.filter_impulse += rigid_.stay_outside(walls_, iterate_);
  const ObstacleStop stopped = stop_at_obstacles(h, walls_, solids, iterate_);
  report.stopped_count += stopped.count;
  report.filter_impulse += stopped.impulse;
  finish(Stage::coupling);
  if (auto error = check()) return *error;
  if (has_contact) {
    if (const auto bad = contact_.finish(h, fluid); bad >= 0) {
      return diverged(fluid->name_of(bad),
                      "contact with cloth threw it out; a larger contact_distance or a smaller "
                      "max_substep_seconds may help");
    }
    next_ = iterate_;
    filter(h, solids, fluid, report);
    finish(Stage::step_filter);
  }
  if (actions.time_rule.part < 1) find_touched(has_contact);
  SubstepEnd::place(h, iterate_, rigid_, solids, actions.time_rule, is_touched_);
  finish(Stage::solid);
  return report;
}

void SolidStep::set_particles(double h, fluid::ParticleFluid* fluid) {
  particles_ = {};
  if (fluid != nullptr) {
    for (std::size_t m = 0; m < particle_inertia_.size(); ++m) {
      particle_inertia_[m] = static_cast<double>(fluid->mass(m)) / (h * h);
    }
    particles_ = {fluid->positions(),           fluid->targets(),  fluid->rows(),
                  fluid->materials(),           particle_inertia_, fluid->lower().cast<double>(),
                  fluid->upper().cast<double>()};
    if (fluid_role_ == FluidRole::is_caught) particles_.taking_part = caught_part;
  }
  particle_places_.assign(particles_.targets.begin(), particles_.targets.end());
}

void SolidStep::find_contacts(double h, const solid::DeformableSystem& solids) {
  const double gap = contact_.largest_gap();
  slack_ = slack_part * gap + walls_.largest_step() + expected_excess_;
  bounds_.begin({particles_.positions, solids.positions}, {particle_places_, iterate_}, slack_);
  finder_.find(bounds_, contact_.surfaces(), gap, candidates_);
  contact::PairsView answering(contact_.surfaces(), candidates_);
  if (fluid_role_ == FluidRole::is_carried) answering.leave_out_points(particles_.positions.size());
  contact_.begin(h, solids, iterate_, diagonal_, rigid_.compliances(), particles_, answering);
  finish(Stage::contact_detection);
}

// Whether the iteration has left all points where their candidates are known. A point that hits
// something leaves what was expected of it; as likely as not it does so in the next substep too.
bool SolidStep::is_within_bounds() {
  contact_.place_particles(particle_places_);
  const double excess = bounds_.largest_excess({particle_places_, iterate_});
  expected_excess_ = 1.5 * excess;
  return excess <= slack_;
}

void SolidStep::iterate(double h, const solid::DeformableSystem& solids, SubstepReport& report) {
  const double tiny = 1e-6 * settings_.contact_distance;
  // Where no solid yields, none need move: what particles change by is measured by the distance
  // that contact keeps, as in SurfaceGuard.
  const double yielding = stiffness_total_ + rigid_.inertia();
  const double way = yielding > 0 ? tiny : settings_.contact_distance;
  const double floor = yielding * tiny * tiny + contact_.inertia_of_particles() * way * way +
                       std::numeric_limits<double>::min();
  for (int k = 0; k < settings_.max_iterations; ++k) {
    const double primal = admm_->local_and_dual_step(iterate_);
    admm_->global_step(iterate_, term_, contact_.forces(), next_);
    if (k == 0) move_rigid_bodies(k);
    double particle_change = 0;
    if (contact_.has_pairs()) {
      // A vertex that a wall holds up carries what lies on it: contact must not see it where
      // springs draw it.
      resolve_walls(h, solids, k == 0 ? WallPass::all : WallPass::touching);
      particle_change = contact_.respond(k, walls_, next_);
      resolve_walls(h, solids, WallPass::again);
    } else {
      resolve_walls(h, solids, WallPass::all);
    }
    const RigidChange rigid = move_rigid_bodies(k);
    const double change =
        admm_->squared_change(iterate_, next_, term_) + particle_change + rigid.change;
    const double motion = admm_->squared_change(next_, solids.positions, term_) + rigid.motion;
    iterate_.swap(next_);
    report.residual = std::sqrt((primal + change) / (motion + floor));
    ++report.iteration_count;
    if (!std::isfinite(primal + change)) break;
    if (report.residual < settings_.tolerance && !contact_.admit_edges()) break;
  }
}

// Their vertices are held by them: they are where the global step leaves them.
RigidChange SolidStep::move_rigid_bodies(int k) {
  if (rigid_.is_empty()) return {};
  const RigidChange change =
      rigid_.respond(k, contact_.forces(), contact_.torques(), walls_, next_);
  const auto count = static_cast<std::ptrdiff_t>(rigid_.vertex_count());
  std::copy(next_.end() - count, next_.end(), term_.targets.end() - count);
  return change;
}

std::optional<Error> SolidStep::solve_whole(const solid::DeformableSystem& solids,
                                            std::span<Vec3> x, SubstepReport& report) {
  forces_.resize(wall_forces_.size());
  for (std::size_t i = 0; i < forces_.size(); ++i)
    forces_[i] = contact_.forces()[i] + wall_forces_[i];
  const integrator::StepReport solved = implicit_->solve(forces_, x);
  report.iteration_count += solved.iterations;
  report.residual = solved.residual;
  if (solved.is_converged()) return std::nullopt;
  return Error{
      ErrorCode::solver_diverged,
      fmt::format("the step of \"{}\" failed: {} (residual {:.2g} after {} iterations)",
                  implicit_->worst_body(solids, forces_, x), integrator::describe(solved.status),
                  solved.residual, solved.iterations)};
}

double SolidStep::squared_distance(const solid::DeformableSystem& solids, std::span<const Vec3> a,
                                   std::span<const Vec3> b) const {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (solids.is_held[i] == 0) sum += diagonal_[i] * (a[i] - b[i]).squaredNorm();
  }
  return sum;
}

double SolidStep::energy_floor(const solid::DeformableSystem& solids) const {
  const double tiny = 1e-6 * settings_.contact_distance;
  double inertia = contact_.inertia_of_particles() + rigid_.inertia();
  for (std::size_t i = 0; i < diagonal_.size(); ++i) {
    if (solids.is_held[i] == 0) inertia += diagonal_[i];
  }
  return inertia * tiny * tiny + std::numeric_limits<double>::min();
}

std::optional<Error> SolidStep::iterate_whole(double h, const solid::DeformableSystem& solids,
                                              SubstepReport& report) {
  const double floor = energy_floor(solids);
  for (int k = 0; k < settings_.max_iterations; ++k) {
    if (auto error = solve_whole(solids, iterate_, report)) return error;
    next_ = iterate_;
    if (k == 0) move_rigid_bodies(k);
    const double particle_change = contact_.has_pairs() ? contact_.respond(k, walls_, next_) : 0;
    push_by_walls(h, solids);
    const RigidChange rigid = move_rigid_bodies(k);
    const double change =
        squared_distance(solids, iterate_, next_) + particle_change + rigid.change;
    const double motion = squared_distance(solids, next_, solids.positions) + rigid.motion;
    iterate_.swap(next_);
    const double unbalanced = std::sqrt(change / (motion + floor));
    report.residual = larger_or_nan(report.residual, unbalanced);
    if (!std::isfinite(unbalanced)) break;
    if (unbalanced < settings_.tolerance && !contact_.admit_edges()) break;
  }
  return std::nullopt;
}

void SolidStep::push_by_walls(double h, const solid::DeformableSystem& solids) {
  parallel::parallel_for(0, static_cast<std::int64_t>(next_.size()), solid_step_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto i = static_cast<std::size_t>(first);
                                i < static_cast<std::size_t>(last); ++i) {
                             if (solids.is_held[i] != 0) continue;
                             const Vec3 free = next_[i] - wall_forces_[i] / diagonal_[i];
                             next_[i] = walls_.resolve(wall_point(h, solids, i), free);
                             wall_forces_[i] = diagonal_[i] * (next_[i] - free);
                             is_at_wall_[i] = next_[i] != free ? 1 : 0;
                           }
                         });
}

void SolidStep::filter(double h, const solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
                       SubstepReport& report) {
  end_.filter(h, bounds_, {contact_.surfaces(), candidates_}, solids, fluid, rigid_, iterate_,
              report);
  report.fluid_impulse = h * contact_.force_on_particles();
  report.solid_impulse =
      h * std::accumulate(contact_.forces().begin(), contact_.forces().end(), Vec3(Vec3::Zero()));
  const std::span<const Vec3f> targets = fluid != nullptr ? fluid->targets() : std::span<Vec3f>{};
  report.smallest_gap = contact::smallest_gap(contact_.pairs(), {targets, iterate_});
  report.contact_count = contact_.active_count();
}

}  // namespace sluice::coupling
